"""What tables send: the event types, their bytes and JSON, the chain, the logs and the archive."""
