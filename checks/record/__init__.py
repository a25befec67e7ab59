"""Is the record whole: numbers, order, hashes and the clock, of a file and of a table-day."""
