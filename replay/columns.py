"""The fold over columns: a table-day as Arrow columns becomes rounds, without an event object.

Making a typed event costs more than folding it, so the nightly run hands the columns' values to
the same Fold that typed events go through (replay/fold.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from replay.facts import Round
from replay.fold import HANDED, Fold

Limits = dict[str, tuple[int, int]]
COMMON: dict[str, tuple[str, ...]] = {
    "CardDealt": HANDED["CardDealt"][1],
    "BetSettled": HANDED["BetSettled"][1],
    "BetPlaced": HANDED["BetPlaced"][1],
    "DecisionMade": ("box", "hand", "player", "decision"),  # and a new hand where it is a split
}
"""The four kinds that make up most of a day, and the fields that all of a kind have."""


def _one_chunk(column: Any) -> Any:
    """A chunked column as one array."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        return array.chunk(0) if array.num_chunks else pa.array([], array.type)
    return array


def _coded(column: Any) -> tuple[Any, Any]:
    """A text column as numbers and the words that they stand for, the last one for none."""
    array = _one_chunk(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    words = np.array([*array.dictionary.to_pylist(), None], dtype=object)
    codes: Any = pc.fill_null(array.indices, len(words) - 1)
    return codes.to_numpy(zero_copy_only=False), words


def _words(column: Any) -> list[Any]:
    """A text column as Python strings, each different one made once."""
    codes, words = _coded(column)
    found: list[Any] = words[codes].tolist()
    return found


def _plain(column: Any, missing: Any) -> Any:
    """A number or boolean column as an array; nulls become `missing`."""
    filled: Any = pc.fill_null(column, missing)
    return filled.to_numpy(zero_copy_only=False)


def _present(column: Any) -> dict[int, Any]:
    """A rarely used column: its values by row, only where there is one."""
    array = _one_chunk(column)
    rows = pc.indices_nonzero(array.is_valid())
    found = array.take(rows)
    kind = found.type
    if pa.types.is_dictionary(
        kind
    ):  # a value at a time, as to_pylist does it, costs ten times more
        values = _words(pa.chunked_array([found]))
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        values = found.to_numpy(zero_copy_only=False).tolist()
    else:
        values = found.to_pylist()
    return dict(zip(rows.to_numpy().tolist(), values, strict=True))


def _limits(column: Any) -> list[Limits]:
    """The limits of opening rows; tables repeat theirs, so that each is built once."""
    known: dict[tuple[Any, ...], Limits] = {}
    out: list[Limits] = []
    offsets = column.offsets.to_pylist()
    values = column.values
    bets, lows, highs = (values.field(i).to_pylist() for i in range(3))
    for a, b in pairwise(offsets):
        key = (*bets[a:b], *lows[a:b], *highs[a:b])
        limits = known.get(key)
        if limits is None:
            limits = known[key] = dict(
                zip(bets[a:b], zip(lows[a:b], highs[a:b], strict=True), strict=True)
            )
        out.append(limits)
    return out


_MISSING: dict[str, Any] = {
    "amount": 0,
    "seated": False,
    "draw": 0,
    "face_up": False,
    "stake": 0,
    "stake_returned": 0,
    "winnings": 0,
}
_NAMED = {"by": "noted_by", "at": "seen_at"}


class Columns:
    """The columns of a table-day. Of a field only the values of those kinds of events are made that
    have it: a value is a Python object, and an event has six of thirty."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        kinds, names = _coded(table.column("type"))
        self._kinds, self._known = kinds, {name: code for code, name in enumerate(names.tolist())}
        self._in_round = table.column("round").is_valid().to_numpy()
        self._full: dict[str, tuple[Any, Any]] = {}
        self._rare: dict[str, dict[int, Any]] = {}
        self.type: list[str] = names[kinds].tolist()
        self.round: list[str | None] = _words(table.column("round"))
        self.seq: list[int] = _plain(table.column("seq"), 0).tolist()

    def each(self, kind: str, fields: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """These fields of one kind of event, one event after the other, of those within rounds."""
        rows = np.flatnonzero((self._kinds == self._known.get(kind, -1)) & self._in_round)
        return zip(*[self._values(name, rows) for name in fields], strict=True)

    def rare(self, name: str) -> dict[int, Any]:
        """The values of a column that few events have, by row; read when first asked for."""
        values = self._rare.get(name)
        if values is None:
            values = self._rare[name] = _present(self.table.column(name))
        return values

    def _values(self, name: str, rows: Any) -> list[Any]:
        """One of the contract's fields in some rows, as the fold takes it."""
        full = self._full.get(name)
        if full is None:
            full = self._full[name] = _ready(name, self.table.column(_NAMED.get(name, name)))
        values, words = full
        if words is not None:
            values = words[values[rows]]
        elif isinstance(values, np.ndarray):
            values = values[rows]
        else:
            return _taken(name, values, rows)
        found: list[Any] = values.tolist()
        return found


def _ready(name: str, column: Any) -> tuple[Any, Any]:
    """A column as an array of numbers, of numbers and the words for them, or as it is."""
    if name in _MISSING:
        return _plain(column, _MISSING[name]), None
    if name == "at":
        return column.cast(pa.int64()).to_numpy(), None
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return _coded(column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column, None
    return _one_chunk(column), None


def _taken(name: str, column: Any, rows: Any) -> list[Any]:
    """Some rows of a column that may be null, or of lists."""
    found = column.take(pa.array(rows, pa.int64()))
    if name == "limits":
        return _limits(found)
    if name == "moves":
        return [tuple((m["draw"], m["box"], m["hand"]) for m in one) for one in found.to_pylist()]
    if found.null_count:
        values: list[Any] = found.to_pylist()
    else:
        values = found.to_numpy(zero_copy_only=False).tolist()
    return values


def rounds_of(table: pa.Table) -> list[Round]:
    """The rounds of one table's events in the order in which they opened.

    `table` has the archive's columns (events/archive/columns.py), sorted by seq. The four kinds
    that make up most of a day are handed over here, which halves the time of the fold. All others
    go through the driver below.
    """
    c = Columns(table)
    table_id = table.column("table_id")[0].as_py() if len(table) else None
    folds: dict[str, Fold] = {}
    shuffled: dict[str, bool] = {}
    order: list[Fold] = []
    rest = _Driver(c)
    kinds, seqs = c.type, c.seq
    cards, settled, bets, decisions = (c.each(kind, COMMON[kind]) for kind in COMMON)
    current: str | None = None
    fold = Fold("", None)
    numbers: list[int | None] = []
    for row, round_id in enumerate(c.round):
        kind = kinds[row]
        if round_id is None or kind == "ShoeStarted":
            if kind == "ShoeStarted":
                shuffled[c.rare("shoe")[row]] = c.rare("shuffled")[row]
            continue
        if round_id != current:
            current = round_id
            found = folds.get(round_id)
            if found is None:
                found = folds[round_id] = Fold(round_id, table_id)
                found.round.seqs = []
                order.append(found)
            fold = found
            numbers = fold.round.seqs or []
            fold.round.seqs = numbers
        at = len(numbers)
        numbers.append(seqs[row])
        if kind == "CardDealt":
            draw, box, hand, face, up = next(cards)
            fold.card_dealt(at, draw, box, hand, face, up)
        elif kind == "BetSettled":
            box, hand, player, bet, stake, back, winnings, phase = next(settled)
            fold.bet_settled(at, box, hand, player, bet, stake, back, winnings, phase)
        elif kind == "BetPlaced":
            box, hand, player, bet, amount, seated = next(bets)
            fold.bet_placed(at, box, hand, player, bet, amount, seated)
        elif kind == "DecisionMade":
            box, hand, player, made = next(decisions)
            new = c.rare("new_hand").get(row) if made == "split" else None
            fold.decision_made(at, box, hand, player, made, new)
        else:
            rest.feed(fold, at, kind)
            if kind == "RoundOpened" and not fold.round.reopened:
                fold.round.shuffled = shuffled.get(fold.round.shoe or "")
    rounds = [fold.round for fold in order]
    for round_ in rounds:
        round_.events = len(round_.seqs or ())
    opened = [round_ for round_ in rounds if round_.rulebook is not None]
    return [*opened, *(round_ for round_ in rounds if round_.rulebook is None)]


class _Driver:
    """Hands the less common events to the fold, by the same table as typed events (HANDED).

    The columns of a kind are looked up when its first event comes: most days have few kinds.
    """

    __slots__ = ("by_kind", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.by_kind: dict[str, tuple[Callable[..., None] | None, Iterator[Any] | None]] = {}

    def feed(self, fold: Fold, at: int, kind: str) -> None:
        method, values = self.by_kind.get(kind) or self._known(kind)
        if values is not None and method is not None:
            method(fold, at, *next(values))
        elif method is not None:
            method(fold, at)

    def _known(self, kind: str) -> tuple[Callable[..., None] | None, Iterator[Any] | None]:
        method, fields = HANDED.get(kind, (None, ()))
        values = self.columns.each(kind, fields) if fields else None
        self.by_kind[kind] = method, values
        return method, values
