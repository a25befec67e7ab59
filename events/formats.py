"""The formats of what a home holds: which version this code writes, and which it still reads.

Each part says its own: the archive in its journal, the warehouse in its catalogue and in the record
of each run, the settings in `format` of their file. What says nothing is version 1. Whoever changes
a format raises its number below by one and adds the step from the number before, in
events/settings/upgrade.py, events/archive/upgrade.py or pipelines/warehouse/steps.py. A new column
that may be null is no change of format: it reads as null from files that lack it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from events.contract import show
from events.errors import EvenhandError


class FormatError(EvenhandError):
    """A part of a home in a format that this code does not read or does not write."""


@dataclass(frozen=True, slots=True)
class Format:
    """One part of a home. `reads` is the oldest version that is read as it is."""

    part: str
    version: int
    reads: int = 1

    def version_of(self, found: object, where: Path) -> int:
        """The version found at `where`, however old; a newer one is refused in one sentence."""
        version = _number(found)
        if version is None:
            raise FormatError(
                f"{where}: expected the format of the {self.part} as a number from 1 on, found "
                f"{show(found)}; put back what stood there"
            )
        if version > self.version:
            raise FormatError(
                f"{where}: expected the {self.part} in format {self.version} or older, found "
                f"{version}, which a newer evenhand wrote; install that one or use another home"
            )
        return version

    def check(self, found: object, where: Path, *, write: bool = False) -> int:
        """The version found, where it can be read as it is; or written, which only today's can."""
        version = self.version_of(found, where)
        if version < (self.version if write else self.reads):
            or_older = f" down to {self.reads}" if not write and self.reads < self.version else ""
            raise FormatError(
                f"{where}: expected the {self.part} in format {self.version}{or_older}, found "
                f"{version}; evenhand upgrade moves it"
            )
        return version


def _number(found: object) -> int | None:
    """A version, as a number or as the text of one."""
    if isinstance(found, bool):
        return None
    if isinstance(found, str) and found.isascii() and found.isdigit():
        found = int(found)
    return found if isinstance(found, int) and found > 0 else None


ARCHIVE = Format("archive", 2)
WAREHOUSE = Format("warehouse", 4)
SETTINGS = Format("settings", 1)
WATCH = Format("watcher's outbox", 1)
ALERTS = Format("outbox of alerts", 1)
