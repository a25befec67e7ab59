"""Fold: a round's events, in order, become facts. One method per event, no rule of any game.

There are two drivers: typed events (one round, an investigation) and columns (a table-day, the
nightly run, replay/columns.py). Both call the same methods, so that there is one fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from events.model import Envelope
from replay.answer import made
from replay.facts import (
    LATER_BETS,
    NEVER,
    Bet,
    Button,
    Card,
    Decision,
    DeclaredVoid,
    Discard,
    Look,
    MeterReading,
    Moved,
    Note,
    Option,
    Round,
    Ruling,
    Settled,
)

_T = TypeVar("_T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Fold:
    """Collects one round. `index` is the event's place in the round, from 0."""

    __slots__ = ("round",)

    def __init__(self, round_id: str, table: str | None) -> None:
        self.round = Round(round_id, table)

    def round_opened(
        self,
        index: int,
        rulebook: str,
        shoe: str,
        decks: int,
        boxes: int,
        limits: dict[str, tuple[int, int]],
        jackpot_bet: int | None,
        dealt_from: str | None,
        dealer: str | None,
        at: int | None,
    ) -> None:
        r = self.round
        if r.rulebook is not None:  # opened a second time: only what changed matters
            r.reopened = grown(r.reopened, (index, limits != r.limits))
            r.irregular = True
            return
        r.rulebook, r.shoe, r.decks, r.boxes = rulebook, shoe, decks, boxes
        r.limits, r.jackpot_bet = limits, jackpot_bet
        r.dealt_from, r.dealer = dealt_from or "shoe", dealer
        r.opened_at = at

    def bet_placed(
        self, index: int, box: int, hand: int, player: str, bet: str, amount: int, seated: bool
    ) -> None:
        r = self.round
        key = (box, hand, player, bet)
        found = r.bets.get(key)
        if found is None:
            found = r.bets[key] = Bet(index, box, hand, player, bet)
        else:
            found.more = grown(found.more, (index, amount))
        if seated:
            found.seated = True
        found.last = index
        if index > r.close and bet not in LATER_BETS:
            found.late += amount
        else:
            found.stake += amount

    def bet_withdrawn(
        self, index: int, box: int, hand: int, player: str, bet: str, amount: int
    ) -> None:
        r = self.round
        key = (box, hand, player, bet)
        r.withdrawn = grown(r.withdrawn, (index, key, amount))
        found = r.bets.get(key)
        if found is None:
            return  # chips that never lay there: nothing to take from
        if index > r.close and bet not in LATER_BETS:
            found.taken_late += amount
        else:
            found.taken += amount

    def bets_closed(self, index: int) -> None:
        if self.round.close == NEVER:
            self.round.close = index

    def card_dealt(
        self, index: int, draw: int, box: int, hand: int, face: str, face_up: bool
    ) -> None:
        r = self.round
        if r.close == NEVER:
            r.close = index
        card = Card(index, draw, box, hand, face, face_up)
        r.cards.append(card)
        r.steps.append(card)

    def card_burnt(self, index: int, draw: int, face: str | None) -> None:
        r = self.round
        r.burnt = grown(r.burnt, Card(index, draw, -1, -1, face or "", False))

    def card_discarded(self, index: int, draw: int, reason: str) -> None:
        self.round.steps.append(Discard(index, draw, reason))
        self.round.irregular = True

    def cards_moved(self, index: int, moves: tuple[tuple[int, int, int], ...]) -> None:
        self.round.steps.append(Moved(index, moves))
        self.round.irregular = True

    def decision_made(
        self, index: int, box: int, hand: int, player: str, decision: str, new_hand: int | None
    ) -> None:
        one = made(Decision, (index, box, hand, player, decision, new_hand))
        self.round.decisions.append(one)
        self.round.steps.append(one)

    def hand_examined(self, index: int, box: int, player: str) -> None:
        r = self.round
        r.looks = grown(r.looks, Look(index, box, 1, player))

    def hand_revealed(self, index: int, box: int, hand: int) -> None:
        r = self.round
        r.revealed = grown(r.revealed, Look(index, box, hand, None))

    def button_pressed(self, index: int, box: int, player: str, multiplier: int) -> None:
        r = self.round
        r.buttons = grown(r.buttons, Button(index, box, player, multiplier))

    def jackpot_read(self, index: int, amount: int, jackpot: str | None) -> None:
        r = self.round
        r.meters = grown(r.meters, MeterReading(index, amount, jackpot))

    def irregularity_noted(
        self,
        index: int,
        kind: str,
        box: int | None,
        hand: int | None,
        player: str | None,
        by: str,
        detail: str | None,
    ) -> None:
        r = self.round
        r.notes = grown(r.notes, Note(index, kind, box, hand, player, by, detail))
        self.round.irregular = True

    def option_taken(self, index: int, box: int, player: str, option: str) -> None:
        r = self.round
        r.options = grown(r.options, Option(index, box, player, option))
        self.round.irregular = True

    def ruling_made(
        self, index: int, by: str, clause: str, ruling: str, box: int | None, hand: int | None
    ) -> None:
        r = self.round
        r.rulings = grown(r.rulings, Ruling(index, by, clause, ruling, box, hand))
        self.round.irregular = True

    def bet_settled(
        self,
        index: int,
        box: int,
        hand: int,
        player: str,
        bet: str,
        stake: int,
        stake_returned: int,
        winnings: int,
        phase: str,
        correction: str | None = None,
    ) -> None:
        facts = (
            index,
            (box, hand, player, bet),
            stake,
            stake_returned,
            winnings,
            phase,
            correction,
        )
        self.round.settled.append(made(Settled, facts))

    def round_voided(self, index: int, by: str, clause: str, reason: str) -> None:
        r = self.round
        r.voids = grown(r.voids, DeclaredVoid(index, by, clause, reason))
        self.round.irregular = True

    def round_closed(self, index: int) -> None:
        self.round.closed = True
        self.round.closed_at = index


def grown(known: list[_T], one: _T) -> list[_T]:
    """A rarely used list and one more. The empty one is shared by all rounds; from the first entry
    on it is the round's own, and adding to it costs the same however long it is."""
    if not known:
        return [one]
    known.append(one)
    return known


def micros(at: datetime | None) -> int | None:
    """A time as microseconds since 1970, exactly."""
    return None if at is None else (at - EPOCH) // timedelta(microseconds=1)


_SETTLED = ("box", "hand", "player", "bet", "stake", "stake_returned", "winnings", "phase")

HANDED: Mapping[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "RoundOpened": (
        Fold.round_opened,
        tuple("rulebook shoe decks boxes limits jackpot_bet dealt_from dealer at".split()),
    ),
    "BetPlaced": (Fold.bet_placed, ("box", "hand", "player", "bet", "amount", "seated")),
    "BetWithdrawn": (Fold.bet_withdrawn, ("box", "hand", "player", "bet", "amount")),
    "BetsClosed": (Fold.bets_closed, ()),
    "CardBurnt": (Fold.card_burnt, ("draw", "card")),
    "CardDealt": (Fold.card_dealt, ("draw", "box", "hand", "card", "face_up")),
    "CardDiscarded": (Fold.card_discarded, ("draw", "reason")),
    "CardsMoved": (Fold.cards_moved, ("moves",)),
    "HandExamined": (Fold.hand_examined, ("box", "player")),
    "HandRevealed": (Fold.hand_revealed, ("box", "hand")),
    "DecisionMade": (Fold.decision_made, ("box", "hand", "player", "decision", "new_hand")),
    "ButtonPressed": (Fold.button_pressed, ("box", "player", "multiplier")),
    "JackpotRead": (Fold.jackpot_read, ("amount", "jackpot")),
    "IrregularityNoted": (
        Fold.irregularity_noted,
        ("kind", "box", "hand", "player", "by", "detail"),
    ),
    "OptionTaken": (Fold.option_taken, ("box", "player", "option")),
    "RulingMade": (Fold.ruling_made, ("by", "clause", "ruling", "box", "hand")),
    "BetSettled": (Fold.bet_settled, _SETTLED),
    "SettlementCorrected": (Fold.bet_settled, (*_SETTLED, "reason")),
    "RoundVoided": (Fold.round_voided, ("by", "clause", "reason")),
    "RoundClosed": (Fold.round_closed, ()),
}
"""Which method takes which event, with which of the contract's fields. What is not here, a refused
bet or an event between rounds, leaves nothing on the table."""


def fold_event(fold: Fold, index: int, envelope: Envelope) -> None:
    """Hand one typed event of a round to the fold."""
    handed = HANDED.get(envelope.type)
    if handed is not None:
        method, fields = handed
        method(fold, index, *(_value(envelope, name) for name in fields))


def _value(envelope: Envelope, name: str) -> Any:
    """One field of a typed event, as the fold takes it."""
    if name == "at":
        return micros(envelope.at)
    found = getattr(envelope.event, name)
    if name == "limits":
        return {bet: (limit.min, limit.max) for bet, limit in found.items()}
    if name == "moves":
        return tuple((move.draw, move.box, move.hand) for move in found)
    return found


def fold_round(
    envelopes: Iterable[Envelope], *, round_id: str, shuffled: bool | None = None
) -> Round:
    """The facts of one round from its typed events."""
    events = list(envelopes)
    fold = Fold(round_id, events[0].table if events else None)
    for index, envelope in enumerate(events):
        fold_event(fold, index, envelope)
    out = fold.round
    out.events = len(events)
    out.shuffled = shuffled
    out.seqs = [envelope.seq for envelope in events]
    return out
