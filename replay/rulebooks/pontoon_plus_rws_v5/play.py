"""What the text demands of decisions, bets and the deal."""

from __future__ import annotations

from collections.abc import Mapping

from replay import setup
from replay.facts import Round
from replay.findings import Findings
from replay.twentyone import bets, demands
from replay.twentyone.check_bets import BetCheck
from replay.twentyone.deal import DealOrder
from replay.twentyone.moment import DecisionCheck

OPEN = demands.still_open(stood="3.23", doubled="3.25", surrendered="3.19")

CHECKS: Mapping[str, tuple[DecisionCheck, ...]] = {
    "any": (demands.in_charge("3.8", but=("withdraw_double",)),),
    "none": (demands.not_in_this_game("3.8"),),
    "hit": (
        demands.dealt("3.11"),
        DecisionCheck(
            ("3.20",), lambda m: m.total == 21 and m.soft, "no card is drawn on a soft 21"
        ),
        demands.not_on_21("3.26"),
        demands.not_bust("3.20"),
        *OPEN,
        demands.one_card_to_a_split_ace("3.24.2"),
    ),
    "stand": (demands.dealt("3.11"), demands.at_least_12("3.22")),
    "split": (
        demands.of_one_value("3.24"),
        demands.aces_once("3.24.2"),
        demands.four_hands("3.24.2"),
        *OPEN,
    ),
    "double": (
        demands.first_two_cards("3.25"),
        demands.not_aces("3.25"),
        demands.not_two_card_21("3.25"),
        demands.unsplit_aces("3.25"),
        *OPEN,
    ),
    "surrender": (
        demands.not_paid_already("3.16"),
        demands.dealer_shows(("3.18",), "AKQJ", "the dealer shows neither an ace nor a picture"),
        demands.not_after_split("3.24"),
        demands.before_further_cards("3.18"),
        *OPEN,
    ),
    "withdraw_double": (
        demands.was_doubled("3.25.3"),
        demands.has_double("3.25.3"),
        demands.before_the_dealer_draws("3.25.3"),
        demands.not_bust("3.25.3"),
    ),
}

BET_CHECKS: tuple[BetCheck, ...] = (
    bets.off_the_layout("2.1.1a", ("initial", "player_pair", "bonus")),
    bets.alone(("5.15", "3.9"), ("player_pair", "bonus")),
    bets.insurance_without_ace("3.17"),
    bets.insurance_before_second_cards("3.17.1"),
    bets.insurance_too_late("3.17.1"),
    bets.insurance_raised_too_late("3.17.1"),
    bets.insurance_on_a_paid_hand("3.16"),
    bets.insurance_above_half("3.17.1"),
    bets.double_without_decision("3.25"),
    bets.no_part_in_the_hand("3.24.1", goes_back=True),
    bets.double_above_initial("3.25"),
    bets.split_without_decision("3.24"),
    bets.split_not_equal("3.24"),
)

DEAL = DealOrder(
    initial="3.11", dealer="3.27", hit="3.20", split="3.24.2", walked_away="5.3", minimum="3.22"
)


def check_setup(round_: Round, findings: Findings) -> None:
    setup.decks(round_, findings, "2.2.1", 4, 8)
    setup.limits(round_, findings, "3.4", "initial")
    setup.no_button(round_, findings)
