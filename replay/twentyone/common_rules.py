"""Rules on which the texts agree word for word in meaning; the clauses are each rulebook's own."""

from __future__ import annotations

from collections.abc import Callable

from replay.rules import LOSE, RETURNED, SECOND_CARD, STAND_OFF, WHOLE_HAND, Rule, win
from replay.twentyone.case import TwentyOneRule

Clauses = tuple[str, ...]


def never_dealt(clauses: Clauses) -> TwentyOneRule:
    """A bet on a hand that got no card can neither win nor lose; one that was given up has."""
    return Rule(
        "no cards",
        clauses,
        "no card was dealt to the hand",
        lambda c: not c.view.faces and c.dealer.final and not c.surrendered,
        RETURNED,
    )


def bust(clauses: Clauses) -> TwentyOneRule:
    return Rule("bust", clauses, "the hand is over 21", lambda c: c.view.bust, LOSE)


def bust_after(*, split: Clauses, double: Clauses) -> tuple[TwentyOneRule, ...]:
    """Where the text has paragraphs of its own for such hands."""
    return (
        Rule(
            "bust after split",
            split,
            "a split hand is over 21",
            lambda c: c.view.bust and c.hand.split,
            LOSE,
        ),
        Rule(
            "bust after double",
            double,
            "a doubled hand is over 21",
            lambda c: c.view.bust and c.doubled,
            LOSE,
        ),
    )


def against_dealer(
    *, bust: Clauses, higher: Clauses, lower: Clauses, same: Clauses, pays: Clauses
) -> tuple[TwentyOneRule, ...]:
    """The comparison with the dealer's finished hand, at 1 to 1."""
    return (
        Rule(
            "dealer bust",
            (*bust, *pays),
            "the dealer is over 21",
            lambda c: c.dealer.bust,
            win(1),
            WHOLE_HAND,
        ),
        Rule(
            "higher",
            (*higher, *pays),
            "the hand is higher than the dealer's",
            lambda c: c.dealer.final and not c.dealer.bust and c.view.total > c.dealer.total,
            win(1),
            WHOLE_HAND,
        ),
        Rule(
            "lower",
            lower,
            "the hand is lower than the dealer's",
            lambda c: c.dealer.final and not c.dealer.bust and c.view.total < c.dealer.total,
            LOSE,
            WHOLE_HAND,
        ),
        Rule(
            "stand off",
            same,
            "both have the same total",
            lambda c: c.dealer.final and c.view.total == c.dealer.total,
            STAND_OFF,
            WHOLE_HAND,
        ),
    )


def insurance(*, wins: Clauses, loses: Clauses) -> tuple[TwentyOneRule, ...]:
    """Insurance is decided by the dealer's second card."""
    return (
        Rule(
            "dealer natural",
            wins,
            "the dealer's first two cards make 21",
            lambda c: c.dealer.natural,
            win(2),
            SECOND_CARD,
        ),
        Rule(
            "no dealer natural",
            loses,
            "the dealer's first two cards do not make 21",
            lambda c: c.second_known,
            LOSE,
            SECOND_CARD,
        ),
    )


def side_bet(
    name: str,
    what: str,
    test: Callable[[list[str]], bool],
    *,
    wins: Clauses,
    loses: Clauses,
    odds: int,
    deal: str,
) -> tuple[TwentyOneRule, ...]:
    """A bet on the initial two cards alone."""
    return (
        Rule(
            name,
            wins,
            f"the initial two cards are {what}",
            lambda c: len(c.first_two) == 2 and test(c.first_two),
            win(odds),
        ),
        Rule(
            f"no {name}",
            loses,
            f"the initial two cards are not {what}",
            lambda c: len(c.first_two) == 2,
            LOSE,
        ),
        never_dealt((deal,)),
    )
