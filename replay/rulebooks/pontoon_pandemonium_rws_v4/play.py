"""What the text demands of decisions, bets and the deal. It names nobody who decides for a box."""

from __future__ import annotations

from collections.abc import Mapping

from replay import setup
from replay.facts import Round
from replay.findings import Findings
from replay.twentyone import bets, demands
from replay.twentyone.check_bets import BetCheck
from replay.twentyone.deal import DealOrder
from replay.twentyone.moment import DecisionCheck

OPEN = demands.still_open(stood="3.12", doubled="3.14", surrendered="3.10")

CHECKS: Mapping[str, tuple[DecisionCheck, ...]] = {
    "any": (),
    "none": (demands.not_in_this_game("3.11"),),
    "hit": (
        demands.dealt("3.6"),
        demands.not_on_21("3.15", "3.11"),
        demands.not_bust("3.16"),
        *OPEN,
        demands.one_card_to_a_split_ace("3.13"),
    ),
    "stand": (demands.dealt("3.6"), demands.at_least_12("3.17")),
    "split": (
        demands.of_one_value("3.13"),
        demands.aces_once("3.13"),
        demands.four_hands("3.13"),
        *OPEN,
    ),
    "double": (
        demands.first_two_cards("3.14"),
        demands.not_aces("3.14"),
        demands.not_two_card_21("3.14"),
        demands.unsplit_aces("3.14"),
        *OPEN,
    ),
    "surrender": (
        demands.not_paid_already("3.8"),
        demands.dealer_shows(("3.10",), "AKQJ", "the dealer shows neither an ace nor a picture"),
        demands.not_after_split("3.13"),
        demands.before_further_cards("3.10"),
        *OPEN,
    ),
    "withdraw_double": (
        demands.was_doubled("3.14"),
        demands.has_double("3.14"),
        demands.before_the_dealer_draws("3.14"),
        demands.under_21("3.14"),
    ),
}

BET_CHECKS: tuple[BetCheck, ...] = (
    bets.off_the_layout("2.1.1a", ("initial", "player_pair", "pandemonium")),
    bets.without_own_initial("3.3", ("player_pair", "pandemonium")),
    bets.insurance_without_ace("3.9"),
    bets.insurance_before_second_cards("3.9"),
    bets.insurance_too_late("3.9"),
    bets.insurance_raised_too_late("3.9"),
    bets.insurance_on_a_paid_hand("3.8"),
    bets.insurance_above_half("3.9"),
    bets.double_without_decision("3.14"),
    bets.no_part_in_the_hand("3.14", goes_back=False),
    bets.double_above_initial("3.14"),
    bets.split_without_decision("3.13"),
    bets.split_not_equal("3.13"),
)

DEAL = DealOrder(
    initial="3.6", dealer="3.18", hit="3.11", split="3.13", walked_away=None, minimum="3.17"
)

MULTIPLIERS = frozenset({100, 50, 25, 20, 10, 5, 3, 2})


def check_setup(round_: Round, findings: Findings) -> None:
    setup.decks(round_, findings, "2.2.1", 4, 8)
    setup.limits(round_, findings, None, "initial")
    for button in round_.buttons:
        if button.multiplier not in MULTIPLIERS:
            says = f"the button showed {button.multiplier}, which is not in the table"
            findings.add(
                "illegal_setup", ("4.3",), says, at=button.at, box=button.box, player=button.player
            )
