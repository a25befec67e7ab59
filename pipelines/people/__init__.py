"""What people do: one chained log, and the accounts, cases and waivers that follow from it.

entry.py and log.py are the file; roles.py, accounts.py, cases.py and waivers.py say what an entry
changes; state.py folds them all; act.py is how somebody does something. docs/people.md.
"""
