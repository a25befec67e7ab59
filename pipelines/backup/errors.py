"""What can go wrong with a backup, as sentences."""

from __future__ import annotations

from events.errors import EvenhandError


class BackupError(EvenhandError):
    """A folder that is no backup, an object that is not what its name says, a home in the way."""
