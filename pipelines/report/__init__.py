"""The report of a day: one page, one table, one summary."""
