"""What the rules allowed at a moment: every decision is tried on the round as it then stood.

The rulebook itself is asked: the decision is added to the events so far, the round is replayed,
and a decision that brings no finding of its own was allowed. So there is no second list of what is
legal that could disagree with the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from events import model as ev
from events.model import Envelope
from pipelines.investigate.scene import Scene, SceneHand, scenes
from replay.answer import Finding
from replay.engine import replay_round
from replay.fold import fold_round

DECISIONS = "hit stand double split surrender even_money withdraw_double play fold".split()
_NOT_A_DECISION = "no such decision"


@dataclass(frozen=True, slots=True)
class Allowed:
    """One thing somebody could do, and why not where the rules forbid it."""

    box: int
    hand: int
    player: str | None
    what: str
    allowed: bool
    clauses: tuple[str, ...] = ()
    why_not: str | None = None

    def to_json(self) -> dict[str, object]:
        return {
            "box": self.box,
            "hand": self.hand,
            "player": self.player,
            "what": self.what,
            "allowed": self.allowed,
            "clauses": list(self.clauses),
            "why_not": self.why_not,
        }


def allowed_after(
    events: Sequence[Envelope],
    round_id: str,
    shuffled: bool | None,
    turned: frozenset[str] = frozenset(),
    book_id: str | None = None,
) -> list[Allowed]:
    """Decisions of every live hand, insurance, and whether the dealer may draw."""
    stand = scenes(events)[-1] if events else Scene()
    if stand.closed or stand.void or stand.open:
        return []
    asker = _Asker(tuple(events), round_id, shuffled, turned, book_id)
    out: list[Allowed] = []
    players = dict(stand.players)
    for hand in stand.hands:
        if hand.box and hand.cards and hand.box in players:
            out += asker.decisions(hand, players[hand.box], stand)
    dealer = stand.hand(0, 0)
    if dealer is not None and dealer.cards:
        out.append(asker.dealer())
    return out


@dataclass(frozen=True, slots=True)
class _Asker:
    events: tuple[Envelope, ...]
    round_id: str
    shuffled: bool | None
    turned: frozenset[str]
    book_id: str | None

    def decisions(self, hand: SceneHand, player: str, stand: Scene) -> list[Allowed]:
        out = []
        for word in DECISIONS:
            extra, new_hand = self._chips(hand, player, word, stand)
            made = ev.DecisionMade(hand.box, hand.no, player, word, new_hand)
            broken = self._try(made, *extra, kinds=("illegal_decision",))
            if broken is not None and _NOT_A_DECISION in broken.message:
                continue
            out.append(_verdict(hand.box, hand.no, player, word, broken))
        initial = _amount(hand, player, "initial")
        if initial and hand.no == 1:
            bet = ev.BetPlaced(hand.box, 1, player, "insurance", max(initial // 2, 1), True)
            broken = self._try(bet, kinds=("illegal_bet", "late_bet"))
            if not _amount(hand, player, "insurance"):
                out.append(_verdict(hand.box, 1, player, "insurance", broken))
        return out

    def dealer(self) -> Allowed:
        """A low card is tried, so that nothing but the rule on drawing can object."""
        draws = [e.event.draw for e in self.events if isinstance(e.event, ev.CardDealt)]
        drawn = ev.CardDealt(max(draws) + 1, 0, 0, "2S", True)
        broken = self._try(drawn, kinds=("dealer_draw", "deal_order"))
        return _verdict(0, 0, None, "draw a card", broken)

    def _chips(
        self, hand: SceneHand, player: str, word: str, stand: Scene
    ) -> tuple[tuple[ev.Event, ...], int | None]:
        """A double, a split or a play comes with its chips."""
        box = hand.box
        new_hand = 1 + max(h.no for h in stand.hands if h.box == box)
        first = stand.hand(box, 1)
        main = 0 if first is None else _amount(first, player, "initial")
        if word == "double" and main:
            return (ev.BetPlaced(box, hand.no, player, "double", main, True),), None
        if word == "split" and main:
            return (ev.BetPlaced(box, new_hand, player, "split", main, True),), new_hand
        ante = _amount(hand, player, "ante")
        if word == "play" and ante:
            return (ev.BetPlaced(box, 1, player, "play", ante, True),), None
        return (), new_hand if word == "split" else None

    def _try(self, *tried: ev.Event, kinds: tuple[str, ...]) -> Finding | None:
        """The first finding that the event itself brings."""
        at = len(self.events)
        more = tuple(Envelope(event, self.round_id) for event in tried)
        round_ = fold_round((*self.events, *more), round_id=self.round_id, shuffled=self.shuffled)
        answer = replay_round(round_, self.turned, book_id=self.book_id)
        return next((f for f in answer.findings if f.kind in kinds and f.at == at), None)


def _amount(hand: SceneHand, player: str, bet: str) -> int:
    return sum(c.amount for c in hand.chips if (c.player, c.bet) == (player, bet))


def _verdict(box: int, hand: int, player: str | None, what: str, broken: Finding | None) -> Allowed:
    if broken is None:
        return Allowed(box, hand, player, what.replace("_", " "), True)
    _, _, says = broken.message.partition(": ")
    says = says.rpartition(" (")[0] or says
    _, but, rest = says.partition(", but ")
    return Allowed(
        box,
        hand,
        player,
        what.replace("_", " "),
        False,
        broken.clauses,
        rest if but else says,
    )
