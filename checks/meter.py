"""The progressive meter, across the tables that share it.

It grows with each accepted progressive bet, by the growth that the house configured, at the moment
at which the bets are closed; it starts again after a major win; of winners at several tables the
first whose hand was complete gets what was displayed (3 Card Poker 1.15, 4.9.1). After a
malfunction no progressive bet is taken until the meter is read again (5.17.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from checks.meter_model import Closed, Reading

COLUMNS = (
    "table_id seq round type seen_at box player bet amount jackpot kind stake_returned winnings"
).split()
_WHOLE = ("JackpotRead", "RoundOpened", "BetsClosed", "RoundClosed", "CardDealt")
_PROGRESSIVE = ("BetPlaced", "BetWithdrawn", "BetSettled", "SettlementCorrected")


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


EVENTS_SQL = f"""
SELECT {", ".join(COLUMNS)} FROM read_parquet(?, hive_partitioning = false)
WHERE table_id IN (
    SELECT DISTINCT table_id FROM read_parquet(?, hive_partitioning = false)
    WHERE type = 'JackpotRead' OR kind = 'jackpot_malfunction'
) AND (
    type IN ({_quoted(_WHOLE)}) OR kind = 'jackpot_malfunction'
    OR (type IN ({_quoted(_PROGRESSIVE)}) AND bet = 'progressive')
)
ORDER BY table_id, seq
"""
"""The same as jackpot_events(), asked of the archive's column files by DuckDB; the files twice."""


def jackpot_events(events: pa.Table) -> pa.Table:
    """What audit_across() needs of a table-day's events; empty for a table without a meter.

    A table-day comes down to some tenth of its rows, so that a day of all linked tables fits into
    memory at once.
    """
    kinds, bets, noted = (_words(events[name]) for name in ("type", "bet", "kind"))
    failed = noted == "jackpot_malfunction"
    if not np.any((kinds == "JackpotRead") | failed):
        return events.select(COLUMNS).slice(0, 0)
    wanted = np.isin(kinds, _WHOLE) | (np.isin(kinds, _PROGRESSIVE) & (bets == "progressive"))
    return events.select(COLUMNS).filter(pa.array(wanted | failed))


def _words(column: Any) -> Any:
    """A column of words as an array of text, nulls as empty text; each word is made once."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    words = np.array([*array.dictionary.to_pylist(), ""])
    codes = array.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    return words[codes]


@dataclass(slots=True)
class Played:
    """What one round did with the meter. Times are microseconds since 1970."""

    table: str
    id: str
    bets: int = 0  # accepted progressive bets
    first_bet_seq: int | None = None
    closed_us: int | None = None  # when the bets were closed
    ended_us: int = 0
    failed_us: int | None = None  # when a malfunction was noted
    readings: list[tuple[int, int, int]] = field(default_factory=list)  # time, cents, seq
    hands: dict[int, tuple[int, int]] = field(default_factory=dict)  # box -> cards, time of last
    paid: dict[int, tuple[int, int]] = field(default_factory=dict)  # box -> time, winnings


class Win(NamedTuple):
    """A hand that takes the whole meter."""

    table: str
    round: str
    box: int
    complete_us: int  # when its third card was dealt
    paid_us: int
    paid_cents: int | None
    read_us: int
    read_cents: int


def played_rounds(events: pa.Table) -> dict[str, list[Played]]:
    """Per jackpot the rounds of its tables, in the order in which they opened."""
    rounds: dict[str, Played] = {}
    name_of: dict[str, str] = {}
    for row in _rows(events):
        if row["round"] is None:
            continue
        played = rounds.get(row["round"])
        if played is None:
            played = rounds[row["round"]] = Played(row["table_id"], row["round"])
        _take(played, row)
        if row["type"] == "JackpotRead":
            name_of[row["table_id"]] = row["jackpot"] or ""
    out: dict[str, list[Played]] = {}
    for played in rounds.values():
        out.setdefault(name_of.get(played.table, ""), []).append(played)
    return out


def _rows(events: pa.Table) -> Iterator[dict[str, Any]]:
    plain = {
        name: (c.cast(pa.string()) if pa.types.is_dictionary(c.type) else c)
        for name, c in ((name, events[name]) for name in COLUMNS)
    }
    plain["seen_at"] = plain["seen_at"].cast(pa.int64())
    yield from pa.table(plain).to_pylist()


def _take(played: Played, row: Mapping[str, Any]) -> None:
    kind, at_us, box = row["type"], row["seen_at"], row["box"]
    played.ended_us = max(played.ended_us, at_us)
    if kind == "JackpotRead":
        played.readings.append((at_us, row["amount"], row["seq"]))
    elif kind == "BetsClosed" and played.closed_us is None:
        played.closed_us = at_us
    elif kind == "BetPlaced" and played.closed_us is None:
        played.bets += 1
        played.first_bet_seq = played.first_bet_seq or row["seq"]
    elif kind == "BetWithdrawn" and played.closed_us is None:
        played.bets -= 1
    elif kind == "CardDealt" and box:
        cards, _ = played.hands.get(box, (0, 0))
        if cards < 3:
            played.hands[box] = (cards + 1, at_us)
    elif kind in {"BetSettled", "SettlementCorrected"}:
        played.paid[box] = (at_us, row["winnings"])
    elif kind == "IrregularityNoted" and played.failed_us is None:
        played.failed_us = at_us


def wins_of(played: Played, boxes: Mapping[int, int]) -> list[Win]:
    """The major wins of a round; `boxes` are those whose line is one, with its winnings."""
    out = []
    for box, cents in boxes.items():
        reading = next((r for r in reversed(played.readings) if r[1] == cents), None)
        if reading is None:
            continue
        paid_us, paid_cents = played.paid.get(box, (played.ended_us, None))
        complete_us = played.hands.get(box, (0, played.ended_us))[1]
        at = (played.table, played.id, box, complete_us)
        out.append(Win(*at, paid_us, paid_cents, reading[0], cents))
    return out


def readings_of(rounds: Iterable[Played]) -> list[Reading]:
    """All readings of a meter, of whatever table."""
    return [
        Reading(at_us, played.table, cents, seq, played.id)
        for played in rounds
        for at_us, cents, seq in played.readings
    ]


def closed_of(rounds: Iterable[Played]) -> list[Closed]:
    """The accepted bets, at the moments at which they counted."""
    return [
        Closed(played.closed_us, played.table, played.bets)
        for played in rounds
        if played.closed_us is not None and played.bets > 0
    ]
