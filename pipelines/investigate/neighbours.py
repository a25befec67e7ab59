"""What a table's other events of the day say about one round: its shoe, the record, what followed.

Reads the columns of one table-day, so that one round shown by itself has the findings that the
night gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from checks.audit import shoe_finding
from checks.links import Link, walk
from checks.record import record_finding
from checks.shoes_columns import check_shoes
from events.codec import body_of, hash_body
from events.model import Envelope, RoundOpened
from replay.answer import Finding
from replay.fold import micros

if TYPE_CHECKING:
    import pyarrow as pa

    from events.archive.evidence import StoredMessage
    from events.archive.finder import FoundRound

COLUMNS = tuple(
    "table_id seq round type seen_at prev hash shoe shuffled decks rulebook draw card cards_left "
    "kind".split()
)


class Around(NamedTuple):
    """What the neighbours say. `kept`: the round's events, one per number, in order."""

    kept: list[tuple[StoredMessage, Envelope]]
    shuffled: bool | None
    problems: tuple[Finding, ...]
    next_round: tuple[str, int] | None


def look_around(found: FoundRound, columns: pa.Table) -> Around:
    """Look at a round's neighbours. `columns`: its table-day with COLUMNS, by seq."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = [e.seq or 0 for e in found.events]
    first, last = min(numbers), max(numbers)
    seqs: Any = columns["seq"]
    near: Any = pc.and_(pc.greater_equal(seqs, first - 1), pc.less_equal(seqs, last + 1))  # type: ignore[call-overload]
    kept, problems = _record(found, columns.filter(near).to_pylist())
    problems += [
        shoe_finding(found.table, problem)
        for problem in check_shoes(columns)
        if problem.link.round == found.round
    ]
    beginnings = pa.array(["ShoeStarted", "RoundOpened"])
    rows = columns.filter(
        pc.is_in(columns["type"].cast(pa.string()), value_set=beginnings)
    ).to_pylist()
    start = shoe_start(rows, shoe_of(kept), first)
    return Around(
        kept,
        None if start is None else start["shuffled"],
        tuple(problems),
        _next_round(rows, found.round, first),
    )


def _record(
    found: FoundRound, near: list[dict[str, Any]]
) -> tuple[list[tuple[StoredMessage, Envelope]], list[Finding]]:
    """The round's own events in the order in which they came, among their neighbours."""
    pairs = list(zip(found.messages, found.events, strict=True))
    pairs.sort(key=lambda pair: (pair[0].source, pair[0].partition, pair[0].offset))
    arrived = [
        Link(e.seq or 0, micros(e.at), e.round, e.prev, hash_body(body_of(m.value)), place)
        for place, (m, e) in enumerate(pairs)
    ]
    others = [
        Link(row["seq"], micros(row["seen_at"]), row["round"], row["prev"], row["hash"])
        for row in near
        if row["round"] != found.round
    ]
    seen = walk(arrived, others=others)
    kept = [pairs[link.place] for link in seen.kept if link.place >= 0]
    places = {e.seq: n for n, (_, e) in enumerate(kept)}
    problems = [record_finding(found.table, p, places.get(p.link.seq)) for p in seen.problems]
    return kept, problems


def shoe_of(kept: list[tuple[StoredMessage, Envelope]]) -> str | None:
    """The shoe that a round's opening names."""
    opened = (e.event for _, e in kept if isinstance(e.event, RoundOpened))
    return next((event.shoe for event in opened), None)


def shoe_start(rows: list[dict[str, Any]], shoe: str | None, first: int) -> dict[str, Any] | None:
    """The last start of a shoe before an event."""
    starts = [
        r for r in rows if r["type"] == "ShoeStarted" and r["shoe"] == shoe and r["seq"] < first
    ]
    return max(starts, key=lambda r: r["seq"], default=None)


def _next_round(rows: list[dict[str, Any]], round_: str, first: int) -> tuple[str, int] | None:
    after = [
        (r["seq"], r["round"])
        for r in rows
        if r["type"] == "RoundOpened" and r["round"] != round_ and r["seq"] > first
    ]
    if not after:
        return None
    seq, name = min(after)
    return name, seq
