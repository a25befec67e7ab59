"""Fold a round's events into facts and settle it by its rulebook. Pure: no clock, no I/O."""

from events.runtime import compiled

compiled.use()  # before the first of its modules is imported
