"""Where the text of Blackjack (RWS) allows more than one reading, and at which of its clauses."""

from __future__ import annotations

from replay import readings as common
from replay.readings import Reading
from replay.twentyone import readings as shared

READINGS: tuple[Reading, ...] = (
    Reading(
        id="21-vs-dealer-blackjack",
        question="Dealer Blackjack against a plain 21 of three or more cards, not split, not doubled (3.23.4, 1.31)",
        default="stand off: the point totals are the same",
        other="the Blackjack beats it",
        clauses=("3.23.4", "1.31", "1.2"),
    ),
    Reading(
        id="split-vs-dealer-blackjack",
        question="3.21.3: what is lost on split hands that did not bust",
        default="once per player and box an amount equal to the initial bet, booked on the first hand that did not bust; the other live bets go back",
        other="the initial bet on each hand",
        clauses=("3.21.3",),
    ),
    Reading(
        id="surrender-vs-dealer-blackjack",
        question="Surrender, then the dealer makes Blackjack (3.16, 1.17)",
        default="half is lost; the interim settlement stands",
        other="the whole bet is lost",
        clauses=("3.16", "1.17", "1.34"),
    ),
    shared.PRO_RATA.at("5.1.1", "5.1.2"),
    shared.SURRENDER_IN_A_SHARED_BOX.at("3.8", "3.16"),
    common.OUTCOME_ESTABLISHED.at("5.4.1", "5.4.2"),
    common.LATE_BET.at("5.8", "5.14", "3.10"),
    common.LATE_WITHDRAWAL.at("5.8", "5.14"),
    Reading(
        id="blackjack-vs-dealer-21",
        question="Player Blackjack, the dealer shows an ace or a ten and makes 21 of three or more cards (3.14.1, 3.15)",
        default="wins 3 to 2: only a dealer Blackjack is a stand off",
        other="stand off: the point totals are the same",
        clauses=("3.14.1", "3.15", "3.23.4"),
    ),
    shared.NON_FOLLOWER_ON_A_DOUBLE.at("3.22.1", "3.22.2"),
    Reading(
        id="even-money-in-a-shared-box",
        question="1.8, 3.14.1 against 3.8",
        default="each player for himself",
        other="the seated player binds",
        clauses=("3.14.1", "1.8", "3.8"),
    ),
    shared.OPTIONS_SCOPE.at("5.7.3"),
    shared.RECONSTRUCTION_IN_THE_SUBSEQUENT_DEAL.at("5.10.1", "5.9", "1.17"),
    shared.AFTER_ILLEGAL_RECONSTRUCTION.at("5.10", "5.9", "1.24"),
    common.OVER_LIMIT_AND_LATER_BETS.at("5.1.1", "3.22", "3.21", "3.14.2a"),
    shared.INSURANCE_OUT_OF_PLACE.at("3.14.2a", "3.14"),
    shared.DOUBLE_A_PAIR_OF_ACES.at("3.22", "1.6"),
    shared.DRAWING_ON_21.at("3.17", "1.27"),
    Reading(
        id="under-over-basis",
        question="3.13.2d",
        default="against the box's initial bets, each alone",
        other="added up; not allowed without an own initial bet",
        clauses=("3.13.2d", "3.9"),
    ),
    shared.HIGHEST_BET.at("1.26"),
    shared.DECIDED_BUT_UNPAID.at("5.7.3", "5.16", "3.18"),
    shared.SPLIT_OF_A_PRO_RATED_BET.at("3.21", "5.1.1"),
    shared.ALONE_ON_THE_BOX.at("5.3"),
    shared.PRO_RATA_AFTER_A_TAKE_BACK.at("5.1.1", "5.7.3"),
    shared.STRAY_CARD_ON_A_HAND_THAT_STOOD.at("3.20", "1.30"),
    shared.LATER_BETS_ON_A_LATE_BET.at("5.8", "3.22", "3.21", "3.14.2"),
)
