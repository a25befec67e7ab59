"""The `evenhand` command."""
