"""Rules on which the Pontoon texts agree, each with the clauses of the rulebook that asks it.

Their order, and what only one text says, stand in the rulebooks.
"""

from __future__ import annotations

from replay.rules import (
    LOSE,
    RETURNED,
    SECOND_CARD,
    SURRENDERED,
    WHOLE_HAND,
    Result,
    Rule,
    not_yet,
    win,
)
from replay.twentyone.case import TwentyOneCase, TwentyOneRule, paid_before_double, withdrew_on
from replay.twentyone.cites import stays_on_first_hand
from replay.twentyone.common_rules import Clauses


def pontoon(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "pontoon",
        clauses,
        "the hand is a Pontoon, paid at once",
        lambda c: c.view.natural and not c.surrendered,
        win(3, 2),
        on_21=True,
    )


def surrender(*, pontoon: Clauses, half: Clauses) -> tuple[TwentyOneRule, ...]:
    """Half is given up, unless the dealer makes a Pontoon."""
    return (
        Rule(
            "surrender, dealer pontoon",
            pontoon,
            "the hand was surrendered and the dealer has a Pontoon",
            lambda c: c.surrendered and c.dealer.natural,
            LOSE,
            SECOND_CARD,
        ),
        Rule(
            "surrender",
            half,
            "the hand was surrendered",
            lambda c: c.surrendered and c.second_known,
            SURRENDERED,
            SECOND_CARD,
        ),
        Rule(
            "surrender, second card to come",
            half,
            "the hand was surrendered, and the dealer's second card decides how much is lost",
            lambda c: c.surrendered,
            not_yet,
        ),
    )


def did_not_follow_a_split(clauses: Clauses) -> TwentyOneRule:
    """Where the text does not say what becomes of such a bet."""
    return Rule(
        "did not follow a split",
        clauses,
        "a standing player who did not follow is read as taking part in neither hand",
        lambda c: stays_on_first_hand(c) and c.other("non-follower-on-a-split"),
        RETURNED,
    )


def withdrawn_under_21(clauses: Clauses, gives: Result) -> TwentyOneRule:
    """Where the text lets a double be withdrawn on less than 21: what the bet does then."""
    return Rule(
        "double withdrawn",
        clauses,
        "the player withdrew his double on less than 21",
        lambda c: c.withdrew and withdrew_on(c) < 21,
        gives,
    )


def doubled_21(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "doubled 21",
        clauses,
        "a doubled hand has 21, paid at once",
        _doubled_21_paid_at_once,
        win(1),
        on_21=True,
    )


def _doubled_21_paid_at_once(c: TwentyOneCase) -> bool:
    """Whatever the dealer makes of his hand, unless a Pontoon or a 21 is read as counting."""
    if c.view.total != 21 or not c.doubled:
        return False
    dealer_counts = c.dealer.natural or c.dealer.total == 21
    return not (dealer_counts and c.other("doubled-21"))


def split_21(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "split 21",
        clauses,
        "a split hand has 21, paid at once",
        lambda c: c.view.total == 21 and c.hand.split and not c.doubled,
        win(1),
        on_21=True,
    )


def plain_21(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "21",
        clauses,
        "the hand has 21, paid at once",
        lambda c: c.view.total == 21 and not c.doubled,
        win(1),
        on_21=True,
    )


def doubled_meets_pontoon(clauses: Clauses) -> TwentyOneRule:
    """The bet that was doubled; its double is a bet of its own."""
    return Rule(
        "doubled, dealer pontoon",
        clauses,
        "a doubled hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.doubled,
        LOSE,
        WHOLE_HAND,
    )


def split_meets_pontoon(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "split, dealer pontoon",
        clauses,
        "a split hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split,
        LOSE,
        WHOLE_HAND,
    )


def meets_pontoon(clauses: Clauses) -> TwentyOneRule:
    return Rule(
        "dealer pontoon",
        clauses,
        "the dealer has a Pontoon",
        lambda c: c.dealer.natural,
        LOSE,
        WHOLE_HAND,
    )


def double_on_a_paid_hand(clauses: Clauses) -> TwentyOneRule:
    """A double bet on a hand that had 21 already."""
    return Rule(
        "double on a paid hand",
        clauses,
        "the hand was paid before it was doubled",
        lambda c: paid_before_double(c.table, c.hand),
        RETURNED,
    )


def double_meets_pontoon(*, split: Clauses, otherwise: Clauses) -> tuple[TwentyOneRule, ...]:
    """A double bet goes back from a dealer Pontoon; on a split hand that is one of two readings."""
    return (
        Rule(
            "split, dealer pontoon",
            split,
            "a split hand that was doubled meets a dealer Pontoon",
            lambda c: (
                c.dealer.natural and c.hand.split and c.other("doubled-split-vs-dealer-pontoon")
            ),
            LOSE,
            WHOLE_HAND,
        ),
        Rule(
            "dealer pontoon",
            otherwise,
            "the dealer has a Pontoon: only the bet that was doubled is lost",
            lambda c: c.dealer.natural,
            RETURNED,
            WHOLE_HAND,
        ),
    )
