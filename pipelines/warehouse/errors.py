"""What can go wrong with the warehouse, as sentences for the person who has to put it right."""

from __future__ import annotations

from events.errors import EvenhandError


class WarehouseError(EvenhandError):
    """A warehouse that can't be opened, read or written."""


class DayBusyError(WarehouseError):
    """Another run is at work on the same day."""


class BlockedError(WarehouseError):
    """A check that must hold does not, so that the day is not published."""


class TransientError(WarehouseError):
    """Something that may well not happen a second time, such as a worker that was killed."""
