"""Who vouches for the house, as it stands: its witnesses, and the log of what people did.

Only files of the home are read; no witness is asked here, that is the night's part.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from events.checkpoints import load_checkpoints
from events.house_log import HouseLog
from events.settings import Settings
from events.trust.errors import TrustError
from events.trust.note import SignedNote, VerifierKey, verifier_key
from events.trust.tlog import cosigned_at
from pipelines.people.log import LogRead, PeopleLog

_SEALED_AS = "#people"


@dataclass(frozen=True, slots=True)
class WitnessState:
    """Whether a witness signed the newest state of the house's log, and when it last signed any."""

    name: str
    signed_newest: bool
    last_signed: str | None = None
    problem: str | None = None

    def need(self) -> str | None:
        if self.problem is not None:
            return f"the witness {self.name}: {self.problem}"
        if self.signed_newest:
            return None
        since = f"since {self.last_signed}" if self.last_signed else "and has never signed"
        return (
            f"the witness {self.name} has not signed the newest state of the house's log, {since}; "
            "the day's report says why"
        )


@dataclass(frozen=True, slots=True)
class PeopleLogState:
    """How many entries the log of what people did has, and what is wrong with its chain."""

    entries: int
    problem: str | None = None


def witness_states(settings: Settings) -> list[WitnessState]:
    """Of each witness that the settings name; none before the house first signed its log."""
    log = HouseLog(settings.home, settings.checkpoints_file)
    newest = log.newest() if settings.witnesses else None
    if newest is None:
        return []
    return [
        _witness_state(log, newest, name, verifier_key(one.key))
        for name, one in sorted(settings.witnesses.items())
    ]


def _witness_state(log: HouseLog, newest: SignedNote, name: str, key: VerifierKey) -> WitnessState:
    try:
        kept = log.signed_by(key)
        at = None if kept is None else cosigned_at(kept, key)
    except TrustError as error:
        return WitnessState(name, False, None, str(error))
    if kept is None or at is None:
        return WitnessState(name, False)
    return WitnessState(name, kept.text == newest.text, at.strftime("%Y-%m-%dT%H:%M:%SZ"))


def people_log_state(settings: Settings, log: PeopleLog) -> PeopleLogState:
    """The chain from entry to entry, and against what the nights have sealed of it."""
    kept = load_checkpoints(settings.checkpoints_file, tables={_SEALED_AS}, quarantine=True)
    sealed = {c.seq: c.head for c in kept if c.table == _SEALED_AS}
    found = log.read()
    wrong = found.against(sealed)
    return PeopleLogState(found.head.number, wrong[0].message if wrong else None)


class PeopleSeal:
    """What is wrong with the log of what people did, looked at again only where it or what was
    sealed of it has changed."""

    def __init__(self, settings: Settings, log: PeopleLog) -> None:
        self._settings, self._log = settings, log
        self._looked: tuple[LogRead, object, str | None] | None = None

    def __call__(self) -> str | None:
        found, sealed = self._log.read(), _version(self._settings.checkpoints_file)
        before = self._looked
        if before is None or before[0] is not found or before[1] != sealed:
            problem = people_log_state(self._settings, self._log).problem
            before = self._looked = found, sealed, problem
        return before[2]


def _version(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
