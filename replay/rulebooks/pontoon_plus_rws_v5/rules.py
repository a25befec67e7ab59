"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping

from replay.rules import LOSE, RETURNED, SECOND_CARD, SURRENDERED, WHOLE_HAND, Rule, win
from replay.twentyone.case import Case
from replay.twentyone.cites import (
    dealer_overdrew,
    holds_ace,
    not_a_follower,
    stays_on_first_hand,
)
from replay.twentyone.common_rules import (
    against_dealer,
    doubled_21_paid_at_once,
    insurance,
    never_dealt,
    side_bet,
)
from replay.twentyone.pay import rows_for_21, same_rank
from replay.twentyone.super_bonus import three_sevens

PAY = "4.1.1"

MAIN: tuple[Rule, ...] = (
    never_dealt(("3.11",)),
    Rule(
        "pontoon",
        ("3.16", PAY),
        "the hand is a Pontoon, paid at once",
        lambda c: c.view.natural and not (c.surrendered and c.other("insured-pontoon")),
        win(3, 2),
    ),
    Rule(
        "surrender, dealer pontoon",
        ("3.19.1",),
        "the hand was surrendered and the dealer has a Pontoon",
        lambda c: c.surrendered and c.dealer.natural,
        LOSE,
        SECOND_CARD,
    ),
    Rule(
        "surrender",
        ("3.19.2", "3.18"),
        "the hand was surrendered",
        lambda c: c.surrendered and c.second_known,
        SURRENDERED,
        SECOND_CARD,
    ),
    Rule(
        "bust after split",
        ("3.24.5", "3.21"),
        "a split hand is over 21",
        lambda c: c.view.bust and c.hand.split,
        LOSE,
    ),
    Rule(
        "bust after double",
        ("3.25.4", "3.21"),
        "a doubled hand is over 21",
        lambda c: c.view.bust and c.doubled,
        LOSE,
    ),
    Rule("bust", ("3.21",), "the hand is over 21", lambda c: c.view.bust, LOSE),
    Rule(
        "double withdrawn",
        ("3.25.3",),
        "the player withdrew his double",
        lambda c: c.withdrew,
        LOSE,
    ),
    Rule(
        "doubled 21",
        ("3.26", "3.25.5"),
        "a doubled hand has 21, paid at once",
        doubled_21_paid_at_once,
        win(1),
    ),
    *rows_for_21((PAY, "3.26"), bonus_may_replace=True),
    Rule(
        "split 21",
        ("3.24.3", PAY),
        "a split hand has 21, paid at once",
        lambda c: c.view.total == 21 and c.hand.split and not c.doubled,
        win(1),
    ),
    Rule(
        "21",
        ("3.26", PAY),
        "the hand has 21, paid at once",
        lambda c: c.view.total == 21 and not c.doubled,
        win(1),
    ),
    Rule(
        "doubled, dealer pontoon",
        ("3.25.4",),
        "a doubled hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.doubled,
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "split, dealer pontoon",
        ("3.24.5",),
        "a split hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split,
        LOSE,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("3.27.1",),
        higher=("3.27.2",),
        lower=("3.27.3",),
        same=("3.27.4", "1.28"),
        pays=(PAY,),
    ),
)

DOUBLE: tuple[Rule, ...] = (
    Rule(
        "double on a paid hand",
        ("3.25",),
        "the hand was paid before it was doubled",
        lambda c: len(c.view.faces) == 2 and c.view.total == 21,
        RETURNED,
    ),
    Rule(
        "bust",
        ("3.25.4", "3.21"),
        "the hand is over 21",
        lambda c: c.view.bust,
        LOSE,
    ),
    Rule(
        "withdrawn",
        ("3.25.3",),
        "the player withdrew his double",
        lambda c: c.withdrew,
        RETURNED,
    ),
    Rule(
        "21",
        ("3.26", "3.25.5"),
        "the hand has 21, paid at once",
        doubled_21_paid_at_once,
        win(1),
    ),
    Rule(
        "split, dealer pontoon",
        ("3.24.5",),
        "a split hand that was doubled meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split and c.other("doubled-split-vs-dealer-pontoon"),
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "dealer pontoon",
        ("3.25.4",),
        "the dealer has a Pontoon: only the initial bet is lost",
        lambda c: c.dealer.natural,
        RETURNED,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("3.27.1",),
        higher=("3.27.2",),
        lower=("3.27.3",),
        same=("3.27.4", "1.28"),
        pays=("3.25.5",),
    ),
)

INSURANCE = insurance(wins=("3.17.2", PAY), loses=("3.17.2",))

PLAYER_PAIR = side_bet(
    "pair", "a pair", same_rank, wins=("3.14", PAY), loses=("3.14",), odds=11, deal="3.11"
)

BONUS_PAY = "4.1.3"


def ranks(c: Case) -> str:
    """The ranks of the initial two cards, an ace first."""
    return "".join(sorted((face[0] for face in c.first_two), key="A23456789TJQK".index))


def suited(c: Case) -> bool:
    faces = c.first_two
    return len(faces) == 2 and faces[0][1] == faces[1][1]


BONUS: tuple[Rule, ...] = (
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
        lambda c: same_rank(c.first_two) and ranks(c)[0] in "23456789",
        win(3),
    ),
    Rule(
        "ace and number",
        (BONUS_PAY, "3.15"),
        "an ace with a 2 to 9",
        lambda c: len(ranks(c)) == 2 and ranks(c)[0] == "A" and ranks(c)[1] in "23456789",
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
    ("3.24.5", lambda c, rule, result: c.hand.split and c.dealer.natural and rule.needs > 0),
    ("3.25.1", lambda c, rule, result: c.doubled and not_a_follower(c)),
    ("3.25.2", lambda c, rule, result: c.doubled and holds_ace(c)),
    ("3.25.5", lambda c, rule, result: c.doubled and result.outcome == "win"),
    ("5.10.2", lambda c, rule, result: rule.needs > 0 and dealer_overdrew(c)),
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": INSURANCE,
    "player_pair": PLAYER_PAIR,
    "bonus": BONUS,
}
