"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from replay.facts import NEVER
from replay.rulebooks.pontoon_pandemonium_rws_v4 import button
from replay.rules import LOSE, RETURNED, WHOLE_HAND, Result, Rule, win
from replay.twentyone.case import TwentyOneCase, TwentyOneRule
from replay.twentyone.cites import doubled
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
    did_not_follow_a_split,
    double_meets_pontoon,
    double_on_a_paid_hand,
    doubled_21,
    doubled_meets_pontoon,
    meets_pontoon,
    plain_21,
    pontoon,
    split_21,
    split_meets_pontoon,
    surrender,
    withdrawn_under_21,
)
from replay.twentyone.super_bonus import three_sevens

PAY = "4.1"

compared = partial(
    against_dealer,
    bust=("3.18.1",),
    higher=("3.18.2",),
    lower=("3.18.3",),
    same=("3.18.4", "1 Stand Off"),
)

MAIN: tuple[TwentyOneRule, ...] = (
    never_dealt(("3.6",)),
    did_not_follow_a_split(("3.13",)),
    pontoon(("3.8", PAY)),
    *surrender(pontoon=("3.10.1",), half=("3.10.2", "3.10")),
    withdrawn_under_21(("3.14",), LOSE),
    *bust_after(split=("3.13", "3.16"), double=("3.14", "3.16")),
    bust(("3.16",)),
    doubled_21(("3.15", "3.14")),
    *rows_for_21((PAY, "3.15"), bonus_may_replace=True),
    split_21(("3.13", PAY)),
    plain_21(("3.15", PAY)),
    doubled_meets_pontoon(("3.14", "3.9")),
    split_meets_pontoon(("3.13", "3.9")),
    meets_pontoon(("3.9", "3.18.3")),
    *compared(pays=(PAY,)),
)

DOUBLE: tuple[TwentyOneRule, ...] = (
    double_on_a_paid_hand(("3.14",)),
    withdrawn_under_21(("3.14",), RETURNED),
    bust(("3.14", "3.16")),
    doubled_21(("3.15", "3.14")),
    Rule(
        "all bets lose to a dealer pontoon",
        ("3.9",),
        "a dealer Pontoon is read as taking everything on the table",
        lambda c: c.dealer.natural and c.other("pandemonium-dealer-pontoon"),
        LOSE,
        WHOLE_HAND,
    ),
    *double_meets_pontoon(split=("3.13",), otherwise=("3.14",)),
    *compared(pays=("3.14",)),
)


def received_pontoon(c: TwentyOneCase) -> bool:
    return button.pontoon_at(c.box) != NEVER


def pressed_by_another(c: TwentyOneCase) -> bool:
    """Somebody pressed on behalf of the player who was offered the button."""
    press = button.press(c.table, c.box)
    return press is not None and not button.may_press(c.table, c.box, press.player)


def nobody_may_press(c: TwentyOneCase) -> bool:
    """Only standing players have the bet: nobody presses under one reading."""
    return not button.seated_has_bet(c.table, c.box) and c.other("button-for-a-standing-bet")


def by_multiplier(c: TwentyOneCase) -> Result:
    press = button.press(c.table, c.box)
    if press is None or nobody_may_press(c):
        return Result("win", None)
    return win(press.multiplier)


PANDEMONIUM: tuple[TwentyOneRule, ...] = (
    Rule(
        "pontoon, pressed by another",
        ("3.8.2", "3.8.1", "4.3"),
        "the box has a Pontoon and another person pressed the button",
        pressed_by_another,
        by_multiplier,
    ),
    Rule(
        "pontoon",
        ("3.8.1", "4.3"),
        "the box has a Pontoon and the button was pressed",
        lambda c: button.press(c.table, c.box) is not None,
        by_multiplier,
    ),
    Rule(
        "no pontoon",
        ("3.8.1",),
        "the box has no Pontoon",
        lambda c: len(c.first_two) == 2 and not received_pontoon(c),
        LOSE,
    ),
    never_dealt(("3.6",)),
)

CITES = (
    ("1 Super Bonus", lambda c, rule, result: c.hand.split and three_sevens(c.view.faces)),
    (
        "3.13",
        lambda c, rule, result: c.hand.split and c.dealer.natural and rule.needs == WHOLE_HAND,
    ),
    ("3.14", lambda c, rule, result: doubled(c)),
)

RULES: Mapping[str, tuple[TwentyOneRule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": insurance(wins=("3.9", PAY), loses=("3.9",)),
    "player_pair": side_bet(
        "pair", "a pair", same_rank, wins=("3.7.1", PAY), loses=("3.7.1",), odds=11, deal="3.6"
    ),
    "pandemonium": PANDEMONIUM,
}
