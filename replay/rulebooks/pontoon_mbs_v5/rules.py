"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping

from replay.rules import LOSE, RETURNED, SECOND_CARD, SURRENDERED, WHOLE_HAND, Rule, win
from replay.twentyone.case import Case
from replay.twentyone.cites import holds_ace, stays_on_first_hand, two_card_21_of_a_split
from replay.twentyone.common_rules import (
    against_dealer,
    doubled_21_paid_at_once,
    insurance,
    never_dealt,
)
from replay.twentyone.pay import rows_for_21, same_rank
from replay.twentyone.super_bonus import three_sevens
from replay.twentyone.table import points

PAY = "4.1"

MAIN: tuple[Rule, ...] = (
    never_dealt(("3.6",)),
    Rule(
        "did not follow a split",
        ("3.8",),
        "a standing player who did not follow is read as taking part in neither hand",
        lambda c: stays_on_first_hand(c) and c.other("non-follower-on-a-split"),
        RETURNED,
    ),
    Rule(
        "pontoon",
        ("3.7", PAY, "4.2.1"),
        "the hand is a Pontoon, paid at once",
        lambda c: c.view.natural and not (c.surrendered and c.other("insured-pontoon")),
        win(3, 2),
    ),
    Rule(
        "surrender, dealer pontoon",
        ("3.10.1",),
        "the hand was surrendered and the dealer has a Pontoon",
        lambda c: c.surrendered and c.dealer.natural,
        LOSE,
        SECOND_CARD,
    ),
    Rule(
        "surrender",
        ("3.10", "1.1.16"),
        "the hand was surrendered",
        lambda c: c.surrendered and c.second_known,
        SURRENDERED,
        SECOND_CARD,
    ),
    Rule("bust", ("4.3.2", "3.16"), "the hand is over 21", lambda c: c.view.bust, LOSE),
    Rule(
        "double withdrawn",
        ("3.11.4", "3.11.4.1"),
        "the player withdrew his double on less than 21",
        lambda c: c.withdrew and c.view.total < 21,
        LOSE,
    ),
    Rule(
        "doubled 21",
        ("4.2.1", "3.15", "4.1.1.4"),
        "a doubled hand has 21, paid at once",
        doubled_21_paid_at_once,
        win(1),
    ),
    *rows_for_21((PAY, "3.15", "4.2.1"), bonus_may_replace=False),
    Rule(
        "21",
        ("4.2.1", "3.15", PAY),
        "the hand has 21, paid at once",
        lambda c: c.view.total == 21 and not c.doubled,
        win(1),
    ),
    Rule(
        "doubled, dealer pontoon",
        ("4.4.1",),
        "a doubled hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.doubled,
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "dealer pontoon",
        ("4.3.3",),
        "the dealer has a Pontoon",
        lambda c: c.dealer.natural,
        LOSE,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("4.2.3",),
        higher=("4.2.2",),
        lower=("4.3.1",),
        same=("4.5.1", "1.1.13"),
        pays=(PAY,),
    ),
)

DOUBLE: tuple[Rule, ...] = (
    Rule(
        "double on a paid hand",
        ("3.15",),
        "the hand was paid before it was doubled",
        lambda c: len(c.view.faces) == 2 and c.view.total == 21,
        RETURNED,
    ),
    Rule("bust", ("4.3.2", "3.16"), "the hand is over 21", lambda c: c.view.bust, LOSE),
    Rule(
        "withdrawn",
        ("3.11.4", "3.11.4.1"),
        "the player withdrew his double on less than 21",
        lambda c: c.withdrew and c.view.total < 21,
        RETURNED,
    ),
    Rule(
        "21",
        ("4.2.1", "3.15", "4.1.1.4"),
        "the hand has 21, paid at once",
        doubled_21_paid_at_once,
        win(1),
    ),
    Rule(
        "split, dealer pontoon",
        ("4.3.3",),
        "a split hand that was doubled meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split and c.other("doubled-split-vs-dealer-pontoon"),
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "dealer pontoon",
        ("4.4.1",),
        "the dealer has a Pontoon: only the original wager is lost",
        lambda c: c.dealer.natural,
        RETURNED,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("4.2.3",),
        higher=("4.2.2",),
        lower=("4.3.1",),
        same=("4.5.1", "1.1.13"),
        pays=("4.1.1.4",),
    ),
)


def is_pair(c: Case) -> bool:
    """The same number or court card; two court cards of different kinds under one reading."""
    faces = c.first_two
    if len(faces) != 2:
        return False
    if same_rank(faces):
        return True
    return points(faces[0]) == points(faces[1]) == 10 and c.other("court-pair-mbs")


PAIR: tuple[Rule, ...] = (
    Rule("pair", ("3.5.1", PAY), "the first two cards are a pair", is_pair, win(11)),
    Rule(
        "no pair",
        ("3.5.1",),
        "the first two cards are no pair",
        lambda c: len(c.first_two) == 2,
        LOSE,
    ),
    never_dealt(("3.6",)),
)

CITES = (
    ("3.9.2", lambda c, rule, result: two_card_21_of_a_split(c)),
    ("3.17.2", lambda c, rule, result: c.doubled and holds_ace(c)),
    ("4.1.1.3", lambda c, rule, result: c.hand.split and three_sevens(c.view.faces)),
    ("4.1.1.4", lambda c, rule, result: c.doubled and result.outcome == "win"),
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": insurance(wins=("3.12", PAY), loses=("3.12",)),
    "player_pair": PAIR,
}
