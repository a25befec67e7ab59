"""Rounds of which a check of the day does not come out: each carries `unreconciled`, and everything
else is published.

The audit itself names such rounds (checks/unreconciled.py), so that whoever asks hears the same.
This is for what only the day's files show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from checks.quality.result import Failing
from checks.record.file import integrity
from checks.table_day import finding_row, to_table
from checks.tables import FINDINGS
from pipelines.night.context import Night
from pipelines.night.findings import in_order, of_their_rounds
from pipelines.night.quality import QualityCheck
from pipelines.night.waive import waive
from pipelines.warehouse.connect import connect_stage

Place = tuple[str, str]
"""A table and a round."""


def with_odd_rounds(night: Night, checks: Sequence[QualityCheck]) -> pa.Table | None:
    """The day's findings with those of the rounds that a check names; None where there are none."""
    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    odd = _odd(checks)
    for place in _told_already(found):
        odd.pop(place, None)
    if not odd:
        return None
    numbers = _first_numbers(night, odd)
    new = [
        integrity("unreconciled", table, name, numbers.get((table, name)), says, None)
        for (table, name), says in odd.items()
    ]
    rows = to_table([finding_row(night.day, f, None) for f in new], FINDINGS)
    marked, _ = waive(night, of_their_rounds(night, rows))
    return in_order(pa.concat_tables([found, marked]))


def _odd(checks: Iterable[QualityCheck]) -> dict[Place, str]:
    """What the checks say of each round that they name."""
    out: dict[Place, str] = {}
    for check in checks:
        for one in () if check.passed else check.rounds:
            place, says = _place(one), f"{check.name}: {one.key}"
            before = out.get(place, f"round {one.round}: the day's own checks do not come out")
            out[place] = f"{before}; {says}"
    return out


def _place(one: Failing) -> Place:
    return str(one.table_id), str(one.round)


def _told_already(found: pa.Table) -> set[Place]:
    columns = (found[name].to_pylist() for name in ("kind", "table_id", "round"))
    return {(str(t), str(r)) for kind, t, r in zip(*columns, strict=True) if kind == "unreconciled"}


def _first_numbers(night: Night, odd: Iterable[Place]) -> dict[Place, int]:
    names = [place[1] for place in odd]
    sql = "SELECT table_id, round, first_seq FROM rounds WHERE round IN (SELECT unnest(?))"
    with connect_stage(night.folder.stage) as db:
        return {(t, r): seq for t, r, seq in db.execute(sql, [names]).fetchall()}
