"""The command line, the nightly run and the warehouse."""
