"""Fold: a round's events, in order, become facts. One method per event, no rule of any game.

There are two drivers: typed events (one round, an investigation) and columns (a table-day, the
nightly run, replay/columns.py). Both call the same methods, so that there is one fold.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from events import model as ev
from events.model import Envelope
from replay.facts import (
    LATER_BETS,
    NEVER,
    Bet,
    Button,
    Card,
    Decision,
    Declared,
    Discard,
    Look,
    Meter,
    Moved,
    Note,
    Option,
    Round,
    Ruling,
    Settled,
)

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
            r.reopened = [*r.reopened, (index, limits != r.limits)]
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
            found.more = [*found.more, (index, amount)]
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
        r.withdrawn = [*r.withdrawn, (index, key, amount)]
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
        r.burnt = [*r.burnt, Card(index, draw, -1, -1, face or "", False)]

    def card_discarded(self, index: int, draw: int, reason: str) -> None:
        self.round.steps.append(Discard(index, draw, reason))
        self.round.irregular = True

    def cards_moved(self, index: int, moves: tuple[tuple[int, int, int], ...]) -> None:
        self.round.steps.append(Moved(index, moves))
        self.round.irregular = True

    def decision_made(
        self, index: int, box: int, hand: int, player: str, decision: str, new_hand: int | None
    ) -> None:
        made = Decision(index, box, hand, player, decision, new_hand)
        self.round.decisions.append(made)
        self.round.steps.append(made)

    def hand_examined(self, index: int, box: int, player: str) -> None:
        r = self.round
        r.looks = [*r.looks, Look(index, box, 1, player)]

    def hand_revealed(self, index: int, box: int, hand: int) -> None:
        r = self.round
        r.revealed = [*r.revealed, Look(index, box, hand, None)]

    def button_pressed(self, index: int, box: int, player: str, multiplier: int) -> None:
        r = self.round
        r.buttons = [*r.buttons, Button(index, box, player, multiplier)]

    def jackpot_read(self, index: int, amount: int, jackpot: str | None) -> None:
        r = self.round
        r.meters = [*r.meters, Meter(index, amount, jackpot)]

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
        r.notes = [*r.notes, Note(index, kind, box, hand, player, by, detail)]
        self.round.irregular = True

    def option_taken(self, index: int, box: int, player: str, option: str) -> None:
        r = self.round
        r.options = [*r.options, Option(index, box, player, option)]
        self.round.irregular = True

    def ruling_made(
        self, index: int, by: str, clause: str, ruling: str, box: int | None, hand: int | None
    ) -> None:
        r = self.round
        r.rulings = [*r.rulings, Ruling(index, by, clause, ruling, box, hand)]
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
        key = (box, hand, player, bet)
        self.round.settled.append(
            Settled(index, key, stake, stake_returned, winnings, phase, correction)
        )

    def round_voided(self, index: int, by: str, clause: str, reason: str) -> None:
        r = self.round
        r.voids = [*r.voids, Declared(index, by, clause, reason)]
        self.round.irregular = True

    def round_closed(self) -> None:
        self.round.closed = True


def micros(at: datetime | None) -> int | None:
    """A time as microseconds since 1970, exactly."""
    return None if at is None else (at - EPOCH) // timedelta(microseconds=1)


def fold_event(fold: Fold, index: int, envelope: Envelope) -> None:  # noqa: C901, PLR0912 - a table
    """Hand one typed event of a round to the fold."""
    match envelope.event:
        case ev.CardDealt(draw, box, hand, card, face_up):
            fold.card_dealt(index, draw, box, hand, card, face_up)
        case ev.DecisionMade(box, hand, player, decision, new_hand):
            fold.decision_made(index, box, hand, player, decision, new_hand)
        case ev.BetPlaced(box, hand, player, bet, amount, seated):
            fold.bet_placed(index, box, hand, player, bet, amount, seated)
        case ev.BetSettled(box, hand, player, bet, stake, back, winnings, phase):
            fold.bet_settled(index, box, hand, player, bet, stake, back, winnings, phase)
        case ev.RoundOpened() as opened:
            limits = {bet: (limit.min, limit.max) for bet, limit in opened.limits.items()}
            fold.round_opened(
                index,
                opened.rulebook,
                opened.shoe,
                opened.decks,
                opened.boxes,
                limits,
                opened.jackpot_bet,
                opened.dealt_from,
                opened.dealer,
                micros(envelope.at),
            )
        case ev.BetsClosed():
            fold.bets_closed(index)
        case ev.RoundClosed():
            fold.round_closed()
        case ev.BetWithdrawn(box, hand, player, bet, amount):
            fold.bet_withdrawn(index, box, hand, player, bet, amount)
        case ev.CardBurnt(draw, card_burnt):
            fold.card_burnt(index, draw, card_burnt)
        case ev.CardDiscarded(draw, reason):
            fold.card_discarded(index, draw, reason)
        case ev.CardsMoved(moves):
            fold.cards_moved(index, tuple((m.draw, m.box, m.hand) for m in moves))
        case ev.HandExamined(box, player):
            fold.hand_examined(index, box, player)
        case ev.HandRevealed(box, hand):
            fold.hand_revealed(index, box, hand)
        case ev.ButtonPressed(box, player, multiplier):
            fold.button_pressed(index, box, player, multiplier)
        case ev.JackpotRead(amount, jackpot):
            fold.jackpot_read(index, amount, jackpot)
        case ev.IrregularityNoted(kind, by, nbox, nhand, nplayer, detail):
            fold.irregularity_noted(index, kind, nbox, nhand, nplayer, by, detail)
        case ev.OptionTaken(box, player, option):
            fold.option_taken(index, box, player, option)
        case ev.RulingMade(by, clause, ruling, rbox, rhand):
            fold.ruling_made(index, by, clause, ruling, rbox, rhand)
        case ev.SettlementCorrected(box, hand, player, bet, stake, back, winnings, phase, why):
            fold.bet_settled(index, box, hand, player, bet, stake, back, winnings, phase, why)
        case ev.RoundVoided(by, clause, reason):
            fold.round_voided(index, by, clause, reason)
        case _:  # a refused bet, or an event between rounds: nothing of it lies on the table
            pass


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
