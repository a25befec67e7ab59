"""A round as the players see it: whose box it is, the cards as they count, who goes on.

Nothing of the facts is changed: a round is looked at again under other readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from replay.answer import Key
from replay.episodes import Episode
from replay.facts import NEVER, Card, Decision, Discard, Look, Moved, Round
from replay.findings import Findings
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3.play.acts import Acts, Bound
from replay.rulebooks.three_card_poker_rws_v3.play.ranking import ranking
from replay.stakes import Stake

DEALER = 0
"""The dealer's place among the boxes."""

BURN = "burn-with-shuffler"
"""The reading that every round of a shuffler asks."""

HAND = 3
"""The cards of a hand."""

FREE, OPEN, PLAYED, FOLDED, LEFT, UNDECIDED = range(6)
"""Nothing to decide; still to decide; goes on; and three ways to be out of the round."""

Player = tuple[int, str]
"""A player on a box."""


class PokerTable:
    """Boxes, hands and decisions of one round, under one set of readings."""

    __slots__ = (
        "_acts",
        "_ranks",
        "_states",
        "bettors",
        "bound",
        "decided",
        "episodes",
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
        "sequence",
        "stakes",
        "turned",
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
        self.episodes: list[Episode] = []  # what was irregular, and all that was done about it
        self.bound: Bound | None = None  # where there is anything to bind
        self._acts: Mapping[Episode, Acts] = {}
        self.sequence: list[Card] = round_.cards  # the cards of the deal in their order
        self.hands: dict[int, list[Card]] = self._as_dealt()
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
                if not (self._second_word(own, made) and readings.other("fold-then-play")):
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

    def _second_word(self, who: Player, made: Decision) -> bool:
        """Whether a player had decided otherwise before, by a word or by chips for play."""
        before = self.decided.get(who)
        if before is not None:
            return before.decision != made.decision
        key = (who[0], 1, who[1], "play")
        return made.decision == "fold" and key in self.stakes and self.round.bets[key].at < made.at

    def bind(self, bound: Bound) -> None:
        """Read the round as its episodes leave it: where each card lies and counts."""
        self.bound, self.episodes, self._acts = bound, bound.episodes.all, bound.acts
        self.rearranged = any(isinstance(step, Moved | Discard) for step in self.round.steps)
        if self.rearranged:
            self.arrange(bound.lies)
            drawn = {card.draw: card for card in self.round.cards}
            self.sequence = [drawn[draw] for draw in bound.order]

    def arrange(self, lies: Mapping[int, int]) -> None:
        """Lay the cards where they count; those that are not named are out of the round."""
        self.hands = {}
        for card in sorted(self.round.cards, key=lambda card: card.draw):
            if card.draw in lies:
                self.hands.setdefault(lies[card.draw], []).append(card)
        self._ranks.clear()
        self._states.clear()

    def lies(self) -> dict[int, int]:
        """Where each card of the round lies."""
        return {card.draw: box for box, hand in self.hands.items() for card in hand}

    def lies_at(self, at: int) -> dict[int, int]:
        """Where each card counted at a moment: moves that came later are not made yet."""
        places = {card.draw: card.dealt_box for card in self.round.cards}
        for episode in self.episodes:
            for move in episode.moves:
                places.update((draw, box) for draw, box, _ in move.moves if move.at < at)
            for discard in episode.discards:
                if discard.at < at:
                    places.pop(discard.draw, None)
        return places

    def touched(self, episode: Episode) -> frozenset[int]:
        """The boxes that the moves and discards of an episode took from or gave to."""
        acts = self._acts.get(episode)
        return frozenset() if acts is None else frozenset(acts.touched)

    def broken_at(self, episode: Episode) -> int:
        """When other than whole hands were moved in an episode."""
        acts = self._acts.get(episode)
        return NEVER if acts is None else acts.broken_at

    def burn_due(self) -> bool:
        """Whether a card had to be burnt before the deal and was not."""
        round_ = self.round
        if not round_.cards or (round_.burnt and round_.burnt[0].at < round_.cards[0].at):
            return False
        return round_.dealt_from != "shuffler" or self.readings.other(BURN)

    def burn_otherwise(self) -> bool:
        """Whether one would have been due in the other reading."""
        return BURN in self.readings.asked

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
        said = self.said(box, player)
        played = said == UNDECIDED and self.readings.other("undecided-ante")
        return PLAYED if played else said

    def said(self, box: int, player: str) -> int:
        """The same, with an ante that nobody decided as it is, however it counts."""
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
        return UNDECIDED

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

    def folded(self) -> frozenset[int]:
        """The boxes whose hand is over by a fold: nothing that follows changes it."""
        return frozenset(
            box for box, player in self.owner.items() if self.state(box, player) in {FOLDED, LEFT}
        )

    def lay_there(self, box: int, at: int) -> tuple[int, int]:
        """How many cards counted on a box at a moment, and the most that ever did."""
        counts = {move.at for episode in self.episodes for move in episode.moves}
        counts |= {discard.at for episode in self.episodes for discard in episode.discards}
        places: dict[int, int] = {}
        then = most = 0
        for step in self.round.steps:
            if isinstance(step, Card):
                places[step.draw] = step.dealt_box
            elif isinstance(step, Discard) and step.at in counts:
                places.pop(step.draw, None)
            elif isinstance(step, Moved) and step.at in counts:
                places.update((draw, to) for draw, to, _ in step.moves if draw in places)
            there = sum(place == box for place in places.values())
            most = max(most, there)
            if step.at < at:
                then = there
        return then, most

    def first_seen(self) -> int:
        """When the first player saw cards that were dealt to him."""
        bettors, owner = self.bettors, self.owner
        looks = (look for look in self.round.looks if (look.box, look.player) in bettors)
        turned = (look for look in self.round.revealed if look.box in owner)
        return min(
            next((look.at for look in looks if self.cards_at(look)), NEVER),
            next((look.at for look in turned if self.cards_at(look)), NEVER),
        )

    def cards_at(self, look: Look) -> bool:
        """Whether any card had come to a box when it was looked at."""
        box, at = look.box, look.at
        if any(card.dealt_box == box and card.at < at for card in self.round.cards):
            return True
        moved = (step for step in self.round.steps if isinstance(step, Moved) and step.at < at)
        return any(to == box for step in moved for _, to, _ in step.moves)

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
