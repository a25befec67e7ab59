"""Live: each round audited the moment it closes, by the audit that the night asks too."""
