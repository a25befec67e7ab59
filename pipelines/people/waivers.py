"""Waivers with four eyes, as the log leaves them: asked for by one, approved by another.

A waiver accepts one or several findings as they are, for a reason and until a day. It hides no
money: the findings stay in every total and are shown as waived. Where a house has no account there
is nobody else who could approve; then `waiver_given` holds at once, and says that one person alone
gave it. Once there are accounts, no waiver is given so any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from checks.waivers import Waiver, content_of
from events.errors import EvenhandError
from pipelines.people.entry import Deed, LogEntry

if TYPE_CHECKING:
    from pipelines.people.state import People

ASKED, APPROVED, REFUSED, REVOKED = "asked", "approved", "refused", "revoked"
DECISIONS = {"waiver_approved": APPROVED, "waiver_refused": REFUSED, "waiver_revoked": REVOKED}


@dataclass(frozen=True, slots=True)
class HouseWaiver:
    """A waiver in the state it is in. `findings`: ids and the hash of what each said then."""

    id: str
    findings: Mapping[str, str]
    reason: str
    until: date
    asked_by: str
    asked_at: datetime
    state: str = ASKED
    decided_by: str | None = None
    decided_at: datetime | None = None
    said: str = ""
    alone: bool = False
    """Given by one person where the house had no accounts, or by an earlier version."""
    approved_by: str | None = None

    def state_on(self, today: date) -> str:
        """`over` for one that held and has ended."""
        return "over" if self.state == APPROVED and today > self.until else self.state

    def plain(self) -> list[Waiver]:
        """As the checks take them: one for each finding."""
        return [
            Waiver(self.id, finding, content, self.reason, self.asked_by, self.until,
                   self.asked_at, self.approved_by)
            for finding, content in self.findings.items()
        ]  # fmt: skip


def asking(
    findings: Sequence[Mapping[str, Any]], *, reason: str, until: date, at: datetime
) -> tuple[str, dict[str, Any]]:
    """The id and the details of a waiver of these findings as they are now."""
    reason = " ".join(reason.split())
    if not reason:
        raise EvenhandError(f"waiver of {findings[0]['id']}: expected a reason, found none")
    said = {str(finding["id"]): content_of(finding) for finding in findings}
    seed = "\x1f".join((*said.values(), reason, until.isoformat(), at.isoformat()))
    name = "W" + hashlib.sha256(seed.encode()).hexdigest()[:11]
    return name, {"waiver": name, "findings": said, "reason": reason, "until": until.isoformat()}


def bad_end(until: date, today: date, max_days: int) -> str | None:
    """Why a day can't be a waiver's last; None where it can."""
    if until < today:
        return f"expected today ({today}) or later, found {until}"
    if until > today + timedelta(days=max_days):
        last = today + timedelta(days=max_days)
        return (
            f"expected at most {max_days} days from today ({last}), found {until}; people's "
            "waiver_max_days says how many"
        )
    return None


def why_not(people: People, deed: Deed) -> str | None:
    name = str(deed.details["waiver"])
    known = people.waivers.get(name)
    if deed.what in {"waiver_asked", "waiver_given"}:
        if known is not None:
            return f"waiver {name} is there already"
        if deed.what == "waiver_given" and people.accounts:
            return (
                "a waiver is asked for by one and approved by another, now that there are accounts"
            )
        return None if deed.details["findings"] else "expected at least one finding"
    if known is None:
        return f"there is no waiver {name}; evenhand waivers lists them"
    if deed.what == "waiver_revoked":
        return None if known.state in {ASKED, APPROVED} else _done_already(known)
    if known.state != ASKED:
        return _done_already(known)
    if deed.what == "waiver_approved" and deed.who == known.asked_by:
        return f"waiver {name} was asked for by {deed.who}: somebody else has to approve it"
    return None


def why_not_revoke(people: People, deed: Deed, rights: frozenset[str]) -> str | None:
    """Who asked may take it back; else it takes an approver."""
    known = people.waivers.get(str(deed.details["waiver"]))
    if known is None or "approve" in rights or deed.who == known.asked_by:
        return None
    return f"waiver {known.id} can be revoked by an approver or by {known.asked_by}, who asked"


def _done_already(known: HouseWaiver) -> str:
    at = "" if known.decided_at is None else f" at {known.decided_at:%Y-%m-%d %H:%M} UTC"
    return f"waiver {known.id} was {known.state} by {known.decided_by}{at} already"


def change(people: People, entry: LogEntry) -> None:
    details = entry.details
    name = str(details["waiver"])
    if entry.what in {"waiver_asked", "waiver_given"}:
        given = entry.what == "waiver_given"
        people.waivers[name] = HouseWaiver(
            name,
            {str(f): str(content) for f, content in details["findings"].items()},
            str(details["reason"]),
            date.fromisoformat(details["until"]),
            entry.who,
            entry.at,
            APPROVED if given else ASKED,
            alone=given,
        )
        return
    known, state = people.waivers[name], DECISIONS[entry.what]
    people.waivers[name] = replace(
        known,
        state=state,
        decided_by=entry.who,
        decided_at=entry.at,
        said=str(details.get("reason", "")),
        approved_by=entry.who if state == APPROVED else known.approved_by,
    )


def take_over(people: People, old: Iterable[Waiver]) -> None:
    """Waivers of a home that kept them in waivers.jsonl: they held at once, on one's word."""
    for w in old:
        people.waivers[w.id] = HouseWaiver(
            w.id, {w.finding: w.content}, w.reason, w.until, w.by, w.at, APPROVED, alone=True
        )


def holding(people: People) -> list[Waiver]:
    """The waivers that count: approved and not revoked; their end is looked at by the day."""
    return [
        one
        for waiver in people.waivers.values()
        if waiver.state == APPROVED
        for one in waiver.plain()
    ]
