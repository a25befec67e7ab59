"""Files that somebody hands in: read within bounds, by our own schemas, and never trusted.

Who sends a file may be the one who is audited. So a file can't choose how it is decoded, how much
memory or time that takes, or how deep it nests; bounds.py has every limit, docs/security.md the
reasons.
"""
