"""The published rows as tables of a lakehouse: Apache Iceberg names the same Parquet files."""
