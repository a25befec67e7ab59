"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping

from replay.rules import (
    LOSE,
    RETURNED,
    SECOND_CARD,
    SURRENDERED,
    WHOLE_HAND,
    Result,
    Rule,
    win,
)
from replay.twentyone.case import Case
from replay.twentyone.cites import stays_on_first_hand
from replay.twentyone.common_rules import (
    against_dealer,
    doubled_21_paid_at_once,
    insurance,
    never_dealt,
    side_bet,
)
from replay.twentyone.pay import rows_for_21, same_rank
from replay.twentyone.super_bonus import three_sevens

PAY = "4.1"

MAIN: tuple[Rule, ...] = (
    never_dealt(("3.6",)),
    Rule(
        "did not follow a split",
        ("3.13",),
        "a standing player who did not follow is read as taking part in neither hand",
        lambda c: stays_on_first_hand(c) and c.other("non-follower-on-a-split"),
        RETURNED,
    ),
    Rule(
        "pontoon",
        ("3.8", PAY),
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
        ("3.10.2", "3.10"),
        "the hand was surrendered",
        lambda c: c.surrendered and c.second_known,
        SURRENDERED,
        SECOND_CARD,
    ),
    Rule(
        "bust after split",
        ("3.13", "3.16"),
        "a split hand is over 21",
        lambda c: c.view.bust and c.hand.split,
        LOSE,
    ),
    Rule(
        "bust after double",
        ("3.14", "3.16"),
        "a doubled hand is over 21",
        lambda c: c.view.bust and c.doubled,
        LOSE,
    ),
    Rule("bust", ("3.16",), "the hand is over 21", lambda c: c.view.bust, LOSE),
    Rule(
        "double withdrawn",
        ("3.14",),
        "the player withdrew his double on less than 21",
        lambda c: c.withdrew and c.view.total < 21,
        LOSE,
    ),
    Rule(
        "doubled 21",
        ("3.15", "3.14"),
        "a doubled hand has 21, paid at once",
        doubled_21_paid_at_once,
        win(1),
    ),
    *rows_for_21((PAY, "3.15"), bonus_may_replace=True),
    Rule(
        "split 21",
        ("3.13", PAY),
        "a split hand has 21, paid at once",
        lambda c: c.view.total == 21 and c.hand.split and not c.doubled,
        win(1),
    ),
    Rule(
        "21",
        ("3.15", PAY),
        "the hand has 21, paid at once",
        lambda c: c.view.total == 21 and not c.doubled,
        win(1),
    ),
    Rule(
        "doubled, dealer pontoon",
        ("3.14", "3.9"),
        "a doubled hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.doubled,
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "split, dealer pontoon",
        ("3.13", "3.9"),
        "a split hand meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split,
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "dealer pontoon",
        ("3.9", "3.18.3"),
        "the dealer has a Pontoon",
        lambda c: c.dealer.natural,
        LOSE,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("3.18.1",),
        higher=("3.18.2",),
        lower=("3.18.3",),
        same=("3.18.4", "1 Stand Off"),
        pays=(PAY,),
    ),
)

DOUBLE: tuple[Rule, ...] = (
    Rule(
        "double on a paid hand",
        ("3.14",),
        "the hand was paid before it was doubled",
        lambda c: len(c.view.faces) == 2 and c.view.total == 21,
        RETURNED,
    ),
    Rule("bust", ("3.14", "3.16"), "the hand is over 21", lambda c: c.view.bust, LOSE),
    Rule(
        "withdrawn",
        ("3.14",),
        "the player withdrew his double on less than 21",
        lambda c: c.withdrew and c.view.total < 21,
        RETURNED,
    ),
    Rule("21", ("3.15", "3.14"), "the hand has 21, paid at once", doubled_21_paid_at_once, win(1)),
    Rule(
        "split, dealer pontoon",
        ("3.13",),
        "a split hand that was doubled meets a dealer Pontoon",
        lambda c: c.dealer.natural and c.hand.split and c.other("doubled-split-vs-dealer-pontoon"),
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "all bets lose to a dealer pontoon",
        ("3.9",),
        "a dealer Pontoon is read as taking everything on the table",
        lambda c: c.dealer.natural and c.other("pandemonium-dealer-pontoon"),
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "dealer pontoon",
        ("3.14",),
        "the dealer has a Pontoon: only the initial bet is lost",
        lambda c: c.dealer.natural,
        RETURNED,
        WHOLE_HAND,
    ),
    *against_dealer(
        bust=("3.18.1",),
        higher=("3.18.2",),
        lower=("3.18.3",),
        same=("3.18.4", "1 Stand Off"),
        pays=("3.14",),
    ),
)


def multiplier(c: Case) -> int | None:
    """What the button showed for the box."""
    return next((b.multiplier for b in c.table.round.buttons if b.box == c.box.no), None)


def pressed_by_another(c: Case) -> bool:
    """Somebody pressed on behalf of the seated player."""
    return any(b.box == c.box.no and b.player != c.box.seated for b in c.table.round.buttons)


def nobody_may_press(c: Case) -> bool:
    """Only standing players have the bet: nobody presses under one reading."""
    key = (c.box.no, 1, c.box.seated, "pandemonium")
    return key not in c.table.round.bets and c.other("button-for-a-standing-bet")


def by_multiplier(c: Case) -> Result:
    if nobody_may_press(c):
        return Result("win", None)
    return win(multiplier(c) or 0)


PANDEMONIUM: tuple[Rule, ...] = (
    Rule(
        "pontoon, pressed for the seated player",
        ("3.8.2", "3.8.1", "4.3"),
        "the box has a Pontoon and another person pressed the button",
        lambda c: c.view.natural and multiplier(c) is not None and pressed_by_another(c),
        by_multiplier,
    ),
    Rule(
        "pontoon",
        ("3.8.1", "4.3"),
        "the box has a Pontoon and the button was pressed",
        lambda c: c.view.natural and multiplier(c) is not None,
        by_multiplier,
    ),
    Rule(
        "no pontoon",
        ("3.8.1",),
        "the box has no Pontoon",
        lambda c: len(c.first_two) == 2 and not c.view.natural,
        LOSE,
    ),
    never_dealt(("3.6",)),
)

CITES = (
    ("1 Super Bonus", lambda c, rule, result: c.hand.split and three_sevens(c.view.faces)),
    ("3.13", lambda c, rule, result: c.hand.split and c.dealer.natural and rule.needs > 0),
    ("3.14", lambda c, rule, result: c.doubled),
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": insurance(wins=("3.9", PAY), loses=("3.9",)),
    "player_pair": side_bet(
        "pair", "a pair", same_rank, wins=("3.7.1", PAY), loses=("3.7.1",), odds=11, deal="3.6"
    ),
    "pandemonium": PANDEMONIUM,
}
