"""The table after each event, as a camera above it would have seen it.

This is a look at the record, apart from the replay: it judges nothing and knows no rule but how
cards add up. The terminal and the page draw from the same scenes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from events import model as ev
from events.model import Envelope
from replay.registry import rulebook


@dataclass(frozen=True, slots=True)
class SceneCard:
    """A card on the table: which, whether it lies face up, and its number out of the shoe."""

    face: str
    up: bool
    draw: int


@dataclass(frozen=True, slots=True)
class SceneChips:
    """One bet of one player, and what became of it once it was settled."""

    player: str
    bet: str
    amount: int
    settled: tuple[int, int] | None = None  # stake returned, winnings


@dataclass(frozen=True, slots=True)
class SceneHand:
    """Cards and chips of one hand, and what the players said about it."""

    box: int
    no: int
    cards: tuple[SceneCard, ...] = ()
    chips: tuple[SceneChips, ...] = ()
    said: tuple[str, ...] = ()  # stand, double, surrender ... in order
    split: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole table at one moment."""

    hands: tuple[SceneHand, ...] = ()  # by box and number; the dealer's is box 0
    players: tuple[tuple[int, str], ...] = ()  # who decides, per box
    open: bool = True  # bets are taken
    burnt: int = 0
    discarded: tuple[SceneCard, ...] = ()
    drawn: int = 0
    meter: int | None = None
    void: bool = False
    closed: bool = False

    def hand(self, box: int, no: int) -> SceneHand | None:
        return next((h for h in self.hands if (h.box, h.no) == (box, no)), None)


@dataclass(slots=True)
class _Stage:
    """The scene while events are played into it."""

    hands: dict[tuple[int, int], SceneHand] = field(default_factory=dict)
    players: dict[int, str] = field(default_factory=dict)
    scene: Scene = field(default_factory=Scene)

    def hand(self, box: int, no: int) -> SceneHand:
        return self.hands.setdefault((box, no), SceneHand(box, no))

    def put(self, hand: SceneHand) -> None:
        self.hands[hand.box, hand.no] = hand

    def set(self, **changed: object) -> None:
        self.scene = replace(self.scene, **changed)  # type: ignore[arg-type]

    def snapshot(self) -> Scene:
        hands = tuple(self.hands[key] for key in sorted(self.hands))
        return replace(self.scene, hands=hands, players=tuple(sorted(self.players.items())))


def scenes(events: Sequence[Envelope]) -> list[Scene]:
    """The table after each of some events."""
    stage = _Stage()
    out = []
    for envelope in events:
        _play(stage, envelope.event)
        out.append(stage.snapshot())
    return out


def _play(stage: _Stage, event: ev.Event) -> None:
    match event:
        case ev.BetPlaced(box, hand, player, bet, amount, seated):
            if seated or box not in stage.players:
                stage.players[box] = player
            _chips(stage, box, hand, player, bet, amount)
        case ev.BetWithdrawn(box, hand, player, bet, amount):
            _chips(stage, box, hand, player, bet, -amount)
        case ev.CardDealt(draw, box, hand, face, up):
            mine = stage.hand(box, hand)
            stage.put(replace(mine, cards=(*mine.cards, SceneCard(face, up, draw))))
            stage.set(drawn=draw, open=False)
        case ev.DecisionMade():
            _decide(stage, event)
        case ev.BetSettled() | ev.SettlementCorrected():
            _settle(stage, event)
        case ev.HandRevealed(box, hand):
            mine = stage.hand(box, hand)
            stage.put(replace(mine, cards=tuple(replace(c, up=True) for c in mine.cards)))
        case _:
            _play_rest(stage, event)


def _play_rest(stage: _Stage, event: ev.Event) -> None:
    match event:
        case ev.BetsClosed():
            stage.set(open=False)
        case ev.CardBurnt(draw):
            stage.set(burnt=stage.scene.burnt + 1, drawn=draw)
        case ev.CardDiscarded(draw):
            _take_out(stage, draw)
        case ev.CardsMoved(moves):
            for move in moves:
                _move(stage, move)
        case ev.HandExamined(box, player):
            mine = stage.hand(box, 1)
            stage.put(replace(mine, said=(*mine.said, f"seen by {player}")))
        case ev.ButtonPressed(box, _, multiplier):
            mine = stage.hand(box, 1)
            stage.put(replace(mine, said=(*mine.said, f"button x{multiplier}")))
        case ev.OptionTaken(box, _, option):
            mine = stage.hand(box, 1)
            stage.put(replace(mine, said=(*mine.said, option.replace("_", " "))))
        case ev.JackpotRead(amount):
            stage.set(meter=amount)
        case ev.RoundVoided():
            stage.set(void=True)
        case ev.RoundClosed():
            stage.set(closed=True)
        case _:
            pass  # notes and rulings move nothing on the table


def _chips(stage: _Stage, box: int, hand: int, player: str, bet: str, amount: int) -> None:
    mine = stage.hand(box, hand)
    out, found = [], False
    for chips in mine.chips:
        if (chips.player, chips.bet) == (player, bet):
            found = True
            left = chips.amount + amount
            if left > 0:
                out.append(replace(chips, amount=left))
        else:
            out.append(chips)
    if not found and amount > 0:
        out.append(SceneChips(player, bet, amount))
    stage.put(replace(mine, chips=tuple(out)))


def _decide(stage: _Stage, made: ev.DecisionMade) -> None:
    mine = stage.hand(made.box, made.hand)
    word = made.decision.replace("_", " ")
    if made.player != stage.players.get(made.box):
        word = f"{word} ({made.player})"
    if made.decision != "hit":
        mine = replace(mine, said=(*mine.said, word))
    if made.decision == "split" and made.new_hand and len(mine.cards) >= 2:
        new = stage.hand(made.box, made.new_hand)
        stage.put(replace(new, cards=(mine.cards[-1], *new.cards), split=True))
        mine = replace(mine, cards=mine.cards[:-1], split=True)
    stage.put(mine)


def _settle(stage: _Stage, event: ev.BetSettled | ev.SettlementCorrected) -> None:
    mine = stage.hand(event.box, event.hand)
    now = (event.stake_returned, event.winnings)
    out, found = [], False
    for chips in mine.chips:
        if (chips.player, chips.bet) == (event.player, event.bet):
            found = True
            had = chips.settled
            if had is not None and isinstance(event, ev.BetSettled):
                now = (had[0] + now[0], had[1] + now[1])
            out.append(replace(chips, settled=now))
        else:
            out.append(chips)
    if not found:
        out.append(SceneChips(event.player, event.bet, 0, now))
    stage.put(replace(mine, chips=tuple(out)))


def _take(stage: _Stage, draw: int) -> SceneCard | None:
    for hand in stage.hands.values():
        for card in hand.cards:
            if card.draw == draw:
                stage.put(replace(hand, cards=tuple(c for c in hand.cards if c is not card)))
                return card
    return None


def _take_out(stage: _Stage, draw: int) -> None:
    card = _take(stage, draw)
    if card is not None:
        stage.set(discarded=(*stage.scene.discarded, card))


def _move(stage: _Stage, move: ev.Move) -> None:
    card = _take(stage, move.draw)
    if card is not None:
        mine = stage.hand(move.box, move.hand)
        cards = sorted((*mine.cards, card), key=lambda c: c.draw)
        stage.put(replace(mine, cards=tuple(cards)))


def counts(hand: SceneHand, rulebook_id: str | None) -> str:
    """What a hand amounts to, in the words of its rulebook."""
    faces = [card.face for card in hand.cards]
    book = rulebook(rulebook_id) if rulebook_id is not None else None
    if not faces or book is None:
        return ""
    doubled = any(word.startswith("double") for word in hand.said)
    return book.hand_words(faces, doubled, hand.split)
