"""The log on Kafka: the same three verbs as the file log, and what they need of the cluster."""
