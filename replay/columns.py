"""The fold over columns: a table-day as Arrow columns becomes rounds, without an event object.

Making a typed event costs more than folding it, so the nightly run hands the columns' values to
the same Fold that typed events go through (replay/fold.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from replay.facts import Round
from replay.fold import HANDED, Fold

Limits = dict[str, tuple[int, int]]


def _one_chunk(column: Any) -> Any:
    """A chunked column as one array."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        return array.chunk(0) if array.num_chunks else pa.array([], array.type)
    return array


def _words(column: Any) -> list[Any]:
    """A text column as Python strings, each different one made once."""
    array = _one_chunk(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    words = np.array([*array.dictionary.to_pylist(), None], dtype=object)
    codes: Any = pc.fill_null(array.indices, len(words) - 1)
    found: list[Any] = words[codes.to_numpy(zero_copy_only=False)].tolist()
    return found


def _plain(column: Any, missing: Any) -> list[Any]:
    """A number or boolean column as Python values; nulls become `missing`."""
    filled: Any = pc.fill_null(column, missing)
    found: list[Any] = filled.to_numpy(zero_copy_only=False).tolist()
    return found


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


def _limits(table: pa.Table, rows: list[int]) -> dict[int, Limits]:
    """The limits of the opening rows; tables repeat theirs, so that each is built once."""
    known: dict[tuple[Any, ...], Limits] = {}
    out: dict[int, Limits] = {}
    column = _one_chunk(table.column("limits").take(pa.array(rows, pa.int64())))
    offsets = column.offsets.to_pylist()
    values = column.values
    bets, lows, highs = (values.field(i).to_pylist() for i in range(3))
    for position, row in enumerate(rows):
        a, b = offsets[position], offsets[position + 1]
        key = (*bets[a:b], *lows[a:b], *highs[a:b])
        limits = known.get(key)
        if limits is None:
            limits = known[key] = dict(
                zip(bets[a:b], zip(lows[a:b], highs[a:b], strict=True), strict=True)
            )
        out[row] = limits
    return out


class Columns:
    """The columns of a table-day as lists, those that every round needs read at once."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.type: list[str] = _words(table.column("type"))
        self.round: list[str | None] = _words(table.column("round"))
        self.seq: list[int] = _plain(table.column("seq"), 0)
        self.box: list[int] = _plain(table.column("box"), -1)
        self.hand: list[int] = _plain(table.column("hand"), -1)
        self.player: list[str] = _words(table.column("player"))  # None where an event has none
        self.bet: list[str] = _words(table.column("bet"))  # the same
        self.amount: list[int] = _plain(table.column("amount"), 0)
        self.seated: list[bool] = _plain(table.column("seated"), False)
        self.draw: list[int] = _plain(table.column("draw"), 0)
        self.card: list[str] = _words(table.column("card"))  # the same
        self.face_up: list[bool] = _plain(table.column("face_up"), False)
        self.decision: list[str] = _words(table.column("decision"))  # the same
        self.stake: list[int] = _plain(table.column("stake"), 0)
        self.back: list[int] = _plain(table.column("stake_returned"), 0)
        self.winnings: list[int] = _plain(table.column("winnings"), 0)
        self.phase: list[str] = _words(table.column("phase"))  # the same
        openings = [row for row, kind in enumerate(self.type) if kind == "RoundOpened"]
        self.limits = _limits(table, openings)
        self._rare: dict[str, dict[int, Any]] = {}
        self.opened_at = dict(
            zip(
                openings,
                table.column("seen_at")
                .take(pa.array(openings, pa.int64()))
                .cast(pa.int64())
                .to_pylist(),
                strict=True,
            )
        )

    def rare(self, name: str) -> dict[int, Any]:
        """The values of a column that few events have, by row; read when first asked for."""
        values = self._rare.get(name)
        if values is None:
            values = self._rare[name] = _present(self.table.column(name))
        return values


def rounds_of(table: pa.Table) -> list[Round]:
    """The rounds of one table's events in the order in which they opened.

    `table` has the archive's columns (events/archive/columns.py), sorted by seq. The four events
    that make up most of a day are handed over here, with the columns as local names: that halves
    the time of the fold. All others go through the driver below.
    """
    c = Columns(table)
    table_id = table.column("table_id")[0].as_py() if len(table) else None
    folds: dict[str, Fold] = {}
    shuffled: dict[str, bool] = {}
    order: list[Fold] = []
    rest = _Driver(c)
    kinds, boxes, hands, players, bets = c.type, c.box, c.hand, c.player, c.bet
    draws, faces, ups, seqs = c.draw, c.card, c.face_up, c.seq
    stakes, backs, winnings, phases = c.stake, c.back, c.winnings, c.phase
    amounts, seated, decisions = c.amount, c.seated, c.decision
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
            fold.card_dealt(at, draws[row], boxes[row], hands[row], faces[row], ups[row])
        elif kind == "BetSettled":
            fold.bet_settled(
                at,
                boxes[row],
                hands[row],
                players[row],
                bets[row],
                stakes[row],
                backs[row],
                winnings[row],
                phases[row],
            )
        elif kind == "BetPlaced":
            fold.bet_placed(
                at, boxes[row], hands[row], players[row], bets[row], amounts[row], seated[row]
            )
        elif kind == "DecisionMade":
            made = decisions[row]
            new = c.rare("new_hand").get(row) if made == "split" else None
            fold.decision_made(at, boxes[row], hands[row], players[row], made, new)
        else:
            rest.feed(fold, at, row, kind)
            if kind == "RoundOpened" and not fold.round.reopened:
                fold.round.shuffled = shuffled.get(fold.round.shoe or "")
    rounds = [fold.round for fold in order]
    for round_ in rounds:
        round_.events = len(round_.seqs or ())
    opened = [round_ for round_ in rounds if round_.rulebook is not None]
    return [*opened, *(round_ for round_ in rounds if round_.rulebook is None)]


class _Driver:
    """Hands the less common rows to the fold, by the same table as typed events (HANDED).

    The columns of a kind are looked up when its first event comes: most days have few kinds.
    """

    __slots__ = ("by_kind", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.by_kind: dict[str, tuple[Callable[..., None], list[Callable[[int], Any]]] | None] = {}

    def feed(self, fold: Fold, at: int, row: int, kind: str) -> None:
        handed = self.by_kind.get(kind) or self._known(kind)
        if handed is not None:
            method, getters = handed
            if getters:
                method(fold, at, *[get(row) for get in getters])
            else:
                method(fold, at)

    def _known(self, kind: str) -> tuple[Callable[..., None], list[Callable[[int], Any]]] | None:
        if kind not in self.by_kind:
            method, fields = HANDED.get(kind, (None, ()))
            getters = [_getter(self.columns, name) for name in fields]
            self.by_kind[kind] = None if method is None else (method, getters)
        return self.by_kind[kind]


def _getter(c: Columns, name: str) -> Callable[[int], Any]:
    """How one of the contract's fields is found by row; a null place is None again."""
    places = {"box": c.box, "hand": c.hand}
    full: dict[str, list[Any]] = {
        "player": c.player,
        "bet": c.bet,
        "amount": c.amount,
        "seated": c.seated,
        "draw": c.draw,
        "card": c.card,
        "face_up": c.face_up,
        "decision": c.decision,
        "stake": c.stake,
        "stake_returned": c.back,
        "winnings": c.winnings,
        "phase": c.phase,
    }
    if name in places:
        place = places[name]
        return lambda row: None if place[row] < 0 else place[row]
    if name in full:
        return full[name].__getitem__
    if name == "limits":
        return c.limits.__getitem__
    if name == "at":
        return c.opened_at.__getitem__
    if name == "moves":
        moves = c.rare("moves")
        return lambda row: tuple((m["draw"], m["box"], m["hand"]) for m in moves[row])
    return c.rare("noted_by" if name == "by" else name).get
