"""The warehouse: immutable Parquet files per day and run, and a small DuckDB catalogue over them.

A run writes its files beside everything else and, as its last step, renames a new catalogue into
place. docs/adr/0007-warehouse.md says why.
"""
