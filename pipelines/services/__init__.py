"""The house's processes on one machine: which there are, started again when they die, and what
state everything is in."""
