"""A round as the players see it: whose box it is, the cards as they count, who goes on.

Nothing of the facts is changed: a round is looked at again under other readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from replay.answer import Key
from replay.facts import NEVER, Card, Decision, Discard, Moved, Round
from replay.findings import Findings
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3.ranking import ranking
from replay.stakes import Stake

DEALER = 0
"""The dealer's place among the boxes."""

FREE, OPEN, PLAYED, FOLDED, LEFT, UNDECIDED = range(6)
"""Nothing to decide; still to decide; goes on; and three ways to be out of the round."""

Player = tuple[int, str]
"""A player on a box."""


class Thrown(NamedTuple):
    """A dealt card that was taken out of the round, and how many lay there before."""

    at: int
    box: int
    face: str
    there: int


class Table:
    """Boxes, hands and decisions of one round, under one set of readings."""

    __slots__ = (
        "_ranks",
        "_states",
        "bettors",
        "decided",
        "discarded",
        "final",
        "findings",
        "gone",
        "hands",
        "left",
        "off",
        "open_stays",
        "over",
        "owner",
        "readings",
        "rearranged",
        "round",
        "stakes",
        "touched",
        "turned",
        "whole",
    )

    def __init__(
        self, round_: Round, stakes: dict[Key, Stake], readings: Readings, findings: Findings
    ) -> None:
        self.round = round_
        self.stakes = stakes
        self.readings = readings
        self.findings = findings
        self.off: Mapping[Key, tuple[str, ...]] = {}  # bets that go back
        self.over: Counter[Key] = Counter()  # how much of a bet is above the limit
        self.final = round_.closed  # everything that lies there counts, open or not
        self.turned: frozenset[int] = frozenset()  # else only the hands that were turned over
        self.open_stays = False  # an ante without a decision is not decided, rather than folded
        self.rearranged = False  # cards were moved or discarded
        self.touched: frozenset[int] = frozenset()  # boxes that a move took from or gave to
        self.whole: dict[int, bool] = {}  # per move, whether complete hands moved
        self.discarded: list[Thrown] = []  # dealt cards that were taken out of the round
        self.hands: dict[int, list[Card]] = self._as_dealt()
        if round_.irregular:
            self._rearrange()
        self.bettors: set[Player] = set()
        self.owner: dict[int, str] = self._owners()
        self.decided: dict[Player, Decision] = {}
        for made in round_.decisions:
            if made.decision in {"fold", "play"}:
                own = (made.box, made.player)
                if own not in self.bettors:
                    own = (made.box, self.owner.get(made.box, made.player))
                    if self._decided_himself(own):
                        continue  # what a stranger says undoes nothing
                self.decided[own] = made
        self.left: dict[Player, bool] = {}  # players who walked away: folded by it or not
        self.gone: dict[Player, int] = {}  # since when a hand is invalid and its bets go back
        self._ranks: dict[int, int | None] = {}
        self._states: dict[Player, int] = {}

    def _as_dealt(self) -> dict[int, list[Card]]:
        hands: dict[int, list[Card]] = {}
        for card in self.round.cards:
            hand = hands.get(card.box)
            if hand is None:
                hands[card.box] = [card]
            else:
                hand.append(card)
        return hands

    def _owners(self) -> dict[int, str]:
        """The player in charge of each box: the one who is seated there, else the first.

        Who bet after the close takes over no box on which another player's bet lay in time.
        """
        owner: dict[int, str] = {}
        seated: set[int] = set()
        bets, bettors = self.round.bets, self.bettors
        late: list[Key] = []
        for key in self.stakes:
            bettors.add((key[0], key[2]))
            if bets[key].stake > bets[key].taken:
                _seat(key, bets[key].seated, owner, seated)
            else:
                late.append(key)
        in_time = frozenset(owner)
        for key in late:
            if key[0] not in in_time:
                _seat(key, bets[key].seated, owner, seated)
        return owner

    def _decided_himself(self, who: Player) -> bool:
        """Whether a player decides himself, by a word so far or by chips."""
        made = self.decided.get(who)
        said = made is not None and made.player == who[1]
        return said or (who[0], 1, who[1], "play") in self.round.bets

    def _rearrange(self) -> None:
        """Cards that a reconstruction moved or that were taken out, in the order of play."""
        if not any(isinstance(step, Moved | Discard) for step in self.round.steps):
            return
        lies: dict[int, tuple[Card, int]] = {}  # draw: the card, and the box where it lies
        for step in self.round.steps:
            if isinstance(step, Card):
                lies[step.draw] = (step, step.box)
            elif isinstance(step, Discard):
                self._discard(lies, step)
            elif isinstance(step, Moved):
                self.whole[step.at] = _complete_hands(lies, step)
                for draw, box, _ in step.moves:
                    if draw in lies:
                        self.touched |= {lies[draw][1], box}
                        lies[draw] = (lies[draw][0], box)
        self.rearranged = bool(self.whole or self.discarded)
        self.hands = {}
        for _, (card, box) in sorted(lies.items()):
            self.hands.setdefault(box, []).append(card)

    def _discard(self, lies: dict[int, tuple[Card, int]], step: Discard) -> None:
        """A card leaves the round. After a fold or the payment it is only cleared away."""
        if step.draw not in lies:
            return
        card, box = lies[step.draw]
        said = [d.decision for d in self.round.decisions if d.box == box and d.at < step.at]
        paid = any(s.at < step.at and box in {s.key[0], DEALER} for s in self.round.settled)
        if paid or (said and said[-1] == "fold"):
            return
        there = sum(where == box for _, where in lies.values())
        self.discarded.append(Thrown(step.at, box, card.face, there))
        del lies[step.draw]

    def faces(self, box: int) -> list[str]:
        return [card.face for card in self.hands.get(box, ())]

    def rank(self, box: int) -> int | None:
        """The ranking of a hand as far as it counts; None where it is not known or not there."""
        if box not in self._ranks:
            hand = self.hands.get(box)
            if not hand or not (self.final or (box in self.turned and len(hand) == 3)):
                self._ranks[box] = None
            else:
                self._ranks[box] = ranking([card.face for card in hand])
        return self._ranks[box]

    def ante(self, box: int, player: str) -> bool:
        """Whether a player has an ante on a box of which any part counts."""
        stake = self.stakes.get((box, 1, player, "ante"))
        return stake is not None and bool(stake.basis)

    def state(self, box: int, player: str) -> int:
        """Whether a player still takes part on a box."""
        found = self._states.get((box, player))
        if found is None:
            found = self._states[box, player] = self._state(box, player)
        return found

    def _state(self, box: int, player: str) -> int:
        if self.left.get((box, player)):
            return LEFT
        made = self.decision(box, player)
        if not self.ante(box, player):
            if made is not None and made.decision == "fold":
                return FOLDED if self.readings.other("fold-by-pair-plus") else FREE
            return FREE
        if made is not None:
            return FOLDED if made.decision == "fold" else PLAYED
        if (box, 1, player, "play") in self.stakes:
            return PLAYED
        undealt = not self.hands.get(box)
        if undealt or not self.final or self.open_stays or (box, 1, player, "ante") in self.off:
            return OPEN
        return PLAYED if self.readings.other("undecided-ante") else UNDECIDED

    def decision(self, box: int, player: str) -> Decision | None:
        """What a player decided on a box last, or the one in charge of it where he did not."""
        return self.decided.get((box, player)) or self.decided.get((box, self.owner[box]))

    def undecided_stay_open(self) -> None:
        """Play stopped or was broken off: who had not decided has not folded by that."""
        self.open_stays = True
        self._states.clear()

    def show_only(self, boxes: frozenset[int]) -> None:
        """Count only the hands on these boxes, and settle nothing that is not decided yet."""
        self.final, self.turned = False, boxes
        self._ranks.clear()
        self._states.clear()

    def first_seen(self) -> int:
        """When the first player saw cards that were dealt to him."""
        looks = [look.at for look in self.round.looks if (look.box, look.player) in self.bettors]
        turned = [look.at for look in self.round.revealed if look.box in self.owner]
        return min((*looks, *turned), default=NEVER)

    def revealed_at(self, box: int) -> int:
        return min((look.at for look in self.round.revealed if look.box == box), default=NEVER)

    def bets_of(self, box: int, player: str) -> list[Key]:
        return [key for key in self.stakes if key[0] == box and key[2] == player]


def _seat(key: Key, sits: bool, owner: dict[int, str], seated: set[int]) -> None:
    """Put a player in charge of a box: who is seated goes before the first who bet."""
    box, player = key[0], key[2]
    if sits and box not in seated:
        seated.add(box)
        owner[box] = player
    owner.setdefault(box, player)


def _complete_hands(lies: Mapping[int, tuple[Card, int]], step: Moved) -> bool:
    """Whether a move takes whole hands from one place to another."""
    to = {draw: box for draw, box, _ in step.moves if draw in lies}
    for box in {lies[draw][1] for draw in to}:
        targets = {to.get(draw) for draw, (_, where) in lies.items() if where == box}
        if len(targets) != 1:  # some cards stay, or they go to several places
            return False
    return True
