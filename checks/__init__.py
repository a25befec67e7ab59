"""Derived against recorded: findings, the record's integrity, data quality."""
