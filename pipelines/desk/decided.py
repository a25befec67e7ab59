"""What people decided by now, beside what the last night published: `cases_now` of a request."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from checks.tables import FINDINGS
from checks.waivers import apply_waivers
from events.settings import Settings
from pipelines.desk.books import Decided
from pipelines.people.act import DeedBook
from pipelines.people.cases import case_of
from pipelines.people.state import People
from pipelines.people.waivers import holding
from pipelines.report.asking import CASES, Asking


def decided_by(settings: Settings, book: DeedBook) -> Decided:
    """A row for each finding that has a case or a waiver, or had one when it was published.

    Made again only where somebody did something, a night published, or a day ended.
    """
    kept: list[tuple[Any, pa.Table]] = []

    def decided(asked: Asking, edition: str) -> pa.Table:
        people, today = book.people(), datetime.now(UTC).astimezone(settings.timezone).date()
        key = (id(people), people.last, edition, today)
        if not kept or kept[0][0] != key:
            kept[:] = [(key, pa.Table.from_pylist(_rows(asked, people, today), CASES))]
        return kept[0][1]

    return decided


def _rows(asked: Asking, people: People, today: Any) -> list[dict[str, Any]]:
    """A waiver counts for a finding as it is now, as the night counts it."""
    given = holding(people)
    names = ", ".join(FINDINGS.names)
    found = asked.rows(
        f"SELECT {names} FROM findings WHERE waiver IS NOT NULL OR list_contains(?, id)",
        [[w.finding for w in given]],
    )
    covering = apply_waivers(found, given, today)
    waived = {f["id"]: w for f, w in zip(found, covering, strict=True)}
    rows = []
    for name in sorted({*people.cases, *waived}):
        case, waiver = case_of(people, name), waived.get(name)
        rows.append(
            {
                "id": name,
                "state": case.state,
                "assignee": case.assignee,
                "due": case.due,
                "waiver": None if waiver is None else waiver.id,
            }
        )
    return rows
