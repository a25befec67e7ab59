"""What Dagster loads, and the ways in which its job is started. The work is in pipelines/night."""
