"""Cases: what is being done about a finding, as the log leaves it.

new -> assigned -> in review -> confirmed or explained -> closed. A finding that nobody has touched
is new. Whoever works on it may skip steps forward, but closes only what was confirmed or explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from events.contract import words
from pipelines.people.entry import Deed, LogEntry

if TYPE_CHECKING:
    from pipelines.people.state import People

NEW, ASSIGNED, IN_REVIEW, CONFIRMED, EXPLAINED, CLOSED = (
    "new", "assigned", "in review", "confirmed", "explained", "closed"
)  # fmt: skip
STATES = (NEW, ASSIGNED, IN_REVIEW, CONFIRMED, EXPLAINED, CLOSED)
DONE = ("recovered", "compensated", "retrained")
"""What can have been done about a confirmed finding; several go together."""

_OPEN = (NEW, ASSIGNED, IN_REVIEW)
FROM: dict[str, tuple[str, ...]] = {
    "case_assigned": (*_OPEN, CONFIRMED, EXPLAINED),
    "case_due": (*_OPEN, CONFIRMED, EXPLAINED),
    "case_in_review": (NEW, ASSIGNED),
    "case_confirmed": (*_OPEN, EXPLAINED),
    "case_explained": (*_OPEN, CONFIRMED),
    "case_closed": (CONFIRMED, EXPLAINED),
    "case_reopened": (CLOSED,),
    "comment": STATES,
}
"""In which states a deed can be done."""


@dataclass(frozen=True, slots=True)
class FindingCase:
    """The case of one finding. `last` is the number of the entry that touched it last."""

    finding: str
    state: str = NEW
    assignee: str | None = None
    due: date | None = None
    done: tuple[str, ...] = ()
    said: str = ""
    comments: int = 0
    opened_at: datetime | None = None
    changed_at: datetime | None = field(default=None)
    last: int = 0


def case_of(people: People, finding: str) -> FindingCase:
    return people.cases.get(finding) or FindingCase(finding)


def why_not(people: People, deed: Deed) -> str | None:
    """Why it can't be done to one of its findings; then it is done to none."""
    if not deed.subjects:
        return "expected at least one finding"
    wrong = _wrong_details(people, deed)
    if wrong is not None:
        return wrong
    for finding in deed.subjects:
        state = case_of(people, finding).state
        if state not in FROM[deed.what]:
            verb = deed.what.removeprefix("case_").replace("_", " ")
            return (
                f"finding {finding}: its case is {state}; {verb} goes only from "
                f"{words(FROM[deed.what])}"
            )
    return None


def _wrong_details(people: People, deed: Deed) -> str | None:
    details = deed.details
    if deed.what in {"comment", "case_explained"} and not details["text"]:
        return f"expected a text with {deed.what.removeprefix('case_')}, found none"
    if deed.what == "case_confirmed":
        odd = [done for done in details["done"] if done not in DONE]
        if odd or not details["done"]:
            found = words(odd) if odd else "nothing"
            return f"confirmed: expected what was done ({words(DONE)}), found {found}"
    if deed.what == "case_assigned" and people.accounts:
        account = people.accounts.get(details["assignee"])
        if account is None or "work" not in account.rights:
            return f"assignee {details['assignee']}: expected an account that works on cases"
    return None


def change(people: People, entry: LogEntry) -> None:
    for finding in entry.deed.subjects:
        before = case_of(people, finding)
        people.cases[finding] = replace(
            before,
            **_changed(before, entry),
            opened_at=before.opened_at or entry.at,
            changed_at=entry.at,
            last=entry.number,
        )


def _changed(before: FindingCase, entry: LogEntry) -> dict[str, Any]:
    details = entry.details
    if entry.what == "comment":
        return {"comments": before.comments + 1}
    if entry.what == "case_due":
        return {"due": None if details["due"] is None else date.fromisoformat(details["due"])}
    if entry.what == "case_assigned":
        state = ASSIGNED if before.state == NEW else before.state
        return {"assignee": str(details["assignee"]), "state": state}
    if entry.what == "case_confirmed":
        done = tuple(map(str, details["done"]))
        return {"state": CONFIRMED, "done": done, "said": str(details["text"])}
    if entry.what == "case_explained":
        return {"state": EXPLAINED, "done": (), "said": str(details["text"])}
    if entry.what == "case_reopened":
        return {"state": ASSIGNED if before.assignee else NEW}
    return {"state": IN_REVIEW if entry.what == "case_in_review" else CLOSED}


def stale(people: People, findings: Sequence[str], seen: int) -> str | None:
    """Where somebody else touched a case after entry `seen`: a sentence that says who and what."""
    for finding in findings:
        if case_of(people, finding).last > seen:
            entry = people.about[finding][-1]
            what = entry.what.replace("_", " ")
            return (
                f"finding {finding}: {entry.who} was quicker ({what} at "
                f"{entry.at:%Y-%m-%d %H:%M} UTC); look at it again before you decide"
            )
    return None
