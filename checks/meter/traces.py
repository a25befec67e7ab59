"""What a table-day says about the progressive meter that it shares with other tables.

A casino-day of linked tables has millions of events. What the check across tables
(checks/meter/across.py) needs of them is a few short rows a round, and the process that audits the
table-day has everything at hand to make them: its columns, its folded rounds and derived lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from checks.compare import Recorded
from checks.rows import rows_with
from events.archive.columns import counts_at
from replay.answer import Answer, Key, Line
from replay.facts import NEVER, Round
from replay.registry import rulebook


def _rows_cents(round_: Round) -> frozenset[int]:
    """What the fixed rows of the progressive pay table pay; anything else is the meter."""
    book = rulebook(round_.rulebook or "")
    return frozenset() if book is None else book.jackpot_rows_cents


class What(IntEnum):
    """What a row tells, and what its `amount` is."""

    READ = 0  # the meter as displayed, in cents
    CLOSED = 1  # accepted progressive bets of a round, when its bets were closed: how many
    FAILED = 2  # a malfunction was noted
    MISSING = 3  # events before this one are missing, and bets may be among them: how many
    UNTIMED_READ = 4  # as READ, by a clock that was wrong: nobody knows what was in it
    UNTIMED_BETS = 5  # as CLOSED, by a clock that was wrong: not before this moment


_WORD = pa.dictionary(pa.int32(), pa.string())
_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("table_id", _WORD),
    ("jackpot", _WORD),  # null where the table's meter is not known
    ("what", pa.int8()),
    ("at_us", pa.int64()),  # microseconds since 1970
    ("seq", pa.int64()),  # CLOSED: of the first accepted bet
    ("round", pa.string()),
    ("amount", pa.int64()),
    ("boxes", pa.int64()),  # CLOSED: those with a bet, FAILED: the one that was noted; as bits
]
METER = pa.schema(_COLUMNS)
"""Two short rows a round, so that a casino-day of linked tables fits into little memory."""


class Won(NamedTuple):
    """A hand that takes the whole meter."""

    table_id: str
    jackpot: str
    round: str
    box: int
    seq: int  # of the event that paid it
    due_cents: int
    paid_us: int
    paid_cents: int | None
    complete_us: int  # when it had its third card
    read_us: int


_TEXT = ("table_id", "jackpot", "round")
WINS = pa.schema({name: pa.string() if name in _TEXT else pa.int64() for name in Won._fields})


class Major(NamedTuple):
    """A hand of a round that takes the meter. Places are numbers of the table's events."""

    round: str
    box: int
    cents: int
    paid_cents: int | None
    paid_seq: int
    complete_seq: int
    read_seq: int


def major_wins(round_: Round, answer: Answer, recorded: Mapping[Key, Recorded]) -> Iterator[Major]:
    """The hands of a round that take the meter, by the derived lines."""
    for line in answer.lines:
        if line.bet != "progressive" or not line.winnings:
            continue
        if line.winnings not in _rows_cents(round_):
            yield _major(round_, line, recorded.get(line.key))


def _major(round_: Round, line: Line, recorded: Recorded | None) -> Major:
    end = round_.events - 1
    cards = [card.at for card in round_.cards if card.dealt_box == line.box][:3]
    readings = [m.at for m in round_.meters if m.amount == line.winnings]
    places = (
        _paid_at(round_, line.key, end),
        cards[-1] if len(cards) == 3 else end,
        readings[-1] if readings else round_.meters[-1].at,
    )
    paid_cents = None if recorded is None else recorded.winnings
    seqs = (round_.seq(place) or 0 for place in places)
    return Major(round_.id, line.box, line.winnings, paid_cents, *seqs)


def _paid_at(round_: Round, key: Key, end: int) -> int:
    """When the meter was paid out; where something else was, when the bet was settled last."""
    settled = [s for s in round_.settled if s.key == key]
    meter = [s.at for s in settled if s.winnings > max(_rows_cents(round_), default=0)]
    return meter[0] if meter else settled[-1].at if settled else end


class TableMeter(NamedTuple):
    """What a table-day tells the check across tables: rows of METER, and the major wins."""

    rows: pa.Table
    wins: list[Won]


def table_meter(
    events: pa.Table, rounds: Sequence[Round], major: Sequence[Major]
) -> TableMeter | None:
    """What a table-day says about its meter; None for a table without one.

    events: the archive's columns, sorted by seq, each number once.
    rounds: the same events folded.
    major: major_wins() of all rounds.
    """
    read = rows_with(events["type"], "JackpotRead")
    failed = rows_with(events["kind"], "jackpot_malfunction")
    if not len(read) and not len(failed) and not len(rows_with(events["bet"], "progressive")):
        return None
    day = _TableDay(events, rounds, read)
    return TableMeter(day.rows(failed), [day.won(one) for one in major])


class _TableDay:
    def __init__(self, events: pa.Table, rounds: Sequence[Round], read: Any) -> None:
        self._events, self._rounds, self._read = events, rounds, read
        self._seq = _numbers(events["seq"])
        self._at = _steady(_numbers(counts_at(events).cast(pa.int64())))
        self._table = str(events["table_id"][0].as_py())
        said: Any = events["wrong_clock"]
        self._untimed = _numbers(pc.fill_null(said, False))
        names: Any = pc.fill_null(_taken(events["jackpot"], read).cast(pa.string()), "")
        self._names = names.dictionary_encode()

    def rows(self, failed: Any) -> pa.Table:
        events, read = self._events, self._read
        gaps = np.flatnonzero(np.diff(self._seq) > 1) + 1
        noted = _taken(events["box"], failed).to_pylist()
        parts = [
            self._part(
                np.where(self._untimed[read], What.UNTIMED_READ, What.READ), read, self._names,
                round=_taken(events["round"], read), amount=_taken(events["amount"], read),
            ),
            self._closed(),
            self._part(
                What.FAILED, failed, None, round=_taken(events["round"], failed),
                boxes=[0 if box is None else bit(box) for box in noted],
            ),
            self._part(
                What.MISSING, gaps, self._name_at(gaps),
                amount=self._seq[gaps] - self._seq[gaps - 1] - 1,
            ),
        ]  # fmt: skip
        return pa.concat_tables([part for part in parts if len(part)] or parts[:1])

    def _closed(self) -> pa.Table:
        """The bets on the spots when they were closed: those are accepted (1.15)."""
        found = list(filter(None, map(_accepted, self._rounds)))
        names, bets, boxes, first, close = zip(*found, strict=True) if found else ((),) * 5
        rows = self._row_of(close)
        what = np.where(self._untimed[rows], What.UNTIMED_BETS, What.CLOSED)
        return self._part(
            what, rows, self._name_at(rows), at_us=self._at_or_after(rows),
            seq=first, round=names, amount=bets, boxes=boxes,
        )  # fmt: skip

    def _at_or_after(self, rows: Any) -> Any:
        """When rows count; by a clock that was wrong, the last moment before it that is known."""
        if not self._untimed.any():
            return self._at[rows]
        known = np.where(self._untimed, -1, np.arange(len(self._at)))
        last = np.maximum.accumulate(known)[rows]
        return np.where(last < 0, 0, self._at[np.maximum(last, 0)])

    def won(self, one: Major) -> Won:
        paid, complete, read = self._row_of([one.paid_seq, one.complete_seq, one.read_seq]).tolist()
        jackpot = self._name_at([read])
        name = "" if jackpot is None else str(jackpot[0].as_py())
        at = (self._table, name, one.round, one.box, one.paid_seq, one.cents)
        times = [int(self._at[row]) for row in (paid, complete, read)]
        return Won(*at, times[0], one.paid_cents, *times[1:])

    def _part(self, what: Any, rows: Any, names: Any, **own: Any) -> pa.Table:
        """Rows of one kind, made of rows of the day; columns that are not named are null."""
        columns = {
            "table_id": pa.DictionaryArray.from_arrays(
                np.zeros(len(rows), dtype=np.int32), [self._table]
            ),
            "jackpot": names,
            "what": np.broadcast_to(np.asarray(what, dtype=np.int8), len(rows)),
            "at_us": self._at[rows],
            "seq": self._seq[rows],
            **own,
        }
        arrays = [
            pa.nulls(len(rows), f.type) if columns.get(f.name) is None
            else _array(columns[f.name], f.type)
            for f in METER
        ]  # fmt: skip
        return pa.Table.from_arrays(arrays, schema=METER)

    def _row_of(self, seqs: Any) -> Any:
        return np.searchsorted(self._seq, np.asarray(seqs, dtype=np.int64))

    def _name_at(self, rows: Any) -> Any:
        """The meter that the table shows: by the next reading, which is the round's own where it
        has one, else by the last."""
        if not len(self._read):
            return None
        following = np.searchsorted(self._read, rows).clip(max=len(self._read) - 1)
        return self._names.take(pa.array(following))


def bit(box: int) -> int:
    """A box as a bit of METER's `boxes`."""
    return 1 << min(box, 62)


def _accepted(round_: Round) -> tuple[str, int, int, int, int] | None:
    """A round's accepted progressive bets: id, how many, on which boxes, numbers of the first bet
    and of the close."""
    lie = [b for b in round_.bets.values() if b.bet == "progressive" and b.stake > b.taken]
    if not lie or round_.close == NEVER:
        return None
    boxes = 0
    for bet in lie:
        boxes |= bit(bet.box)
    first = round_.seq(min(bet.at for bet in lie)) or 0
    return round_.id, len(lie), boxes, first, round_.seq(_close(round_)) or 0


def _close(round_: Round) -> int:
    """The place of the close. Where the record has lost it, the first sign that it had been: the
    meter read after the chips lay there, or the first card."""
    close = round_.close
    if round_.cards and round_.cards[0].at == close:
        chips = max((b.last for b in round_.bets.values() if b.last < close), default=0)
        close = min([close, *(m.at for m in round_.meters if m.at > chips)])
    return close


def _taken(column: Any, rows: Any) -> Any:
    """Some rows of a column as one array."""
    chunks = column.take(pa.array(rows, pa.int64())).chunks
    return pa.concat_arrays(chunks or [pa.array([], column.type)])


def _array(values: Any, kind: Any) -> Any:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def _numbers(column: Any) -> Any:
    return column.combine_chunks().to_numpy(zero_copy_only=False)


def _steady(at: Any) -> Any:
    """Times in which one event whose clock was off stands between its neighbours."""
    if len(at) < 3:
        return at
    before, own, after = at[:-2], at[1:-1], at[2:]
    low, high = np.minimum(before, after), np.maximum(before, after)
    return np.r_[at[0], np.clip(own, low, high), at[-1]]
