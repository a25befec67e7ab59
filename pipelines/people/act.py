"""How somebody does something: looked at against all that was done before, and added, in one lock.

Of two who decide at the same moment one is first, and the other is told so.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from events.errors import EvenhandError
from pipelines.people import cases, legacy, waivers
from pipelines.people.entry import Deed, LogEntry
from pipelines.people.log import (
    LogProblem,
    LogRead,
    PeopleLog,
    PeopleLogError,
    Writing,
    access_file,
    decisions_file,
)
from pipelines.people.state import TAKEN_OVER, People, fold, why_not


class NotAllowedError(EvenhandError):
    """Something that this person can't do, or can't do now; the sentence says why."""


class Actor(NamedTuple):
    """Who does it and how he came (entry.VIA)."""

    who: str
    via: str = "local"


def os_user() -> str:
    """The name of whoever runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"


def local_actor() -> Actor:
    """The one user of a house without accounts, and whoever manages accounts at the machine."""
    return Actor(os_user(), "local")


class DeedBook:
    """The logs of a home, what follows from them, and doing things."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log, self.access = PeopleLog(decisions_file(home)), PeopleLog(access_file(home))
        self._folded: tuple[LogRead, People] | None = None
        self.doubt: Callable[[], str | None] = lambda: None
        """Why nothing may be done: whoever knows what was sealed of the log says so here."""

    def people(self) -> People:
        """As things stand. Where the log is damaged, as they stood before the damage."""
        found = self.log.read()
        if self._folded is None or self._folded[0] is not found:
            self._folded = found, fold(found.entries)
        people = self._folded[1]
        if people.legacy is None:
            _, old = legacy.read_legacy(self.home)
            if old:
                people = fold(found.entries)
                waivers.take_over(people, old)
        return people

    def do(
        self,
        actor: Actor,
        what: str,
        subjects: Sequence[str],
        details: Mapping[str, Any] | None = None,
        *,
        run: str | None = None,
        seen: int | None = None,
    ) -> LogEntry:
        """Do it, or raise NotAllowedError. `seen`: the last entry that he knew of; where somebody
        has touched one of the cases since, it is not done."""
        if (doubt := self.doubt()) is not None:
            raise PeopleLogError(
                f"{doubt}; nothing is added to the log until the file is as it was: put it back "
                "from a backup"
            )
        told = dict(details or {})
        if actor.via == "local":
            told["os_user"] = os_user()
        deed = Deed(actor.who, what, actor.via, run, tuple(dict.fromkeys(subjects)), told)
        with self.log.writing() as writing:
            self._take_over(writing)
            people = fold(writing.entries)
            late = None if seen is None else cases.stale(people, deed.subjects, seen)
            refused = late or why_not(people, deed)
            if refused is not None:
                raise NotAllowedError(refused)
            return writing.append(deed)

    def take_over(self) -> bool:
        """Take the waivers of an earlier version into the log; whether there was something."""
        sha256, _ = legacy.read_legacy(self.home)
        if sha256 is None or fold(self.log.read().entries).legacy is not None:
            return False
        with self.log.writing() as writing:
            return self._take_over(writing)

    def _take_over(self, writing: Writing) -> bool:
        if any(entry.what == TAKEN_OVER for entry in writing.entries):
            return False
        sha256, old = legacy.read_legacy(self.home)
        if sha256 is None:
            return False
        details = legacy.taken_over_details(sha256, old)
        writing.append(Deed(os_user(), TAKEN_OVER, details=details | {"os_user": os_user()}))
        return True

    def ask_waiver(
        self,
        actor: Actor,
        findings: Sequence[Mapping[str, Any]],
        *,
        reason: str,
        until: date,
        run: str | None = None,
    ) -> LogEntry:
        """Ask for a waiver; where there is no account, give it."""
        name, details = waivers.asking(findings, reason=reason, until=until, at=datetime.now(UTC))
        what = "waiver_given" if actor.via == "local" else "waiver_asked"
        return self.do(actor, what, [name, *details["findings"]], details, run=run)

    def decide_waiver(
        self, actor: Actor, what: str, waiver: str, reason: str = "", run: str | None = None
    ) -> LogEntry:
        """Approve, refuse or revoke (`what`: a key of waivers.DECISIONS)."""
        known = self.people().waivers.get(waiver)
        findings = [] if known is None else list(known.findings)
        if what != "waiver_approved" and not reason.strip():
            raise NotAllowedError(f"waiver {waiver}: expected a reason, found none")
        details = {"waiver": waiver, "reason": " ".join(reason.split())}
        return self.do(actor, what, [waiver, *findings], details, run=run)

    def opened(self, actor: Actor, what: str, subject: str, run: str | None = None) -> None:
        """Keep who opened what: `what` is round, player, question and the like."""
        deed = Deed(actor.who, f"opened_{what}", actor.via, run, (subject[:4_000],))
        self.access.note(deed)

    def problems(self) -> list[LogProblem]:
        """What is wrong with both files, and with the file that was taken over."""
        found = [*self.log.read().problems, *self.access.read().problems]
        taken = fold(self.log.read().entries).legacy
        path = self.home / legacy.FILE_NAME
        if taken is not None and path.exists() and legacy.hash_of(self.home) != taken:
            says = f"{path}: it was changed after its waivers had been taken into the log"
            found.append(LogProblem(0, f"{says}; only what the log says counts"))
        return found
