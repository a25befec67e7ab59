"""One round looked at closely: found, replayed, and told as a person can follow it."""
