"""Fold a round's events into facts and settle it by its rulebook. Pure: no clock, no I/O."""
