"""Irregularities of the contract's section 5, each handled as the rulebook prescribes.

Where a text has no paragraph on a kind, the list of its game leaves it out.
"""

from __future__ import annotations

from events.devices.plan import POKER
from events.devices.script import SimulatedRound
from events.devices.trouble import dealing, poker, poker_dealing, twentyone

_EVERYWHERE: tuple[type[SimulatedRound], ...] = (
    twentyone.ForeignCard,
    dealing.SkippedBox,
    dealing.MixedUpCards,
    dealing.FirstCardsToEmptyBox,
    twentyone.Corrected,
)
_RWS: tuple[type[SimulatedRound], ...] = (
    twentyone.WrongNumberOfCards,
    twentyone.CardExcess,
    twentyone.NotShuffled,
    twentyone.EarlyInterruption,
    twentyone.LateInterruption,
    twentyone.FaceUpInShoe,
    twentyone.PlayerLeft,
    twentyone.MisplacedChips,
    twentyone.SqueezedCardExposed,
    dealing.HitToWrongBox,
    dealing.HitToEmptyBox,
    dealing.TwoCardsAtOnce,
    dealing.TwoCardsForDealer,
    twentyone.RunsOut,
)
_POKER: tuple[type[SimulatedRound], ...] = (
    poker.ForeignPokerCard,
    poker.PokerCardTwice,
    poker.PokerShortage,
    poker.PokerNotShuffled,
    poker.PokerRunsOut,
    poker.EarlyPokerInterruption,
    poker.LatePokerInterruption,
    poker.PokerFaceUpInShoe,
    poker.MeterFailsEarly,
    poker.MeterFailsLate,
    poker.LooksAtTwoHands,
    poker.LooksByAccident,
    poker.LeavesBeforeDeciding,
    poker.LeavesAfterDeciding,
    poker.MisplacedPokerChips,
    poker.PokerCorrected,
    poker_dealing.HandsToWrongBoxes,
    poker_dealing.HandToEmptyBox,
    poker_dealing.MixedUpPokerCards,
    poker_dealing.MixedUpAndSeen,
    poker_dealing.TwoPokerCardsAtOnce,
    poker_dealing.NoBurn,
    poker_dealing.NoBurnForGood,
    poker_dealing.NoBurnSeen,
    poker_dealing.TwoExposed,
    poker_dealing.OneExposed,
    poker_dealing.ExposedAfterALook,
    poker_dealing.CardTooMany,
    poker_dealing.CardTooManyForDealer,
)
TROUBLE: dict[str, tuple[type[SimulatedRound], ...]] = {
    "pontoon-plus-rws-v5": _EVERYWHERE + _RWS,
    "blackjack-rws-v5": _EVERYWHERE + _RWS,
    "pontoon-pandemonium-rws-v4": (*_EVERYWHERE, twentyone.InterruptionWithoutClause),
    "pontoon-mbs-v5": (*_EVERYWHERE, twentyone.InterruptionWithoutClause),
    POKER: _POKER,
}
