"""Where the text of Pontoon Pandemonium (RWS) allows more than one reading, and at which of its clauses."""

from __future__ import annotations

from replay import readings as common
from replay.readings import Reading
from replay.twentyone import readings as shared

READINGS: tuple[Reading, ...] = (
    shared.SURRENDER_IN_A_SHARED_BOX.at("3.10"),
    shared.SUPER_BONUS_AND_ODDS.at("4.2", "4.1"),
    shared.SUPER_BONUS_PER_PLAYER.at("4.2", "1 Super Bonus"),
    shared.SUPER_BONUS_SHARE.at("4.2"),
    shared.SUPER_BONUS_UNDER_10.at("4.2", "1 Super Bonus"),
    shared.SPLIT_HAND_ODDS.at("3.13", "4.1", "4.2"),
    shared.DOUBLED_21.at("3.15", "3.14", "3.18.4"),
    shared.DOUBLED_SPLIT_VS_DEALER_PONTOON.at("3.13", "3.14"),
    Reading(
        id="pandemonium-dealer-pontoon",
        question='3.9 "all wagers placed shall lose"',
        default="bets already paid or settled stay so; 3.14 keeps the double",
        other="everything still on the table is lost, but a Pontoon or 21 (3.8, 3.15) is not still on the table in either reading",
        clauses=("3.9", "3.14", "3.8", "3.15"),
    ),
    common.LATE_BET.at("5.2", "3.2"),
    common.LATE_WITHDRAWAL.at("5.2"),
    shared.NON_FOLLOWER_ON_A_SPLIT.at("3.13"),
    shared.NON_FOLLOWER_ON_A_DOUBLE.at("3.14", "3.5.2"),
    shared.WITHDRAWAL_IN_A_SHARED_BOX.at("3.14"),
    shared.SEVERAL_SUPER_BONUSES.at("4.2"),
    shared.SUPER_BONUS_99_TO_100.at("4.2"),
    shared.EXCESS_CARD_AS_FOREIGN.at("5.1.1", "2.2.1"),
    shared.DEALER_OVERDRAW.at("3.18"),
    shared.LATE_DEALING_ERROR.at("5.1.2"),
    shared.INTERRUPTION_WITHOUT_A_CLAUSE.at("5.1"),
    shared.INSURANCE_OUT_OF_PLACE.at("3.9"),
    shared.DOUBLE_A_PAIR_OF_ACES.at("3.14"),
    shared.DRAWING_ON_21.at("3.15", "3.11"),
    Reading(
        id="button-for-a-standing-bet",
        question="Only a standing player has the Pandemonium bet (3.8.1)",
        default="he presses",
        other="nobody does; not paid",
        clauses=("3.8.1", "3.8.2"),
    ),
    shared.SIDE_BET_WITHOUT_OWN_INITIAL.at("3.3"),
    shared.INSURED_PONTOON.at("3.8", "3.9", "3.10"),
    shared.AFTER_ILLEGAL_RECONSTRUCTION.at("5.1.2"),
    Reading(
        id="unasked-first-card",
        question="An unasked card as the first after the initial deal: has the subsequent deal begun",
        default="no",
        other="yes",
        clauses=("5.1.2",),
    ),
    shared.STRAY_CARD_ON_A_HAND_THAT_STOOD.at("3.12"),
    shared.VOID_AFTER_RECONSTRUCTABLE.at("5.1.2"),
    shared.DOUBLE_TAKEN_BACK_WITHOUT_A_WORD.at("3.14", "5.2"),
    shared.LATER_BETS_ON_A_LATE_BET.at("5.2", "3.14", "3.13", "3.9"),
    Reading(
        id="own-initial-on-that-box",
        question="3.3",
        default="on that box",
        other="on any box",
        clauses=("3.3",),
    ),
)
