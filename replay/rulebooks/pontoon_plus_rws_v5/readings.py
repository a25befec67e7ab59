"""Where the text of Pontoon Plus (RWS) allows more than one reading, and at which of its clauses."""

from __future__ import annotations

from replay import readings as common
from replay.readings import Reading
from replay.twentyone import readings as shared

READINGS: tuple[Reading, ...] = (
    shared.PRO_RATA.at("5.1.1", "5.1.2"),
    shared.SURRENDER_IN_A_SHARED_BOX.at("3.8", "3.18"),
    shared.SUPER_BONUS_AND_ODDS.at("4.1.2", "4.1.1"),
    shared.SUPER_BONUS_PER_PLAYER.at("4.1.2", "1.31"),
    shared.SUPER_BONUS_SHARE.at("4.1.2", "1.23"),
    shared.SUPER_BONUS_UNDER_10.at("4.1.2", "1.31"),
    shared.SPLIT_HAND_ODDS.at("3.24.3", "4.1.1", "3.24.4"),
    shared.DOUBLED_21.at("3.26", "3.25.4", "3.25.5", "3.27.4"),
    shared.DOUBLED_SPLIT_VS_DEALER_PONTOON.at("3.24.5", "3.25.4"),
    common.OUTCOME_ESTABLISHED.at("5.4.1", "5.4.2"),
    common.LATE_BET.at("5.8", "5.14", "3.10"),
    common.LATE_WITHDRAWAL.at("5.8", "5.14"),
    shared.NON_FOLLOWER_ON_A_DOUBLE.at("3.25.1", "3.25.2", "3.25.5"),
    shared.WITHDRAWAL_IN_A_SHARED_BOX.at("3.25.3", "3.8"),
    shared.SEVERAL_SUPER_BONUSES.at("4.1.2"),
    shared.SUPER_BONUS_99_TO_100.at("4.1.2"),
    shared.OPTIONS_SCOPE.at("5.7.3"),
    shared.RECONSTRUCTION_IN_THE_SUBSEQUENT_DEAL.at("5.10.1", "5.9", "1.15"),
    shared.AFTER_ILLEGAL_RECONSTRUCTION.at("5.10", "5.9", "1.21"),
    common.OVER_LIMIT_AND_LATER_BETS.at("5.1.1", "3.25", "3.17.1", "4.1.2"),
    shared.INSURANCE_OUT_OF_PLACE.at("3.17.1", "3.17"),
    shared.DOUBLE_A_PAIR_OF_ACES.at("3.25", "1.5"),
    shared.DRAWING_ON_21.at("3.26", "3.20"),
    shared.HIGHEST_BET.at("1.23"),
    shared.INSURED_PONTOON.at("3.16", "3.17", "3.18"),
    shared.DECIDED_BUT_UNPAID.at("5.7.3", "5.16", "3.21", "3.26"),
    shared.SPLIT_OF_A_PRO_RATED_BET.at("3.24", "5.1.1"),
    shared.ALONE_ON_THE_BOX.at("5.3"),
    Reading(
        id="withdraw-a-doubled-21",
        question="3.25.3 against 3.26 (Pandemonium 3.14 and MBS 3.11.4 say it: less than 21)",
        default="it may be withdrawn",
        other="21 was paid at once",
        clauses=("3.25.3", "3.26"),
    ),
    shared.PRO_RATA_AFTER_A_TAKE_BACK.at("5.1.1", "5.7.3"),
    shared.STRAY_CARD_ON_A_HAND_THAT_STOOD.at("3.23", "1.27"),
    shared.DOUBLE_TAKEN_BACK_WITHOUT_A_WORD.at("3.25.3", "5.8"),
    shared.LATER_BETS_ON_A_LATE_BET.at("5.8", "3.25", "3.24", "3.17"),
)
