"""What people decided, for the pages that read: a row per finding that somebody touched."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa

from events.settings import Settings
from pipelines.people.cases import NEW
from pipelines.people.state import People
from pipelines.people.waivers import APPROVED
from pipelines.report.asking import CASES


def decided(people: People, settings: Settings) -> pa.Table:
    """Cases as they stand, and waivers that hold today."""
    today = datetime.now(UTC).astimezone(settings.timezone).date()
    waived = {
        finding: waiver.id
        for waiver in people.waivers.values()
        if waiver.state_on(today) == APPROVED
        for finding in waiver.findings
    }
    rows = []
    for finding in {*people.cases, *waived}:
        case = people.cases.get(finding)
        rows.append(
            {
                "id": finding,
                "state": NEW if case is None else case.state,
                "assignee": None if case is None else case.assignee,
                "due": None if case is None else case.due,
                "waiver": waived.get(finding),
            }
        )
    return pa.Table.from_pylist(rows, CASES)
