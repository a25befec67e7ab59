"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from replay.rules import LOSE, RETURNED, WHOLE_HAND, Result, Rule, win
from replay.twentyone.case import TwentyOneCase, TwentyOneRule, withdrew_on
from replay.twentyone.cites import (
    dealer_overdrew,
    doubled,
    holds_ace,
    not_a_follower,
    stays_on_first_hand,
)
from replay.twentyone.common_rules import (
    against_dealer,
    bust,
    bust_after,
    insurance,
    never_dealt,
    side_bet,
)
from replay.twentyone.pay import rows_for_21, same_rank
from replay.twentyone.pontoon_rules import (
    double_meets_pontoon,
    double_on_a_paid_hand,
    doubled_21,
    doubled_meets_pontoon,
    plain_21,
    pontoon,
    split_21,
    split_meets_pontoon,
    surrender,
)
from replay.twentyone.super_bonus import three_sevens

PAY = "4.1.1"


def withdrawn(gives: Result) -> TwentyOneRule:
    """A double may be withdrawn on a total that is not bust; on 21 in one of two readings."""

    def when(c: TwentyOneCase) -> bool:
        if not c.withdrew or withdrew_on(c) > 21:
            return False
        return withdrew_on(c) != 21 or not c.other("withdraw-a-doubled-21")

    return Rule("double withdrawn", ("3.25.3",), "the player withdrew his double", when, gives)


compared = partial(
    against_dealer,
    bust=("3.27.1",),
    higher=("3.27.2",),
    lower=("3.27.3",),
    same=("3.27.4", "1.28"),
)

MAIN: tuple[TwentyOneRule, ...] = (
    never_dealt(("3.11",)),
    pontoon(("3.16", PAY)),
    *surrender(pontoon=("3.19.1",), half=("3.19.2", "3.18")),
    withdrawn(LOSE),
    *bust_after(split=("3.24.5", "3.21"), double=("3.25.4", "3.21")),
    bust(("3.21",)),
    doubled_21(("3.26", "3.25.5")),
    *rows_for_21((PAY, "3.26"), bonus_may_replace=True),
    split_21(("3.24.3", PAY)),
    plain_21(("3.26", PAY)),
    doubled_meets_pontoon(("3.25.4",)),
    split_meets_pontoon(("3.24.5",)),
    *compared(pays=(PAY,)),
)

DOUBLE: tuple[TwentyOneRule, ...] = (
    double_on_a_paid_hand(("3.25",)),
    withdrawn(RETURNED),
    bust(("3.25.4", "3.21")),
    doubled_21(("3.26", "3.25.5")),
    *double_meets_pontoon(split=("3.24.5",), otherwise=("3.25.4",)),
    *compared(pays=("3.25.5",)),
)

INSURANCE = insurance(wins=("3.17.2", PAY), loses=("3.17.2",))

PLAYER_PAIR = side_bet(
    "pair", "a pair", same_rank, wins=("3.14", PAY), loses=("3.14",), odds=11, deal="3.11"
)

BONUS_PAY = "4.1.3"
LOW_PAIRS = frozenset(rank + rank for rank in "23456789")
ACE_AND_NUMBER = frozenset("A" + rank for rank in "23456789")


def ranks(c: TwentyOneCase) -> str:
    """The ranks of the initial two cards, an ace first."""
    return _ranks(*c.first_two)


@cache
def _ranks(*faces: str) -> str:
    return "".join(sorted((face[0] for face in faces), key="A23456789TJQK".index))


def suited(c: TwentyOneCase) -> bool:
    first, second = c.first_two
    return first[1] == second[1]


BONUS: tuple[TwentyOneRule, ...] = (
    Rule(
        "suited aces",
        (BONUS_PAY, "3.15"),
        "two aces of one suit",
        lambda c: ranks(c) == "AA" and suited(c),
        win(40),
    ),
    Rule("aces", (BONUS_PAY, "3.15"), "two aces", lambda c: ranks(c) == "AA", win(11)),
    Rule(
        "high pair",
        (BONUS_PAY, "3.15"),
        "two kings, queens or jacks",
        lambda c: ranks(c) in {"KK", "QQ", "JJ"},
        win(8),
    ),
    Rule(
        "ace and picture",
        (BONUS_PAY, "3.15"),
        "an ace with a king, queen or jack",
        lambda c: ranks(c) in {"AK", "AQ", "AJ"},
        win(4),
    ),
    Rule(
        "low pair",
        (BONUS_PAY, "3.15"),
        "a pair of 2s to 9s",
        lambda c: ranks(c) in LOW_PAIRS,
        win(3),
    ),
    Rule(
        "ace and number",
        (BONUS_PAY, "3.15"),
        "an ace with a 2 to 9",
        lambda c: ranks(c) in ACE_AND_NUMBER,
        win(1),
    ),
    Rule(
        "no bonus hand",
        ("3.15",),
        "the initial two cards are not in the table",
        lambda c: len(c.first_two) == 2,
        LOSE,
    ),
    never_dealt(("3.11",)),
)

CITES = (
    ("3.24.1", lambda c, rule, result: stays_on_first_hand(c)),
    ("3.24.4", lambda c, rule, result: c.hand.split and three_sevens(c.view.faces)),
    (
        "3.24.5",
        lambda c, rule, result: c.hand.split and c.dealer.natural and rule.needs == WHOLE_HAND,
    ),
    ("3.25.1", lambda c, rule, result: doubled(c) and not_a_follower(c)),
    ("3.25.2", lambda c, rule, result: doubled(c) and holds_ace(c)),
    ("3.25.5", lambda c, rule, result: doubled(c) and result.outcome == "win"),
    ("5.10.2", lambda c, rule, result: rule.needs == WHOLE_HAND and dealer_overdrew(c)),
)

RULES: Mapping[str, tuple[TwentyOneRule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": INSURANCE,
    "player_pair": PLAYER_PAIR,
    "bonus": BONUS,
}
