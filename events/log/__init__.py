"""The log: append, read a range, follow. Two adapters: files (the embedded default) and Kafka."""
