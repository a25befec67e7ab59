"""Where the order of the deal puts each card (3.10, 3.11), also where one was replaced."""

from __future__ import annotations

from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER, HAND, PokerTable


def ring(table: PokerTable) -> list[int]:
    """The places that are dealt to: the boxes that take part, clockwise, and the dealer's."""
    dealt = {card.dealt_box for card in table.round.cards}
    taking_part = {
        key[0]
        for key, stake in table.stakes.items()
        if key[3] in {"ante", "pair_plus"} and stake.basis
    }
    return [*sorted(taking_part | (table.owner.keys() & dealt)), DEALER]


def place(ring_: list[int], number: int, *, sets: bool) -> int | None:
    """Where a card of the deal goes, by its number; None after the last one."""
    if number >= HAND * len(ring_):
        return None
    return ring_[number // HAND] if sets else ring_[number % len(ring_)]


class Sequence:
    """The cards of a deal in their order. Who replaces a card takes its place in it."""

    __slots__ = ("_holes", "_ring", "_sets", "draws")

    def __init__(self, table: PokerTable) -> None:
        self._ring = ring(table)
        self._sets = table.round.dealt_from == "shuffler"
        self.draws: list[int] = []
        self._holes: dict[int, int] = {}  # a card that was taken out: the box that waits for one

    def deal(self, draw: int, box: int) -> None:
        for gone, waits in self._holes.items():
            if waits == box:
                self.draws[self.draws.index(gone)] = draw
                del self._holes[gone]
                return
        self.draws.append(draw)

    def place(self, draw: int) -> int | None:
        """Where a card belongs; None for one too many."""
        if draw not in self.draws:
            return None
        return place(self._ring, self.draws.index(draw), sets=self._sets)

    def take_out(self, draw: int, box: int) -> None:
        """A card leaves the deal. Where it lay rightly another one will follow."""
        if draw not in self.draws:
            return
        if self.place(draw) == box:
            self._holes[draw] = box
        else:
            self.draws.remove(draw)

    def burn(self, draw: int) -> None:
        """A card counts as burnt: it was none of the deal, and the others move up."""
        if draw in self.draws:
            self.draws.remove(draw)
