"""Where the work of a night or a period runs: processes of this machine, or Apache Spark."""
