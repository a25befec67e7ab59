"""Which findings named people accepted."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime

import pyarrow as pa

from checks.waivers import apply_waivers
from pipelines.night.context import Night
from pipelines.people.act import DeedBook
from pipelines.people.log import PeopleLogError
from pipelines.people.waivers import holding
from pipelines.warehouse.words import DAY_FINDINGS, WAIVERS


def waive(night: Night, found: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The findings with the waiver that covers each, and the waivers that cover any.

    Only approved ones count, and of a log that was changed only what stands before the change.
    """
    book = DeedBook(night.settings.home)
    with suppress(PeopleLogError):  # a log that nothing can be added to has its words for that
        book.take_over()
    given = holding(book.people())
    today = datetime.now(UTC).astimezone(night.settings.timezone).date()
    covering = apply_waivers(found.to_pylist() if given else [{}] * len(found), given, today)
    ids = pa.array([w.id if w is not None else None for w in covering], pa.string())
    counted = Counter(w.id for w in covering if w is not None)
    waivers = {w.id: w for w in covering if w is not None}
    scopes: dict[str, list[str]] = {}
    for w in dict.fromkeys(w for w in covering if w is not None):
        scopes.setdefault(w.id, []).append(w.finding)
    rows = [
        {
            "day": night.day,
            "id": name,
            "who": waivers[name].by,
            "approved_by": waivers[name].approved_by,
            "reason": waivers[name].reason,
            "scope": f"finding {', '.join(scopes[name])}",
            "expires": waivers[name].until,
            "findings": findings,
        }
        for name, findings in sorted(counted.items())
    ]
    marked = found.append_column(DAY_FINDINGS.field("waiver"), ids)
    return marked, pa.Table.from_pylist(rows, schema=WAIVERS)
