"""Evidence that stands alone: one round in a zip file that anyone can check on another machine.

docs/adr/0008-evidence.md says what it proves and what it does not.
"""
