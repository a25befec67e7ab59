"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from replay.rules import LOSE, RETURNED, Rule, win
from replay.twentyone.case import TwentyOneCase, TwentyOneRule
from replay.twentyone.cites import doubled, holds_ace, two_card_21_of_a_split
from replay.twentyone.common_rules import against_dealer, bust, insurance, never_dealt
from replay.twentyone.pay import rows_for_21, same_rank
from replay.twentyone.pontoon_rules import (
    did_not_follow_a_split,
    double_meets_pontoon,
    double_on_a_paid_hand,
    doubled_21,
    doubled_meets_pontoon,
    meets_pontoon,
    plain_21,
    pontoon,
    surrender,
    withdrawn_under_21,
)
from replay.twentyone.super_bonus import three_sevens
from replay.twentyone.table import points

PAY = "4.1"

compared = partial(
    against_dealer,
    bust=("4.2.3",),
    higher=("4.2.2",),
    lower=("4.3.1",),
    same=("4.5.1", "1.1.13"),
)

MAIN: tuple[TwentyOneRule, ...] = (
    never_dealt(("3.6",)),
    did_not_follow_a_split(("3.8",)),
    pontoon(("3.7", PAY, "4.2.1")),
    *surrender(pontoon=("3.10.1",), half=("3.10", "1.1.16")),
    withdrawn_under_21(("3.11.4", "3.11.4.1"), LOSE),
    bust(("4.3.2", "3.16")),
    doubled_21(("4.2.1", "3.15", "4.1.1.4")),
    *rows_for_21((PAY, "3.15", "4.2.1"), bonus_may_replace=False),
    plain_21(("4.2.1", "3.15", PAY)),
    doubled_meets_pontoon(("4.4.1",)),
    meets_pontoon(("4.3.3",)),
    *compared(pays=(PAY,)),
)

DOUBLE: tuple[TwentyOneRule, ...] = (
    double_on_a_paid_hand(("3.15",)),
    withdrawn_under_21(("3.11.4", "3.11.4.1"), RETURNED),
    bust(("4.3.2", "3.16")),
    doubled_21(("4.2.1", "3.15", "4.1.1.4")),
    *double_meets_pontoon(split=("4.3.3",), otherwise=("4.4.1",)),
    *compared(pays=("4.1.1.4",)),
)


def is_pair(c: TwentyOneCase) -> bool:
    """The same number or court card; two court cards of different kinds under one reading."""
    faces = c.first_two
    if len(faces) != 2:
        return False
    if same_rank(faces):
        return True
    return points(faces[0]) == points(faces[1]) == 10 and c.other("court-pair-mbs")


PAIR: tuple[TwentyOneRule, ...] = (
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
    ("3.17.2", lambda c, rule, result: doubled(c) and holds_ace(c)),
    ("4.1.1.3", lambda c, rule, result: c.hand.split and three_sevens(c.view.faces)),
    ("4.1.1.4", lambda c, rule, result: doubled(c) and result.outcome == "win"),
)

RULES: Mapping[str, tuple[TwentyOneRule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": insurance(wins=("3.12", PAY), loses=("3.12",)),
    "player_pair": PAIR,
}
