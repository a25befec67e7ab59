"""What the text demands of decisions, bets and the deal. It has no minimum standing total."""

from __future__ import annotations

from collections.abc import Mapping

from replay import setup
from replay.facts import Round
from replay.findings import Findings
from replay.twentyone import bets, demands
from replay.twentyone.check_bets import BetCheck
from replay.twentyone.deal import DealOrder
from replay.twentyone.moment import DecisionCheck, Moment

OPEN = demands.still_open(stood="3.4", doubled="3.11.3", surrendered="3.10")


def pair_of_aces(m: Moment) -> bool:
    """Under one reading aces are never split."""
    aces = [face[0] for face in m.cards] == ["A", "A"]
    return aces and m.table.readings.other("ace-split-mbs")


CHECKS: Mapping[str, tuple[DecisionCheck, ...]] = {
    "any": (demands.in_charge("3.11.4.1", but=("withdraw_double",)),),
    "none": (demands.not_in_this_game("3.4"),),
    "hit": (
        demands.dealt("3.6"),
        demands.not_on_21("3.15", "3.14"),
        demands.not_bust("3.14"),
        *OPEN,
        demands.one_card_to_a_split_ace("3.9.1"),
    ),
    "stand": (demands.dealt("3.6"),),
    "split": (
        demands.of_one_value("3.8"),
        DecisionCheck(("3.8",), pair_of_aces, "aces are not split"),
        demands.aces_once("3.9.1"),
        demands.four_hands("3.9"),
        *OPEN,
    ),
    "double": (
        demands.first_two_cards("3.11", "3.11.1"),
        demands.not_aces("3.11.2"),
        demands.not_two_card_21("3.15"),
        demands.unsplit_aces("3.11.2"),
        *OPEN,
    ),
    "surrender": (
        demands.not_paid_already("3.15"),
        demands.dealer_shows(("3.10",), "AKQJ", "the dealer shows neither an ace nor a court card"),
        demands.not_after_split("3.10.2"),
        demands.before_further_cards("3.10"),
        *OPEN,
    ),
    "withdraw_double": (
        demands.was_doubled("3.11.4"),
        demands.has_double("3.11.4"),
        demands.before_the_dealer_draws("3.11.4"),
        demands.under_21("3.11.4"),
    ),
}

BET_CHECKS: tuple[BetCheck, ...] = (
    bets.off_the_layout("2.2.1", ("initial", "player_pair")),
    bets.alone(("3.5.2",), ("player_pair",), reading="side-bet-without-own-initial"),
    bets.insurance_without_ace("3.12"),
    bets.insurance_too_late("3.12"),
    bets.insurance_raised_too_late("3.12"),
    bets.insurance_on_a_paid_hand("3.15"),
    bets.insurance_above_half("3.12"),
    bets.double_without_decision("3.11"),
    bets.no_part_in_the_hand("3.11", goes_back=False),
    bets.double_above_initial("3.11"),
    bets.double_under_minimum("3.11"),
    bets.split_without_decision("3.8"),
    bets.split_not_equal("3.8"),
)

DEAL = DealOrder(
    initial="3.6", dealer="3.19", hit="3.14", split=None, walked_away=None, minimum=None
)


def check_setup(round_: Round, findings: Findings) -> None:
    setup.decks(round_, findings, "2.1", 4, 8)
    setup.limits(round_, findings, None, "initial")
    setup.no_button(round_, findings)
