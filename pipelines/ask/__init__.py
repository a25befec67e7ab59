"""Asking the warehouse: ready questions, answers in any form, and a prompt."""
