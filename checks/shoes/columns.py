"""The shoes of a table-day in columns: a quick look, and the walk (checks/shoes/walk.py) where it
does not find everything in order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from checks.record.links import RecordProblem
from checks.shoes.walk import ShoeStep, deck_size, shoe_problems

_TYPES = ("ShoeStarted", "RoundOpened", "ShoeEnded", "CardDealt", "CardBurnt", "IrregularityNoted")
_STARTED, _OPENED, _ENDED, _DEALT, _BURNT, _NOTED = range(6)

SHOE_COLUMNS = (*ShoeStep._fields, "shuffled")
"""What of an event tells about a shoe."""


def check_shoes(events: pa.Table, before: pa.Table | None = None) -> list[RecordProblem]:
    """What does not add up in a table's shoes.

    events: the archive's columns, sorted by seq.
    before: the table's events since the start of a shoe that the day before has left in play
        (Around.shoes). What is wrong with those is that day's to tell.
    """
    if not len(events):
        return []
    whole = events if before is None else _joined(before, events)
    doubtful = _doubtful(whole)
    if not len(doubtful):
        return []
    seq = _plain(whole["seq"])
    gaps = seq[1:][np.diff(seq) > 1].tolist()
    rows = whole.select(ShoeStep._fields).take(pa.array(doubtful, pa.int64()))
    columns = [_values(rows[name]) for name in ShoeStep._fields]
    found = shoe_problems((ShoeStep(*row) for row in zip(*columns, strict=True)), gaps)
    return found if before is None else _of_the_day(found, events)


def _joined(before: pa.Table, events: pa.Table) -> pa.Table:
    """Both in order. A round that runs over the end of a day is whole on the day on which it
    opened, so the days' numbers may lie within each other."""
    today = events.select(SHOE_COLUMNS)
    known = np.isin(before["seq"].to_numpy(), events["seq"].to_numpy())
    whole = pa.concat_tables([before.filter(pa.array(~known)), today]).unify_dictionaries()
    if np.all(np.diff(whole["seq"].to_numpy()) > 0):
        return whole
    return whole.sort_by("seq")


def _of_the_day(found: list[RecordProblem], events: pa.Table) -> list[RecordProblem]:
    """The problems that an event of the day shows; a round of the day before is not named."""
    numbers, rounds = set(events["seq"].to_pylist()), set(events["round"].unique().to_pylist())
    return [
        p if p.link.round in rounds else p._replace(link=p.link._replace(round=None))
        for p in found
        if p.link.seq in numbers
    ]


def amid_shoes(events: pa.Table) -> list[str]:
    """The shoes of a table-day that were in play before it began: those whose first event of the
    day is not their start."""
    _, kinds, names = _telling(events)
    shoes = names.dictionary_encode()
    codes = pc.fill_null(shoes.indices, -1).to_numpy(zero_copy_only=False)
    named, first = np.unique(codes, return_index=True)
    amid = named[(kinds[first] != _STARTED) & (named >= 0)]
    return [str(shoes.dictionary[code].as_py()) for code in amid.tolist()]


def since_start(events: pa.Table, shoes: Collection[str]) -> tuple[pa.Table, frozenset[str]]:
    """A day's events since the first of the last starts of these shoes, and those of the shoes that
    were in play on that day and not started."""
    rows, kinds, names = _telling(events)
    started: dict[str, int] = {}
    named: set[str] = set()
    for row, kind, name in zip(rows.tolist(), kinds.tolist(), names.to_pylist(), strict=True):
        if name in shoes:
            named.add(name)
            if kind == _STARTED:
                started[name] = row
    not_started = frozenset(named - started.keys())
    first = 0 if not_started else min(started.values(), default=len(events))
    return events.slice(first), not_started


def _telling(events: pa.Table) -> tuple[Any, Any, Any]:
    """The rows that name a shoe, what they are, and the names."""
    kinds = _codes(events["type"], _TYPES)
    rows = np.flatnonzero((kinds >= 0) & (kinds <= _ENDED))
    return rows, kinds[rows], _one(events["shoe"].take(pa.array(rows, pa.int64())))


def adds_up(events: pa.Table) -> bool:
    """Whether all shoes are in order; decided on whole columns.

    It may say no where the walk finds nothing, never the other way round.
    """
    return not len(_doubtful(events))


def _doubtful(events: pa.Table) -> Any:
    """The rows that the walk has to look at: of the shoes that may not add up, or of all where the
    shoes can't be told apart by where their rows lie."""
    kinds = _codes(events["type"], _TYPES)
    told = np.flatnonzero(kinds >= 0)
    shown = kinds[told]
    life = _lives(events, told, shown)
    if life is None:
        return told
    counted = shown < _NOTED
    bad = _odd_lives(events, told[counted], shown[counted], life[counted])
    return told[bad[life]] if len(life) else told[:0]


def _lives(events: pa.Table, told: Any, kinds: Any) -> Any:
    """The life of a shoe that each telling row belongs to: the one that was told last. None where
    rows of one shoe or round lie on both sides of another shoe, for which there is the walk."""
    tells_shoe = kinds <= _ENDED
    shoes = _shoe_numbers(events, told[tells_shoe])
    if shoes is None:
        return None
    last = np.cumsum(tells_shoe) - 1
    if len(last) and last[0] < 0:
        return None  # cards before any shoe is named
    begins = np.ones(len(shoes), dtype=bool)
    begins[1:] = (shoes[1:] != shoes[:-1]) | (kinds[tells_shoe][1:] == _STARTED)
    lives = np.cumsum(begins) - 1
    if len(lives) and len(np.unique(shoes)) != lives[-1] + 1:
        return None  # a shoe that comes back after another
    if np.any(kinds[tells_shoe][begins] == _ENDED):
        return None  # it says nothing about what the cards after it came out of
    life = lives[last]
    return life if _rounds_keep_to(events, told, life) else None


def _rounds_keep_to(events: pa.Table, told: Any, life: Any) -> bool:
    """Whether all telling rows of a round belong to one life."""
    names = _one(events["round"].unify_dictionaries())
    if not pa.types.is_dictionary(names.type):
        names = names.dictionary_encode()
    rounds: Any = pc.fill_null(names.indices, -1).to_numpy(zero_copy_only=False)[told]
    known = rounds >= 0
    of_round = np.zeros(len(names.dictionary), dtype=np.int64)
    of_round[rounds[known]] = life[known]
    return bool(np.array_equal(of_round[rounds[known]], life[known]))


def _odd_lives(events: pa.Table, told: Any, kinds: Any, life: Any) -> Any:
    """By life whether anything about it is not as it should be."""
    count = int(life[-1]) + 1 if len(life) else 0
    odd = np.zeros(count, dtype=bool)
    is_card = kinds >= _DEALT
    rows, of_life = told[is_card], life[is_card]
    draw = _plain(events["draw"])[rows]
    same = of_life[1:] == of_life[:-1]
    odd[of_life[1:][same & (np.diff(draw) != 1)]] = True
    first = np.flatnonzero(np.r_[True, ~same]) if len(rows) else np.array([], dtype=np.int64)
    started = np.zeros(count, dtype=bool)
    started[life[kinds == _STARTED]] = True
    odd[of_life[first][started[of_life[first]] & (draw[first] != 1)]] = True
    decks = _decks(events, told, kinds, life, odd)
    odd |= _card_too_often(events, rows, of_life, decks)
    drawn = np.zeros(count, dtype=np.int64)
    known = started.copy()
    if len(rows):
        final = np.flatnonzero(np.r_[~same, True])
        drawn[of_life[final]] = draw[final]
        known[of_life[final]] = True
    ended = kinds == _ENDED
    left = _plain(events["cards_left"])[told[ended]]
    size = _sizes(events, told, kinds, life, count)
    ends = life[ended]
    fits = (size[ends] > 0) & (left == decks[ends] * size[ends] - drawn[ends])
    odd[ends[known[ends] & ~fits]] = True
    return odd


def _decks(events: pa.Table, told: Any, kinds: Any, life: Any, odd: Any) -> Any:
    """The decks of each life; it is odd where its events say different numbers."""
    say = (kinds == _STARTED) | (kinds == _OPENED)
    values, lives = _plain(events["decks"])[told[say]], life[say]
    decks = np.zeros(len(odd), dtype=np.int64)
    decks[lives] = values
    odd[lives[decks[lives] != values]] = True
    return decks


def _card_too_often(events: pa.Table, rows: Any, of_life: Any, decks: Any) -> Any:
    cards = _one(events["card"].unify_dictionaries())
    codes = pc.fill_null(cards.indices, -1).to_numpy(zero_copy_only=False)[rows].astype(np.int64)
    known = codes >= 0
    width = len(cards.dictionary)
    counts = np.bincount(of_life[known] * width + codes[known], minlength=len(decks) * width)
    return counts.reshape(len(decks), width).max(axis=1, initial=0) > decks


def _sizes(events: pa.Table, told: Any, kinds: Any, life: Any, count: int) -> Any:
    """How many cards a deck of each life has, by the rulebooks of its rounds; 0 where they do not
    say one number."""
    opened = kinds == _OPENED
    books = _one(events["rulebook"].unify_dictionaries())
    of_code = np.array([deck_size(b) or 0 for b in books.dictionary.to_pylist()] + [0])
    codes: Any = pc.fill_null(books.indices, -1).to_numpy(zero_copy_only=False)
    said, lives = of_code[codes[told[opened]]], life[opened]
    size = np.zeros(count, dtype=np.int64)
    size[lives] = said
    size[lives[size[lives] != said]] = 0
    return size


def _shoe_numbers(events: pa.Table, rows: Any) -> Any:
    """The shoes that some rows name, as numbers; None where one names none."""
    shoes = events["shoe"].take(pa.array(rows))
    if shoes.null_count:
        return None
    return _one(shoes).dictionary_encode().indices.to_numpy(zero_copy_only=False)


def _codes(column: Any, words: tuple[str, ...]) -> Any:
    """A column of words as their places in `words`, -1 for others."""
    array = _one(column.unify_dictionaries())
    places = {word: n for n, word in enumerate(words)}
    of_code = np.array([places.get(w, -1) for w in array.dictionary.to_pylist()], dtype=np.int64)
    return of_code[array.indices.to_numpy(zero_copy_only=False)]


def _plain(column: Any) -> Any:
    filled: Any = pc.fill_null(column, 0)
    return _one(filled).to_numpy(zero_copy_only=False)


def _one(column: Any) -> Any:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return array


def _values(column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values
