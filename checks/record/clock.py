"""A wrong clock: events whose own time was none when they arrived. They count at their arrival
(contract, section 1), and the table has one finding for each unbroken run of them on a day.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from checks.record.file import integrity
from checks.record.links import events_between
from checks.rows import rows_with
from events.bounds import micros_of, moment_of
from events.model import Envelope
from replay.answer import Finding

CLOCK_COLUMNS = ("seen_at", "arrived_at", "wrong_clock")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def has_wrong_clock(events: pa.Table) -> bool:
    """Whether any event of a table-day counts at its arrival."""
    said: Any = events["wrong_clock"]
    return bool(pc.any(pc.fill_null(said, False)).as_py())


def wrong_clocks(events: pa.Table) -> Any:
    """Which events count at their arrival."""
    said: Any = events["wrong_clock"]
    wrong: Any = pc.fill_null(said, False)
    return wrong.to_numpy()


def own_times(events: pa.Table) -> Any:
    """The devices' own times in microseconds since 1970; null where the clock was wrong."""
    said: Any = events["wrong_clock"]
    wrong: Any = pc.fill_null(said, False)
    at = events["seen_at"].cast(pa.int64())
    return pc.if_else(wrong, pa.scalar(None, pa.int64()), at) if pc.any(wrong).as_py() else at


def implausible_times(table: str, events: pa.Table) -> list[Finding]:
    """A finding for each unbroken run; it stands with the first round of the run."""
    wrong = wrong_clocks(events)
    rows = np.flatnonzero(wrong)
    if not len(rows):
        return []
    found = events.select(["seq", "round", *CLOCK_COLUMNS]).take(pa.array(rows, pa.int64()))
    values = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    ends = np.flatnonzero(np.diff(rows) > 1) + 1  # others lie between, whose clock was right
    runs = zip([0, *ends.tolist()], [*ends.tolist(), len(rows)], strict=True)
    return [_finding(table, [_Timed._make(v) for v in values[a:b]]) for a, b in runs]


class _Timed(NamedTuple):
    seq: int
    round: str | None
    seen_at: datetime
    arrived_at: datetime
    wrong: bool


def in_window(
    table: str, events: Iterable[tuple[Envelope, int, int | None]], *, goes_on: bool
) -> list[Finding]:
    """The same of events in a window: each with its number and, with a wrong clock, its arrival.

    goes_on: the event before the window had one too, so that its first run was told before.
    """
    rows = [
        _Timed(seq, e.round, e.at or _EPOCH, moment_of(us or 0), us is not None)
        for e, seq, us in events
    ]
    begun = next((n for n, row in enumerate(rows) if not row.wrong), len(rows)) if goes_on else 0
    return _runs_told(table, rows[begun:])


def _runs_told(table: str, rows: Iterable[_Timed]) -> list[Finding]:
    runs = (list(run) for wrong, run in groupby(rows, key=lambda row: row.wrong) if wrong)
    return [_finding(table, run) for run in runs]


def _finding(table: str, run: list[_Timed]) -> Finding:
    first, last = run[0].seq, run[-1].seq
    round_ = next((row.round for row in run if row.round is not None), None)
    where = f"round {round_}" if round_ is not None else f"table {table}"
    many = f"{len(run)} event{'s' if len(run) > 1 else ''}"
    seen = _between([row.seen_at for row in run])
    arrived = _between([row.arrived_at for row in run])
    says = (
        f"{where}: a wrong clock: {many} ({events_between(first, last)}) seen at {seen} UTC "
        f"arrived at {arrived} UTC; they count at their arrival"
    )
    return integrity("implausible_time", table, round_, first, says, first)


def _between(times: list[datetime]) -> str:
    first, last = (f"{at:%Y-%m-%d %H:%M:%S}" for at in (min(times), max(times)))
    return first if first == last else f"{first} to {last}"


def openings_by_arrival(events: pa.Table) -> dict[str, int]:
    """By round when it opened, in microseconds since 1970, where that is its arrival."""
    if not has_wrong_clock(events):
        return {}
    names = ("round", "arrived_at", "wrong_clock")
    found = pa.array(rows_with(events["type"], "RoundOpened"), pa.int64())
    rows = events.select(list(names)).take(found)
    first: dict[str, tuple[Any, Any]] = {}
    for name, arrived, wrong in zip(*(rows[n].to_pylist() for n in names), strict=True):
        first.setdefault(name, (arrived, wrong))
    return {
        name: micros_of(arrived)
        for name, (arrived, wrong) in first.items()
        if wrong and arrived is not None and name is not None
    }
