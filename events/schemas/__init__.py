"""The Avro schema, one file per version, kept for ever."""
