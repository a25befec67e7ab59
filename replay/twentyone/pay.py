"""Rows of pay tables that look at cards: pairs, and the odds for a 21 in the Pontoon games."""

from __future__ import annotations

from collections.abc import Callable

from replay.rules import Result, Rule, win
from replay.twentyone import super_bonus
from replay.twentyone.case import TwentyOneCase, TwentyOneRule

_678 = frozenset("678")


def is_678(faces: tuple[str, ...]) -> bool:
    return len(faces) == 3 and {face[0] for face in faces} == _678


def is_777(faces: tuple[str, ...]) -> bool:
    return len(faces) == 3 and all(face[0] == "7" for face in faces)


def one_suit(faces: tuple[str, ...]) -> bool:
    return len({face[1] for face in faces}) == 1


def spades(faces: tuple[str, ...]) -> bool:
    return all(face[1] == "S" for face in faces)


def same_rank(faces: list[str]) -> bool:
    """A pair of the same number or picture."""
    return len(faces) == 2 and faces[0][0] == faces[1][0]


Test = Callable[[tuple[str, ...]], bool]

ROWS: tuple[tuple[str, Test, tuple[int, int]], ...] = (
    ("seven or more cards with 21", lambda f: len(f) >= 7, (3, 1)),
    ("6-7-8 all spades", lambda f: is_678(f) and spades(f), (3, 1)),
    ("7-7-7 all spades", lambda f: is_777(f) and spades(f), (3, 1)),
    ("six cards with 21", lambda f: len(f) == 6, (2, 1)),
    ("6-7-8 of one suit", lambda f: is_678(f) and one_suit(f), (2, 1)),
    ("7-7-7 of one suit", lambda f: is_777(f) and one_suit(f), (2, 1)),
    ("five cards with 21", lambda f: len(f) == 5, (3, 2)),
    ("6-7-8 mixed suits", is_678, (3, 2)),
    ("7-7-7 mixed suits", is_777, (3, 2)),
)
"""The rows for a 21 in the order in which they are asked; all three Pontoon texts agree on them."""


def _special(test: Test) -> Callable[[TwentyOneCase], bool]:
    """A row for a hand that is 21 and not doubled; split hands too, unless read otherwise."""

    def when(c: TwentyOneCase) -> bool:
        view = c.view
        return (
            view.total == 21
            and not c.doubled
            and test(view.faces)
            and not (c.hand.split and c.other("split-hand-odds"))
        )

    return when


def _pays(odds: tuple[int, int], *, instead: bool) -> Result | Callable[[TwentyOneCase], Result]:
    """The row's odds; under one reading of the RWS texts the super bonus stands in their place."""
    if not instead:
        return win(*odds)

    def gives(c: TwentyOneCase) -> Result:
        if super_bonus.due_to(c) and c.other("super-bonus-and-odds"):
            return Result("win", None)
        return win(*odds)

    return gives


def rows_for_21(clauses: tuple[str, ...], *, bonus_may_replace: bool) -> tuple[TwentyOneRule, ...]:
    """The special odds as rules, each with the rulebook's own clauses."""
    return tuple(
        Rule(
            name,
            clauses,
            f"the hand is {name}",
            _special(test),
            _pays(odds, instead=bonus_may_replace and name.startswith("7-7-7")),
            on_21=True,
        )
        for name, test, odds in ROWS
    )
