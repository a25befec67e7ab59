"""Alerts: who is told of a bad night, and how. Nothing here can fail a run."""
