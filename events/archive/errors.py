"""What can go wrong with an archive, as sentences for the person who has to put it right."""

from __future__ import annotations

from events.errors import EvenhandError


class ArchiveError(EvenhandError):
    """An archive that can't be opened, read or written."""


class DamagedError(ArchiveError):
    """A file of the archive that is missing, cut short or changed: never taken for an empty one."""


class BusyError(ArchiveError):
    """Another ingest is at work on the same archive."""


class UnknownRoundError(ArchiveError):
    """A round that no index knows. `nearest` are ids that look like it."""

    def __init__(self, text: str, nearest: tuple[str, ...]) -> None:
        super().__init__(text)
        self.nearest = nearest


class UnknownDayError(ArchiveError):
    """A gaming day of which the archive has nothing."""
