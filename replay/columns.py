"""The fold over columns: a table-day as Arrow columns becomes rounds, without an event object.

Making a typed event costs more than folding it, so the nightly run hands the columns' values to
the same Fold that typed events go through (replay/fold.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from replay.facts import Round
from replay.fold import Fold

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
    values = array.take(rows).to_pylist()
    return dict(zip(rows.to_pylist(), values, strict=True))


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
        self.type = _words(table.column("type"))
        self.round = _words(table.column("round"))
        self.seq = _plain(table.column("seq"), 0)
        self.box = _plain(table.column("box"), -1)
        self.hand = _plain(table.column("hand"), -1)
        self.player = _words(table.column("player"))
        self.bet = _words(table.column("bet"))
        self.amount = _plain(table.column("amount"), 0)
        self.seated = _plain(table.column("seated"), False)
        self.draw = _plain(table.column("draw"), 0)
        self.card = _words(table.column("card"))
        self.face_up = _plain(table.column("face_up"), False)
        self.decision = _words(table.column("decision"))
        self.stake = _plain(table.column("stake"), 0)
        self.back = _plain(table.column("stake_returned"), 0)
        self.winnings = _plain(table.column("winnings"), 0)
        self.phase = _words(table.column("phase"))
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

    def rare(self, name: str, row: int) -> Any:
        """A value of a column that few events have."""
        values = self._rare.get(name)
        if values is None:
            values = self._rare[name] = _present(self.table.column(name))
        return values.get(row)


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
    rest = _Driver(c).feed
    kinds, boxes, hands, players, bets = c.type, c.box, c.hand, c.player, c.bet
    draws, faces, ups, seqs = c.draw, c.card, c.face_up, c.seq
    current: str | None = None
    fold = Fold("", None)
    numbers: list[int | None] = []
    for row, round_id in enumerate(c.round):
        kind = kinds[row]
        if round_id is None or kind == "ShoeStarted":
            if kind == "ShoeStarted":
                shuffled[c.rare("shoe", row)] = c.rare("shuffled", row)
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
                c.stake[row],
                c.back[row],
                c.winnings[row],
                c.phase[row],
            )
        elif kind == "BetPlaced":
            fold.bet_placed(
                at, boxes[row], hands[row], players[row], bets[row], c.amount[row], c.seated[row]
            )
        elif kind == "DecisionMade":
            made = c.decision[row]
            new = c.rare("new_hand", row) if made == "split" else None
            fold.decision_made(at, boxes[row], hands[row], players[row], made, new)
        else:
            rest(fold, at, row, kind)
            if at == 0 and fold.round.shoe is not None:
                fold.round.shuffled = shuffled.get(fold.round.shoe)
    rounds = [fold.round for fold in order]
    for round_ in rounds:
        round_.events = len(round_.seqs or ())
    opened = [round_ for round_ in rounds if round_.rulebook is not None]
    return [*opened, *(round_ for round_ in rounds if round_.rulebook is None)]


class _Driver:
    """Hands one of the less common rows to the fold."""

    __slots__ = ("c",)

    def __init__(self, columns: Columns) -> None:
        self.c = columns

    def feed(self, fold: Fold, at: int, row: int, kind: str) -> None:
        c = self.c
        if kind == "RoundOpened":
            self._opened(fold, at, row)
        elif kind == "RoundClosed":
            fold.round_closed()
        elif kind == "BetsClosed":
            fold.bets_closed(at)
        elif kind == "HandExamined":
            fold.hand_examined(at, c.box[row], c.player[row])
        elif kind == "HandRevealed":
            fold.hand_revealed(at, c.box[row], c.hand[row])
        elif kind == "CardBurnt":
            fold.card_burnt(at, c.draw[row], c.card[row])
        elif kind == "JackpotRead":
            fold.jackpot_read(at, c.amount[row], c.rare("jackpot", row))
        elif kind == "BetWithdrawn":
            fold.bet_withdrawn(
                at, c.box[row], c.hand[row], c.player[row], c.bet[row], c.amount[row]
            )
        else:
            self._rare(fold, at, row, kind)

    def _opened(self, fold: Fold, at: int, row: int) -> None:
        c = self.c
        fold.round_opened(
            at,
            c.rare("rulebook", row),
            c.rare("shoe", row),
            c.rare("decks", row),
            c.rare("boxes", row),
            c.limits[row],
            c.rare("jackpot_bet", row),
            c.rare("dealt_from", row),
            c.rare("dealer", row),
            c.opened_at[row],
        )

    def _rare(self, fold: Fold, at: int, row: int, kind: str) -> None:
        c = self.c
        if kind == "IrregularityNoted":
            fold.irregularity_noted(
                at,
                c.rare("kind", row),
                c.rare("box", row),
                c.rare("hand", row),
                c.player[row],
                c.rare("noted_by", row),
                c.rare("detail", row),
            )
        elif kind == "RulingMade":
            fold.ruling_made(
                at,
                c.rare("noted_by", row),
                c.rare("clause", row),
                c.rare("ruling", row),
                c.rare("box", row),
                c.rare("hand", row),
            )
        elif kind == "OptionTaken":
            fold.option_taken(at, c.box[row], c.player[row], c.rare("option", row))
        elif kind == "CardDiscarded":
            fold.card_discarded(at, c.draw[row], c.rare("reason", row))
        elif kind == "CardsMoved":
            moves = c.rare("moves", row)
            fold.cards_moved(at, tuple((m["draw"], m["box"], m["hand"]) for m in moves))
        elif kind == "ButtonPressed":
            fold.button_pressed(at, c.box[row], c.player[row], c.rare("multiplier", row))
        elif kind == "RoundVoided":
            fold.round_voided(
                at, c.rare("noted_by", row), c.rare("clause", row), c.rare("reason", row)
            )
        elif kind == "SettlementCorrected":
            fold.bet_settled(
                at,
                c.box[row],
                c.hand[row],
                c.player[row],
                c.bet[row],
                c.stake[row],
                c.back[row],
                c.winnings[row],
                c.phase[row],
                c.rare("reason", row),
            )
