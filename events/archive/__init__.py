"""The archive: the evidence as it came, the same events as columns, one journal over both."""
