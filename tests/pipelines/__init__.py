"""Tests of the night, the warehouse, the report and the commands around them."""
