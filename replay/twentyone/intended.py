"""Where order and decisions put each card: the deal as it should have gone.

Asked only where something was irregular: whether a move puts cards back where they belong (1.21 and
1.24 of the RWS texts: their intended order), and which cards a note on the deal is about.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from replay.cards import value
from replay.facts import NEVER, Card, Decision, Discard, Moved, Note

if TYPE_CHECKING:
    from replay.twentyone.table import TwentyOneTable

Place = tuple[int, int]
DEALER: Place = (0, 0)
ABOUT_CARDS = frozenset({"dealing_error", "cards_to_empty_box", "wrong_card_count"})
ASKING = frozenset({"hit", "double"})


class Intended:
    """A walk through the steps of play that only counts who waits for a card."""

    __slots__ = ("_asked", "_faces", "_over", "_slots", "_table", "drawn", "moved", "places")

    def __init__(self, table: TwentyOneTable) -> None:
        self._table = table
        boxes = sorted(no for no, box in table.boxes.items() if box.initials)
        self._slots: list[Place] = [*((no, 1) for no in boxes), DEALER, *((no, 1) for no in boxes)]
        self._asked: list[Place] = []  # hands that asked for a card which has not come
        self._over: set[Place] = set()  # hands that ask for no more
        self._faces: dict[Place, list[str]] = {(no, 1): [] for no in boxes}
        self.places: dict[int, Place | None] = {}  # None: nobody was to get a card
        self.drawn: list[Card] = []  # cards that the dealer took when it was his turn to draw
        self.moved: dict[int, bool] = {}  # by the move: whether it puts its cards right
        for step in table.round.steps:
            if isinstance(step, Card):
                self._deal(step)
            elif isinstance(step, Decision):
                self._decide(step)
            elif isinstance(step, Moved):
                self._move(step)
            else:
                self._discard(step)

    def _deal(self, card: Card) -> None:
        lies = (card.dealt_box, card.dealt_hand)
        initial = bool(self._slots)
        place = self._next(lies, card.at)
        if place == lies == DEALER and not initial:
            self.drawn.append(card)
        self.places[card.draw] = place
        if place == lies and place in self._asked:
            self._asked.remove(place)
        self._faces.setdefault(lies, []).append(card.face)

    def _next(self, lies: Place, at: int) -> Place | None:
        """Whose turn it is: the initial deal round the table, then who asked, then the dealer."""
        while self._slots:
            place = self._slots.pop(0)
            if place == DEALER or not self._gone(place[0], at):
                return place
        if self._asked:
            return lies if self._may_be(lies) else self._asked[0]
        return DEALER if self._all_decided(at) else None

    def _may_be(self, lies: Place) -> bool:
        """With two hands the first is finished before the second gets its card."""
        if lies not in self._asked:
            return False
        hands = [place for place in self._faces if place[0] == lies[0]]
        return len(hands) != 2 or not any(p[0] == lies[0] and p < lies for p in self._asked)

    def _gone(self, box: int, at: int) -> bool:
        """Whether everybody on the box had his bets back."""
        return not self._table.plays(self._table.boxes[box], at)

    def _all_decided(self, at: int) -> bool:
        return all(
            place in self._over or value(faces)[0] >= 21 or self._gone(place[0], at)
            for place, faces in self._faces.items()
            if place[0] in self._table.boxes
        )

    def _decide(self, made: Decision) -> None:
        place = (made.box, made.hand)
        if made.decision in ASKING:
            self._asked.append(place)
        if made.decision == "split":
            new = (made.box, made.new_hand or made.hand + 1)
            faces = self._faces.get(place, [])
            if len(faces) > 1:
                self._faces[new] = [faces.pop()]
            self._asked = [p for p in self._asked if p not in {place, new}] + [place, new]
        elif made.decision != "hit":
            self._over.add(place)

    def _move(self, step: Moved) -> None:
        self.moved[step.at] = all(
            self._rightly(draw, (box, hand), step.at) for draw, box, hand in step.moves
        )
        lying = {card.draw: card for card in self._table.round.cards if card.at < step.at}
        for draw, box, hand in step.moves:
            card = lying.get(draw)
            if card is None:
                continue
            for faces in self._faces.values():
                if card.face in faces and faces is not self._faces.get((box, hand)):
                    faces.remove(card.face)
                    break
            self._faces.setdefault((box, hand), []).append(card.face)
            if (box, hand) in self._asked:
                self._asked.remove((box, hand))

    def _rightly(self, draw: int, to: Place, at: int) -> bool:
        """Whether a card goes where it belonged; one for nobody goes to who asks for it next."""
        if draw not in self.places:
            return False
        place = self.places[draw]
        if place is not None:
            return place == to
        return to in self._asked or (to == DEALER and self._all_decided(at))

    def _discard(self, step: Discard) -> None:
        """Another card comes in the place of one that was taken away."""
        place = self.places.get(step.draw)
        if place is None or (place == DEALER and not self._slots):
            return
        card = next(card for card in self._table.round.cards if card.draw == step.draw)
        faces = self._faces.get((card.dealt_box, card.dealt_hand), [])
        if card.face in faces:
            faces.remove(card.face)
        if self._slots:
            self._slots.insert(0, place)
        elif place not in self._asked:
            self._asked.insert(0, place)

    def belongs(self, step: Moved) -> bool:
        """Whether a move puts every one of its cards where it belonged."""
        return self.moved.get(step.at, False)

    def rightly(self, card: Card, step: Moved | Discard) -> bool:
        """Whether a card lies where it belonged once cards were moved or taken away."""
        if self.places.get(card.draw) is not None:
            return self.lies_rightly(card)
        if isinstance(step, Discard):
            return False
        return self.belongs(step) and any(draw == card.draw for draw, _, _ in step.moves)

    def lies_rightly(self, card: Card) -> bool:
        """Whether a card lies now where order and decisions put it."""
        place = self.places.get(card.draw)
        if place is None:
            return False
        box = self._table.boxes.get(card.box)
        split = box is not None and card in (box.first or ())  # it may be on a new hand by now
        return (card.box, place[1] if split else card.hand) == place

    def question(self, note: Note) -> tuple[int, ...]:
        """The cards that lie wrongly where a note on the deal says so, or else those that belong
        there, since the last note that was made before them.

        One on the subsequent deal is not about cards that lay there before the first decision.
        """
        if note.kind not in ABOUT_CARDS:
            return ()
        round_ = self._table.round
        last = max((card.at for card in round_.cards if card.at < note.at), default=-1)
        earlier = bisect_left(round_.notes, last, key=lambda n: n.at)
        since = round_.notes[earlier - 1].at if earlier else -1
        out = []
        for card in round_.cards:
            if not since < card.at < note.at:
                continue
            lies, place = (card.dealt_box, card.dealt_hand), self.places[card.draw]
            there = {lies[0], None if place is None else place[0]}
            if lies != place and (note.box is None or note.box in there):
                out.append(card)
        out = [card for card in out if card.dealt_box == note.box] or out
        decided = min((made.at for made in round_.decisions), default=NEVER)
        later = [card for card in out if card.at > decided]
        return tuple(card.draw for card in later or out)
