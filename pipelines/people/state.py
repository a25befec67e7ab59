"""Everything that follows from the log: a fold over its entries, with no clock and no other input.

An entry that the rules do not allow (an approval by whoever asked, a deed of a locked account)
changes nothing and is named in `ignored`, however it came to stand there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from events.errors import EvenhandError
from pipelines.people import accounts, cases, waivers
from pipelines.people.accounts import Account
from pipelines.people.cases import FindingCase
from pipelines.people.entry import Deed, LogEntry
from pipelines.people.legacy import waiver_of
from pipelines.people.roles import ACCOUNTS, APPROVE, ASK, NEEDS, WORK
from pipelines.people.waivers import HouseWaiver

TAKEN_OVER = "waivers_taken_over"


@dataclass(slots=True)
class People:
    """Accounts, cases and waivers as they stand, and the entries about each subject."""

    accounts: dict[str, Account] = field(default_factory=dict)
    former: set[str] = field(default_factory=set)
    cases: dict[str, FindingCase] = field(default_factory=dict)
    waivers: dict[str, HouseWaiver] = field(default_factory=dict)
    about: dict[str, list[LogEntry]] = field(default_factory=dict)
    ignored: list[tuple[int, str]] = field(default_factory=list)
    legacy: str | None = None
    """SHA-256 of the waivers.jsonl that was taken over, once one was."""
    last: int = 0


@dataclass(frozen=True, slots=True)
class DeedKind:
    """What a kind of deed needs, when it can't be done, and what it changes."""

    right: str
    why_not: Callable[[People, Deed], str | None]
    change: Callable[[People, LogEntry], None]


def _taken_over(people: People, entry: LogEntry) -> None:
    waivers.take_over(people, map(waiver_of, entry.details["waivers"]))
    people.legacy = str(entry.details["sha256"])


KINDS: dict[str, DeedKind] = {
    **{
        f"account_{name}": DeedKind(ACCOUNTS, accounts.why_not, accounts.change)
        for name in accounts.CHANGES
    },
    **{what: DeedKind(WORK, cases.why_not, cases.change) for what in cases.FROM},
    "waiver_asked": DeedKind(WORK, waivers.why_not, waivers.change),
    "waiver_given": DeedKind(APPROVE, waivers.why_not, waivers.change),
    "waiver_approved": DeedKind(APPROVE, waivers.why_not, waivers.change),
    "waiver_refused": DeedKind(APPROVE, waivers.why_not, waivers.change),
    "waiver_revoked": DeedKind(WORK, waivers.why_not, waivers.change),
    TAKEN_OVER: DeedKind(
        ACCOUNTS,
        lambda people, _: None if people.legacy is None else "waivers.jsonl was taken over before",
        _taken_over,
    ),
    "alert_seen": DeedKind(ASK, lambda *_: None, lambda *_: None),
}
"""Deeds that need a right or change something; others (signed_in, opened) are only kept."""


def fold(entries: Iterable[LogEntry]) -> People:
    """What the entries leave."""
    people = People()
    for entry in entries:
        people.last = entry.number
        kind = KINDS.get(entry.what)
        if kind is not None:
            why = why_not(people, entry.deed)
            if why is None:
                why = _changed(kind, people, entry)
            if why is not None:
                people.ignored.append((entry.number, why))
                continue
        for subject in entry.deed.subjects:
            people.about.setdefault(subject, []).append(entry)
    return people


def _changed(kind: DeedKind, people: People, entry: LogEntry) -> str | None:
    try:
        kind.change(people, entry)
    except _MALFORMED as error:
        return f"its details can't be read: {type(error).__name__}: {error}"
    return None


_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, EvenhandError)


def why_not(people: People, deed: Deed) -> str | None:
    """Why somebody can't do this now; None where he can."""
    kind = KINDS.get(deed.what)
    if kind is None:
        return None
    try:
        return _no_right(people, deed, kind.right) or kind.why_not(people, deed)
    except _MALFORMED as error:
        return f"its details can't be read: {type(error).__name__}: {error}"


def _no_right(people: People, deed: Deed, right: str) -> str | None:
    if deed.via == "local":  # accounts are made by whoever may write the home's files
        if right == ACCOUNTS or not people.accounts:
            return None
        return "expected an account, because this house has some (evenhand users list)"
    account = people.accounts.get(deed.who)
    if account is None:
        return f"there is no account {deed.who}"
    if account.locked:
        return f"account {deed.who} is locked"
    if right not in account.rights:
        return (
            f"{deed.what.replace('_', ' ')}: account {deed.who} is {', '.join(account.roles)}; it "
            f"takes {' or '.join(NEEDS[right])}"
        )
    if deed.what == "waiver_revoked":
        return waivers.why_not_revoke(people, deed, account.rights)
    return None
