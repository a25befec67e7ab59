"""What the text demands of decisions, bets and the deal."""

from __future__ import annotations

from collections.abc import Mapping

from replay import setup
from replay.facts import NEVER, Round
from replay.findings import Findings
from replay.stakes import called_off
from replay.twentyone import bets, demands
from replay.twentyone.check_bets import BetCheck, BetMoment
from replay.twentyone.deal import DealOrder
from replay.twentyone.moment import DecisionCheck

OPEN = demands.still_open(stood="3.20", doubled="3.22", surrendered="3.16")

CHECKS: Mapping[str, tuple[DecisionCheck, ...]] = {
    "any": (demands.in_charge("3.8", but=("even_money",)),),
    "none": (demands.not_in_this_game("3.8"),),
    "hit": (
        demands.dealt("3.11"),
        DecisionCheck(
            ("3.17",),
            lambda m: m.total == 21 and m.soft,
            "no card is drawn on a Blackjack or a soft 21",
        ),
        demands.not_bust("3.17"),
        *OPEN,
        demands.one_card_to_a_split_ace("3.21.2"),
    ),
    "stand": (demands.dealt("3.11"), demands.at_least_12("3.19")),
    "split": (
        demands.of_one_value("3.21"),
        demands.aces_once("3.21.2"),
        demands.four_hands("3.21.2"),
        *OPEN,
    ),
    "double": (
        demands.first_two_cards("3.22"),
        demands.not_aces("3.22"),
        demands.not_two_card_21("3.22"),
        demands.unsplit_aces("3.22"),
        *OPEN,
    ),
    "surrender": (
        DecisionCheck(("3.16",), lambda m: m.dealer_first[:1] == "A", "the dealer shows an ace"),
        demands.not_after_split("3.21"),
        demands.before_further_cards("3.16"),
        *OPEN,
    ),
    "even_money": (
        DecisionCheck(("3.14.1",), lambda m: m.dealer_first[:1] != "A", "the dealer shows no ace"),
        DecisionCheck(("3.14.1",), lambda m: not m.natural, "the hand is no Blackjack"),
        demands.before_further_cards("3.14.1"),
    ),
    "withdraw_double": (DecisionCheck(("3.22",), lambda m: True, "a double is never withdrawn"),),
}


def above_initial(m: BetMoment) -> bool:
    """Under 13 or Over 13 against the initial bets of the box, each alone; or added up."""
    alone = m.amount > m.box_initial
    both = sum(
        stake.amount
        for key, stake in m.stakes.items()
        if (key[0], key[2]) == (m.bet.box, m.bet.player) and key[3] in {"under_13", "over_13"}
    )
    added = both > m.own_initial
    if alone == added:
        return alone
    return added if m.table.readings.other("under-over-basis") else alone


def withdrawn_at(m: BetMoment) -> int:
    """When chips of a double left, without the player's word for it; NEVER where none did."""
    bet, round_ = m.bet, m.table.round
    if called_off(round_, bet):
        return NEVER
    mine = (bet.box, bet.hand, bet.player, bet.bet)
    return min((at for at, key, _ in round_.withdrawn if key == mine), default=NEVER)


def has_card(m: BetMoment, at: int) -> bool:
    """Whether the card of the doubled hand lay there at that moment."""
    hand = m.box.hands[m.bet.hand]
    return any(hand.doubled_at < card.at < at for card in hand.cards)


def double_withdrawn() -> tuple[BetCheck, ...]:
    """A double stays, before its card (3.22) and after it (3.22.1)."""
    return (
        BetCheck(
            ("double",),
            "late_bet",
            ("3.22.1",),
            lambda m: withdrawn_at(m) != NEVER and has_card(m, withdrawn_at(m)),
            "chips of a double were taken back after its card",
            shown_at=withdrawn_at,
        ),
        BetCheck(
            ("double",),
            "late_bet",
            ("3.22",),
            lambda m: withdrawn_at(m) != NEVER,
            "chips of a double were taken back",
            shown_at=withdrawn_at,
        ),
    )


BET_CHECKS: tuple[BetCheck, ...] = (
    bets.off_the_layout("2.1.1a", ("initial", "player_pair", "under_13", "over_13")),
    bets.alone(("5.15", "3.9"), ("player_pair", "under_13", "over_13")),
    BetCheck(
        ("under_13", "over_13"),
        "illegal_bet",
        ("3.13.2d",),
        above_initial,
        "it is more than the initial bet",
    ),
    bets.insurance_without_ace("3.14.2"),
    bets.insurance_before_second_cards("3.14.2a"),
    bets.insurance_too_late("3.14.2a"),
    bets.insurance_raised_too_late("3.14.2a"),
    bets.insurance_above_half("3.14.2a"),
    bets.double_without_decision("3.22"),
    bets.no_part_in_the_hand("3.21.1", goes_back=True),
    bets.double_above_initial("3.22"),
    *double_withdrawn(),
    bets.split_without_decision("3.21"),
    bets.split_not_equal("3.21"),
)

DEAL = DealOrder(
    initial="3.11", dealer="3.23", hit="3.17", split="3.21.2", walked_away="5.3", minimum="3.19"
)


def check_setup(round_: Round, findings: Findings) -> None:
    setup.decks(round_, findings, "2.2.1", 4, 8)
    setup.limits(round_, findings, "3.4", "initial")
    setup.no_button(round_, findings)
