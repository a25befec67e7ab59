"""What the record says in the end of each line, its chips, and what was taken back already."""

from __future__ import annotations

from typing import NamedTuple

from replay.answer import Key, Line, made
from replay.facts import Bet, Round, Settled

Sums = tuple[int, int, int]
"""Stake, what went back of it, winnings."""


class Recorded(NamedTuple):
    """What the record says in the end for one line, and what it said before a correction."""

    key: Key
    at: int
    stake: int
    stake_returned: int
    winnings: int
    parts: tuple[Settled, ...]
    before: tuple[Sums, ...]  # what it said before each correction

    @property
    def paid(self) -> int:
        return self.stake_returned + self.winnings

    def to_json(self) -> dict[str, int | str]:
        box, hand, player, bet = self.key
        return {
            "box": box,
            "hand": hand,
            "player": player,
            "bet": bet,
            "stake": self.stake,
            "stake_returned": self.stake_returned,
            "winnings": self.winnings,
        }


def recorded_lines(round_: Round) -> dict[Key, Recorded]:
    """A second settlement of a line adds to the first; a correction replaces what was there."""
    out: dict[Key, Recorded] = {}
    parts: dict[Key, list[Settled]] = {}  # of lines settled more than once, put together at the end
    said: dict[Key, list[Sums]] = {}  # and of lines that were corrected
    before: tuple[Sums, ...]
    for settled in round_.settled:
        at, key, stake, back, winnings, _, correction = settled
        had = out.get(key)
        if had is None:
            before = () if correction is None else ((0, 0, 0),)
            out[key] = made(Recorded, (key, at, stake, back, winnings, (settled,), before))
        elif correction is not None:
            sums = (had.stake, had.stake_returned, had.winnings)
            said.setdefault(key, [*had.before]).append(sums)
            parts.pop(key, None)
            out[key] = Recorded(key, at, stake, back, winnings, (settled,), had.before)
        else:
            out[key] = Recorded(
                key,
                at,
                _stake_of_both(had.stake, stake, round_.bets.get(key)),
                had.stake_returned + back,
                had.winnings + winnings,
                had.parts,
                had.before,
            )
            parts.setdefault(key, [*had.parts]).append(settled)
    for key, several in parts.items():
        out[key] = out[key]._replace(parts=tuple(several))
    for key, earlier in said.items():
        out[key] = out[key]._replace(before=tuple(earlier))
    return out


def _stake_of_both(first: int, second: int, bet: Bet | None) -> int:
    """The stakes of two settlements of a line add up; but equal ones are one stake that is named
    twice, unless together they are no more than what lay there."""
    both = first + second
    return first if first == second and both > lay_there(bet) else both


def lay_there(bet: Bet | None) -> int:
    """The chips of a bet; those that were taken off after the close still count as its own."""
    return 0 if bet is None else max(0, bet.stake - bet.taken) + bet.late_left


def pocketed(round_: Round, line: Line, found: Recorded | None) -> int:
    """Chips that the player took back though they still count, as far as the record leaves them
    out: he has them."""
    if not round_.withdrawn:
        return 0
    bet = round_.bets.get(line.key)
    if bet is None:
        return 0
    taken = sum(amount for _, key, amount in round_.withdrawn if key == line.key)
    lie_there = max(0, bet.stake + bet.late - taken)
    left_out = line.stake - (0 if found is None else found.stake)
    return max(0, min(line.stake - lie_there, left_out))
