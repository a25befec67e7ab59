"""Where the text of Pontoon (MBS) allows more than one reading, and at which of its clauses."""

from __future__ import annotations

from replay import readings as common
from replay.readings import Reading
from replay.twentyone import readings as shared

READINGS: tuple[Reading, ...] = (
    shared.SURRENDER_IN_A_SHARED_BOX.at("3.10", "3.11.4.1"),
    shared.SUPER_BONUS_PER_PLAYER.at("4.1.1.1", "1.1.15"),
    shared.SUPER_BONUS_UNDER_10.at("4.1.1.1", "4.1.1.2"),
    shared.SPLIT_HAND_ODDS.at("4.1.1.3", "4.1"),
    shared.DOUBLED_21.at("3.15", "4.2.1", "4.4.1", "4.5.1"),
    shared.DOUBLED_SPLIT_VS_DEALER_PONTOON.at("4.4.1", "4.3.3"),
    Reading(
        id="ace-split-mbs",
        question="3.8 excludes aces, 3.9.1 provides for splitting them",
        default="aces may be split once",
        other="a split of aces is illegal",
        clauses=("3.8", "3.9.1"),
    ),
    Reading(
        id="court-pair-mbs",
        question="Is J-Q a pair (1.1.6: same point value or same court cards)",
        default="no: court cards must be of one kind",
        other="yes: the value is the same",
        clauses=("1.1.6", "3.5.1"),
    ),
    common.LATE_BET.at("5.3", "3.2"),
    common.LATE_WITHDRAWAL.at("5.4"),
    shared.NON_FOLLOWER_ON_A_SPLIT.at("3.8"),
    shared.NON_FOLLOWER_ON_A_DOUBLE.at("3.11.3", "3.17.2", "4.1.1.4"),
    shared.SEVERAL_SUPER_BONUSES.at("4.1.1.2"),
    shared.SUPER_BONUS_99_TO_100.at("4.1.1.1"),
    Reading(
        id="super-bonus-share-mbs",
        question='4.1.1.2 "all other original wagers"',
        default="every wager, standing players too; also a bet under $10 on the winning hand",
        other="once per box",
        clauses=("4.1.1.2",),
    ),
    Reading(
        id="super-bonus-share-of-a-double",
        question="4.1.1.4 against 4.1.1.2: does a winning double get the $50",
        default="no: 4.1.1.4 names 4.1.1.2",
        other="yes: the $50 is no odds",
        clauses=("4.1.1.4", "4.1.1.2"),
    ),
    shared.EXCESS_CARD_AS_FOREIGN.at("5.1.1", "5.1", "2.1"),
    shared.DEALER_OVERDRAW.at("3.19"),
    shared.LATE_DEALING_ERROR.at("5.2", "1.1.14"),
    shared.INTERRUPTION_WITHOUT_A_CLAUSE.at("5.1.1", "5.2"),
    shared.INSURANCE_OUT_OF_PLACE.at("3.12"),
    shared.DOUBLE_A_PAIR_OF_ACES.at("3.11.2", "3.11.1"),
    shared.DRAWING_ON_21.at("3.15", "3.14"),
    shared.SIDE_BET_WITHOUT_OWN_INITIAL.at("3.5.2"),
    shared.INSURED_PONTOON.at("3.15", "3.7", "3.12", "3.10"),
    shared.AFTER_ILLEGAL_RECONSTRUCTION.at("5.2"),
    shared.STRAY_CARD_ON_A_HAND_THAT_STOOD.at("3.13", "3.14"),
    shared.VOID_AFTER_RECONSTRUCTABLE.at("5.2"),
    shared.DOUBLE_TAKEN_BACK_WITHOUT_A_WORD.at("3.11.4", "5.4"),
    shared.LATER_BETS_ON_A_LATE_BET.at("5.3", "3.11", "3.8", "3.12"),
)
