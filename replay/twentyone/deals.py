"""The two deals as the RWS texts tell them apart: when the initial one was complete, when the
subsequent one began (Plus 1.13, 1.30; Blackjack 1.15, 1.33)."""

from __future__ import annotations

from collections import Counter

from replay.facts import NEVER, Settled
from replay.twentyone.table import TwentyOneTable

ASKS_FOR_A_CARD = frozenset({"hit", "double", "split"})


def initial_done_at(table: TwentyOneTable, now: int) -> int:
    """When every box that is played had its two cards and the dealer his first, as they lie.

    `now`: who had his bets back by then is not dealt to.
    """
    waits = Counter({no: 2 for no, box in table.boxes.items() if table.plays(box, now)})
    waits[0] = 1
    left = sum(waits.values())
    for card in table.round.cards:
        if waits[card.box] > 0 and card in _lying(table, card.box):
            waits[card.box] -= 1
            left -= 1
            if not left:
                return card.at
    return NEVER


def _lying(table: TwentyOneTable, box: int) -> list[object]:
    if box == 0:
        return list(table.dealer)
    hands = table.boxes[box].hands.values()
    return [card for hand in hands for card in hand.cards]


def subsequent_deal_at(table: TwentyOneTable, now: int) -> int:
    """The first card after the initial deal, or after somebody had asked for one."""
    asked = (d.at for d in table.round.decisions if d.decision in ASKS_FOR_A_CARD)
    begins = min(initial_done_at(table, now), min(asked, default=NEVER))
    return next((card.at for card in table.round.cards if card.at > begins), NEVER)


def paid_before(table: TwentyOneTable, at: int) -> list[Settled]:
    """The settlements before a moment. A booking of nothing pays and collects nothing (1.15)."""
    return [
        s for s in table.round.settled if s.at < at and (s.stake or s.stake_returned or s.winnings)
    ]


def is_final(table: TwentyOneTable, settled: Settled) -> bool:
    """Whether it is a final settlement: by the play, whatever the record calls it (1.7, 1.9)."""
    return settled.at > subsequent_deal_at(table, settled.at)
