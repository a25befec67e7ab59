"""Faults to plant on request: one kind for every money, procedure and integrity finding.

Two kinds are not in the lists below, because a table can have them only once a day: in table.py,
`implausible_time` is a new device whose clock was never set, and `truncated` a record whose
end never arrived.
"""

from __future__ import annotations

from events.devices.faults import dealers, money, poker, twentyone, voids
from events.devices.faults.record import DAMAGE, Miscount, RecordFault
from events.devices.plan import POKER
from events.devices.script import SimulatedRound

Fault = type[SimulatedRound] | RecordFault | Miscount

_RECORD: tuple[Fault, ...] = (*DAMAGE, Miscount())
_TWENTY_ONE: tuple[Fault, ...] = (
    money.WrongOdds21,
    money.WrongOutcome21,
    money.WrongStake21,
    money.UnsettledBet21,
    money.PaidTwice21,
    money.PaidForNothing21,
    voids.PlayedWithForeignCard,
    voids.WrongVoid21,
    twentyone.SurrendersOutOfPlace,
    twentyone.SplitsUnequalCards,
    twentyone.InsuresTooMuch,
    twentyone.DoublesTooMuch,
    twentyone.BetOfAnotherGame,
    twentyone.RaisesLate,
    twentyone.SideBetLate,
    twentyone.WithdrawsLate,
    dealers.StopsTooSoon,
    dealers.DealsOutOfOrder,
    dealers.ThreeDecks,
    dealers.NineDecks,
)
_PONTOON: tuple[Fault, ...] = (voids.MissedSuperBonus, voids.MissedShare)
_RWS: tuple[Fault, ...] = (
    voids.PlayedWithShortage,
    voids.PlayedUnshuffled,
    twentyone.StandsUnderTwelve,
    twentyone.OverLimit,
    twentyone.UnderLimit,
    twentyone.SideBetOnEmptyBox,
    dealers.DrawsTooMany,
    dealers.ForgetsToAsk,
    dealers.ReconstructsTooLate,
    dealers.BreaksOff,
)
_POKER: tuple[Fault, ...] = (
    money.WrongOddsPoker,
    money.WrongOutcomePoker,
    money.WrongStakePoker,
    money.UnsettledBetPoker,
    money.PaidTwicePoker,
    money.PaidForNothingPoker,
    voids.MissedAnteBonus,
    voids.MissedEnvyBonus,
    voids.PlayedWithForeignPokerCard,
    voids.WrongVoidPoker,
    poker.DecidesNothing,
    poker.PlaysForMore,
    poker.PlaysForLess,
    poker.PlaysAfterFolding,
    poker.WrongJackpotBet,
    poker.AnteLate,
    poker.PokerOverLimit,
    poker.PokerUnderLimit,
    poker.JackpotBetAlone,
    poker.PokerOutOfOrder,
    poker.ForgetsToAskPoker,
    poker.LooksWithoutAnte,
    poker.SecondLookUnruled,
    poker.TwoDecks,
    poker.PokerBreaksOff,
)
FAULTS: dict[str, tuple[Fault, ...]] = {
    "pontoon-plus-rws-v5": _TWENTY_ONE + _PONTOON + _RWS + _RECORD,
    "blackjack-rws-v5": (*_TWENTY_ONE, *_RWS, twentyone.OverUnderTooHigh, *_RECORD),
    "pontoon-pandemonium-rws-v4": (
        *_TWENTY_ONE,
        *_PONTOON,
        twentyone.StandsUnderTwelve,
        twentyone.SideBetOfAnOutsider,
        *_RECORD,
    ),
    "pontoon-mbs-v5": (*_TWENTY_ONE, *_PONTOON, twentyone.SideBetOnEmptyBox, *_RECORD),
    POKER: _POKER + _RECORD,
}
