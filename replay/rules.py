"""A rule: its clause, when it applies, what it settles; and asking them in order.

The first rule that applies settles the bet. None that applies is an error that names the bet
(NoRule), never a silent zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

Odds = tuple[int, int]
Case = TypeVar("Case")
"""What the rules of a game look at."""


class Result(NamedTuple):
    """What a rule gives: an outcome, and the odds where the bet wins."""

    outcome: str
    odds: Odds | None = None
    most: int | None = None  # no more than this is lost


LOSE = Result("lose")
STAND_OFF = Result("stand_off")
RETURNED = Result("returned")
SURRENDERED = Result("surrendered")


def win(num: int, den: int = 1) -> Result:
    """A win at exact odds."""
    return Result("win", (num, den))


class BetCase(Protocol):
    """What a rule looks at: a bet on a hand, in a round."""

    def facts(self) -> dict[str, Any]:
        """The facts that an explanation shows."""


class Rule(Generic[Case]):
    """One rule for one kind of bet. `what` says in words when it applies.

    `needs` says how much of the dealer's hand it looks at: nothing, his second card, or all.
    `on_21` says that it can apply to a hand of 21 alone: for any other hand nobody asks it.
    """

    __slots__ = ("clauses", "gives", "name", "needs", "on_21", "what", "when")

    def __init__(
        self,
        name: str,
        clauses: tuple[str, ...],
        what: str,
        when: Callable[[Case], bool],
        gives: Result | Callable[[Case], Result],
        needs: int = 0,
        on_21: bool = False,
    ) -> None:
        self.name = name
        self.clauses = clauses
        self.what = what
        self.when = when
        self.gives = gives
        self.needs = needs
        self.on_21 = on_21


NOTHING, SECOND_CARD, WHOLE_HAND = 0, 1, 2


class NoRule(Exception):  # noqa: N818 - it is a state of the round, found and reported, not a bug
    """No rule of the rulebook settles this bet."""


def not_yet(case: Any) -> Result:
    """The rule that will settle the bet waits for a card."""
    raise NoRule


def ask(rules: tuple[Rule[Case], ...], case: Case) -> tuple[Rule[Case], Result]:
    """The first rule that applies, and its result."""
    for rule in rules:
        applies = rule.when  # a local name: this runs a hundred million times a night
        if applies(case):
            gives = rule.gives
            return rule, gives if isinstance(gives, Result) else gives(case)
    raise NoRule


def without_21(
    rules: Mapping[str, Sequence[Rule[Case]]],
) -> dict[str, tuple[Rule[Case], ...]]:
    """By bet the rules that are left to ask where the hand is not 21, in the same order."""
    return {bet: tuple(rule for rule in some if not rule.on_21) for bet, some in rules.items()}


def explain(rules: Sequence[Rule[Any]], case: BetCase) -> list[dict[str, Any]]:
    """Every rule that was asked, in order, and whether it applied; the last one settled."""
    steps: list[dict[str, Any]] = []
    for rule in rules:
        applies = rule.when(case)
        steps.append(
            {
                "rule": rule.name,
                "clauses": list(rule.clauses),
                "applies": applies,
                "when": rule.what,
            }
        )
        if applies:
            steps[-1]["facts"] = case.facts()
            break
    return steps


def ceil_part(amount: int, num: int, den: int) -> int:
    """amount x num / den in cents, a fraction of a cent rounded up in the player's favour."""
    return -(-amount * num // den)
