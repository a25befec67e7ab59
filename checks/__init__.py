"""Derived against recorded: findings, the record's integrity, data quality."""

from events.runtime import compiled

compiled.use()  # before the first of its modules is imported
