"""Who is at the table: guests come, play their usual stake with their own mistakes, and leave."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from events.devices.floor import GameFloor, Guests, Limits


class Guest:
    """One guest under an opaque reference, for as long as he stays."""

    __slots__ = ("error", "ref", "rounds_left", "side_bets", "stake_cents")

    def __init__(
        self, ref: str, stake_cents: int, error: float, rounds_left: int, side_bets: dict[str, int]
    ) -> None:
        self.ref = ref
        self.stake_cents = stake_cents
        self.error = error
        self.rounds_left = rounds_left
        self.side_bets = side_bets


class Party:
    """The guests of one table: at most one seated per box, others standing behind the boxes."""

    __slots__ = ("_boxes", "_floor", "_game", "_limits", "_rng", "seated", "standing")

    def __init__(
        self, game: GameFloor, floor: Guests, limits: Limits, boxes: int, rng: Random
    ) -> None:
        self._game = game
        self._floor = floor
        self._limits = limits
        self._boxes = boxes
        self._rng = rng
        self.seated: dict[int, Guest] = {}
        self.standing: list[tuple[int, Guest]] = []

    @property
    def main_bet(self) -> str:
        """The bet that lets a guest take part."""
        return "ante" if "ante" in self._limits else "initial"

    def arrive(self, occupancy: float) -> None:
        """Fill the table as it opens."""
        for box in range(1, self._boxes + 1):
            if box not in self.seated and self._rng.random() < occupancy:
                self._sit(box)
        self._at_least_one()

    def move(self, occupancy: float) -> None:
        """Between two rounds: some leave, others come, about as many as the hour has."""
        seated, rng = self.seated, self._rng
        for guest in {id(g): g for g in seated.values()}.values():
            guest.rounds_left -= 1
        for box in [b for b, g in seated.items() if g.rounds_left <= 0]:
            del seated[box]
        joins = occupancy / (1.05 - occupancy) / self._floor.rounds_stayed
        for box in range(1, self._boxes + 1):
            if box not in seated and rng.random() < joins:
                self._sit(box)
        self._at_least_one()
        if self.main_bet == "initial":
            self._stand_around()

    def playing(self) -> Iterator[tuple[int, Guest]]:
        """Who bets in this round, by box; now and then somebody sits out, never all."""
        boxes = sorted(self.seated)
        for n, box in enumerate(boxes):
            alone = n == 0
            if alone or self._rng.random() >= self._floor.sits_out:
                yield box, self.seated[box]

    def another(self, not_at: int) -> Guest | None:
        """Somebody seated elsewhere."""
        others = [g for b, g in sorted(self.seated.items()) if b != not_at]
        return others[0] if others else None

    def newcomer(self) -> Guest:
        """A guest nobody has seen yet."""
        rng, floor = self._rng, self._floor
        low, high = self._limits[self.main_bet]
        times = rng.choices(floor.stake_in_minimums, floor.stake_weights)[0]
        side = {
            bet: self._side_stake(bet)
            for bet, share in self._game.side_bets.items()
            if rng.random() < share * 2
        }
        return Guest(
            f"P{rng.getrandbits(32):08X}",
            min(low * times, high),
            rng.choice(floor.errors),
            1 + int(rng.expovariate(1 / floor.rounds_stayed)),
            side,
        )

    def _side_stake(self, bet: str) -> int:
        if bet not in self._limits:
            return 0  # a prescribed amount
        low, high = self._limits[bet]
        return min(high, low * self._rng.choice((1, 1, 1, 2, 2, 5)))

    def _sit(self, box: int) -> None:
        guest = self.seated[box] = self.newcomer()
        if self._rng.random() < self._floor.second_box:
            beside = box + 1
            if beside <= self._boxes and beside not in self.seated:
                self.seated[beside] = guest

    def _at_least_one(self) -> None:
        if not self.seated:
            self._sit(1 + int(self._rng.random() * self._boxes))

    def _stand_around(self) -> None:
        rng = self._rng
        for entry in self.standing:
            entry[1].rounds_left -= 1
        self.standing = [e for e in self.standing if e[1].rounds_left > 0 and e[0] in self.seated]
        if rng.random() < self._floor.standing * 0.1:
            box = rng.choice(sorted(self.seated))
            guest = self.newcomer()
            guest.rounds_left = 1 + guest.rounds_left // 4
            self.standing.append((box, guest))
