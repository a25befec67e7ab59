"""How each bet is settled: rules in the order in which they are asked, each with its clauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from replay.rules import (
    LOSE,
    RETURNED,
    SECOND_CARD,
    STAND_OFF,
    SURRENDERED,
    WHOLE_HAND,
    Result,
    Rule,
    win,
)
from replay.twentyone.case import TwentyOneCase, TwentyOneRule
from replay.twentyone.cites import (
    dealer_overdrew,
    not_a_follower,
    stays_on_first_hand,
    two_card_21_of_a_split,
)
from replay.twentyone.common_rules import (
    against_dealer,
    bust,
    bust_after,
    insurance,
    never_dealt,
    side_bet,
)
from replay.twentyone.pay import same_rank
from replay.twentyone.table import points
from replay.twentyone.values import blackjack_view

PAY = "4.1.1"
ACE_OR_TEN = frozenset("ATJQK")


def took_even_money(c: TwentyOneCase) -> bool:
    """Each player for himself, unless the seated player's word is read as binding."""
    asked = c.hand.even_money
    if not asked:
        return False
    mine, seated = c.player in asked, c.box.seated in asked
    if mine == seated or not c.other("even-money-in-a-shared-box"):
        return mine
    return seated


def paid_at_sight(c: TwentyOneCase) -> bool:
    """The dealer's first card is neither an ace nor a ten."""
    return bool(c.dealer.first) and c.dealer.first[0] not in ACE_OR_TEN


def first_live_hand(c: TwentyOneCase) -> bool:
    """The player's first hand on the box that did not bust."""
    for number in sorted(c.box.hands):
        hand = c.box.hands[number]
        name = "initial" if number == 1 else "split"
        if (c.box.no, number, c.player, name) not in c.table.round.bets:
            continue
        if not blackjack_view(hand, False, c.readings).bust:
            return hand is c.hand
    return False


def the_initial_bet(c: TwentyOneCase) -> Result:
    """An amount equal to the initial bet is lost, whatever lies on the hand."""
    initial = c.table.stakes.get((c.box.no, 1, c.player, "initial"))
    return LOSE if initial is None else Result("lose", most=initial.basis)


COMPARED = against_dealer(
    bust=("3.23.1",),
    higher=("3.23.2",),
    lower=("3.23.3",),
    same=("3.23.4", "1.31"),
    pays=(PAY,),
)

MAIN: tuple[TwentyOneRule, ...] = (
    never_dealt(("3.11",)),
    Rule(
        "even money",
        ("3.14.1", "1.8"),
        "the player took even money on a Blackjack",
        lambda c: c.view.natural and took_even_money(c),
        win(1),
    ),
    Rule(
        "surrender, dealer blackjack",
        ("3.16",),
        "the hand was surrendered and a dealer Blackjack takes it whole",
        lambda c: c.surrendered and c.dealer.natural and c.other("surrender-vs-dealer-blackjack"),
        LOSE,
    ),
    Rule(
        "surrender",
        ("3.16", "1.17"),
        "the hand was surrendered",
        lambda c: c.surrendered,
        SURRENDERED,
    ),
    Rule(
        "blackjack at sight",
        ("3.15", PAY),
        "a Blackjack, and the dealer's first card is neither an ace nor a ten",
        lambda c: c.view.natural and paid_at_sight(c),
        win(3, 2),
    ),
    Rule(
        "blackjack against blackjack, ace first",
        ("3.14.1", "1.31"),
        "both have a Blackjack and the dealer's first card is an ace",
        lambda c: c.view.natural and c.dealer.natural and c.dealer.first[0] == "A",
        STAND_OFF,
        SECOND_CARD,
    ),
    Rule(
        "blackjack against blackjack",
        ("3.15", "1.31"),
        "both have a Blackjack",
        lambda c: c.view.natural and c.dealer.natural,
        STAND_OFF,
        SECOND_CARD,
    ),
    Rule(
        "blackjack against 21",
        ("3.23.4", "1.31"),
        "a Blackjack is read as a 21 like the dealer's",
        lambda c: c.view.natural and c.dealer.total == 21 and c.other("blackjack-vs-dealer-21"),
        STAND_OFF,
        SECOND_CARD,
    ),
    Rule(
        "blackjack, ace first",
        ("3.14.1", PAY),
        "a Blackjack, and the dealer's ace made none",
        lambda c: c.view.natural and c.second_known and c.dealer.first[:1] == "A",
        win(3, 2),
        SECOND_CARD,
    ),
    Rule(
        "blackjack",
        ("3.15", PAY),
        "a Blackjack, and the dealer made none",
        lambda c: c.view.natural and c.second_known,
        win(3, 2),
        SECOND_CARD,
    ),
    *bust_after(split=("3.21.3", "3.18"), double=("3.22.2", "3.18")),
    bust(("3.18",)),
    Rule(
        "split, dealer blackjack: each hand",
        ("3.21.3",),
        "the initial bet is read as lost on each split hand",
        lambda c: c.dealer.natural and c.hand.split and c.other("split-vs-dealer-blackjack"),
        the_initial_bet,
        WHOLE_HAND,
    ),
    Rule(
        "split, dealer blackjack: first live hand",
        ("3.21.3",),
        "the player's first split hand that did not bust meets a dealer Blackjack",
        lambda c: c.dealer.natural and c.hand.split and first_live_hand(c),
        the_initial_bet,
        WHOLE_HAND,
    ),
    Rule(
        "split, dealer blackjack: the others",
        ("3.21.3",),
        "another split hand meets a dealer Blackjack: only one initial bet is lost",
        lambda c: c.dealer.natural and c.hand.split,
        RETURNED,
        WHOLE_HAND,
    ),
    Rule(
        "doubled, dealer blackjack",
        ("3.22.2",),
        "a doubled hand meets a dealer Blackjack",
        lambda c: c.dealer.natural and c.doubled,
        LOSE,
        WHOLE_HAND,
    ),
    Rule(
        "21 loses to blackjack",
        ("3.23.4",),
        "a plain 21 is read as beaten by the dealer's Blackjack",
        lambda c: c.dealer.natural and c.view.total == 21 and c.other("21-vs-dealer-blackjack"),
        LOSE,
        WHOLE_HAND,
    ),
    *COMPARED,
)

DOUBLE: tuple[TwentyOneRule, ...] = (
    bust(("3.22.2", "3.18")),
    Rule(
        "split, dealer blackjack",
        ("3.21.3", "3.22.2"),
        "a split hand meets a dealer Blackjack: no more than the initial bet is lost",
        lambda c: c.dealer.natural and c.hand.split,
        RETURNED,
        WHOLE_HAND,
    ),
    Rule(
        "dealer blackjack",
        ("3.22.2",),
        "the dealer has a Blackjack: only the initial bet is lost",
        lambda c: c.dealer.natural,
        RETURNED,
        WHOLE_HAND,
    ),
    *COMPARED,
)


def low_total(faces: list[str]) -> int:
    """The initial two cards with every ace as 1; a Blackjack makes 11 so and is under 13."""
    return sum(map(points, faces))


EXACTLY_13: TwentyOneRule = Rule(
    "exactly 13",
    ("3.13.2c", "3.13.2"),
    "the initial two cards make 13",
    lambda c: low_total(c.first_two) == 13,
    LOSE,
)


def thirteen(
    name: str, clause: str, test: Callable[[list[str]], bool]
) -> tuple[TwentyOneRule, ...]:
    """Under 13 or Over 13; exactly 13 has a paragraph of its own."""
    won, *lost = side_bet(
        name,
        name,
        test,
        wins=(clause, "3.13.2", PAY),
        loses=(clause, "3.13.2"),
        odds=1,
        deal="3.11",
    )
    return (won, EXACTLY_13, *lost)


UNDER_13 = thirteen("under 13", "3.13.2a", lambda faces: low_total(faces) < 13)
OVER_13 = thirteen("over 13", "3.13.2b", lambda faces: low_total(faces) > 13)

CITES = (
    ("3.21.2", lambda c, rule, result: two_card_21_of_a_split(c)),
    ("3.21.1", lambda c, rule, result: stays_on_first_hand(c)),
    ("3.22.1", lambda c, rule, result: c.doubled and not_a_follower(c)),
    ("5.10.2", lambda c, rule, result: rule.needs == WHOLE_HAND and dealer_overdrew(c)),
)

RULES: Mapping[str, tuple[TwentyOneRule, ...]] = {
    "initial": MAIN,
    "split": MAIN,
    "double": DOUBLE,
    "insurance": insurance(wins=("3.14.2b", PAY), loses=("3.14.2b",)),
    "player_pair": side_bet(
        "pair", "a pair", same_rank, wins=("3.13.1", PAY), loses=("3.13.1",), odds=11, deal="3.11"
    ),
    "under_13": UNDER_13,
    "over_13": OVER_13,
}
