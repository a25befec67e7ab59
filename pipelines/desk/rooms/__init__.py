"""A module per page; each has `ROUTES`."""
