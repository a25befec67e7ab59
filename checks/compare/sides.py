"""The answer and the record of a round side by side: where they differ, and by how much."""

from __future__ import annotations

from collections.abc import Mapping

from checks.compare.recorded import Recorded, lay_there, pocketed
from replay.answer import Answer, Key, Line
from replay.facts import Round
from replay.grounds import BORROWED, covers


class Sides:
    """What is due and what was recorded, line by line; neither side is judged here."""

    __slots__ = ("answer", "expected", "recorded", "round", "waiting")

    def __init__(
        self,
        round_: Round,
        answer: Answer,
        expected: Mapping[Key, Line],
        recorded: Mapping[Key, Recorded],
    ) -> None:
        self.round = round_
        self.answer = answer
        self.expected = expected
        self.recorded = recorded
        self.waiting = {
            (f.box, f.hand, f.player, f.bet)
            for f in answer.findings
            if f.kind == "round_not_concluded" and f.bet is not None
        }

    def different(self) -> list[Key]:
        keys = self.recorded.keys() | self.expected.keys()
        return sorted(key for key in keys if self.differs(key))

    def differs(self, key: Key) -> bool:
        line, found = self.expected.get(key), self.recorded.get(key)
        if line is None:  # where the log stops early, a bet without a line is still open
            known = key in self.waiting or self.taken_back(key)
            if known and self.other_reading(key) is None:
                return False
            return self.round.closed or key not in self.round.bets
        if found is None:
            return self.round.closed
        if (found.stake, found.stake_returned, found.winnings) == line.money[:3]:
            return False
        has_some = self._pocketed(key)  # else all of it: nothing is left to be paid or collected
        return not has_some or found.winnings > 0 or line.winnings > 0 or self.gain(key) != 0

    def paid(self, key: Key) -> int:
        found = self.recorded.get(key)
        return 0 if found is None else found.paid

    def owed(self, key: Key) -> int:
        line = self.expected.get(key)
        return 0 if line is None else line.stake_returned + line.winnings

    def gain(self, key: Key) -> int:
        """What the player got too much (above zero) or too little. Of a bet which the rulebook
        leaves undecided the stake is his own; chips that he took back he has."""
        found = self.recorded.get(key)
        if key in self.expected:
            return self.paid(key) - self.owed(key) + self._pocketed(key)
        if found is None or not (found.stake or found.paid):
            return 0
        return found.paid - lay_there(self.round.bets.get(key))

    def _pocketed(self, key: Key) -> int:
        return pocketed(self.round, self.expected[key], self.recorded.get(key))

    def moves_nothing(self, key: Key) -> bool:
        """A booking for a line that is not due: nothing, or the player's own undecided stake."""
        return key not in self.expected and self.gain(key) == 0

    def stake_off(self, key: Key) -> int:
        """By how much the stake in the record is above the line's, or below it."""
        line, found = self.expected.get(key), self.recorded.get(key)
        return (0 if found is None else found.stake) - (0 if line is None else line.stake)

    def other_reading(self, key: Key) -> str | None:
        """The reading under which the record is right for this line."""
        found = self.recorded.get(key)
        for name, changed in self.answer.turned.items():
            if key not in changed or not self._declared_by(name):
                continue
            line = changed[key]
            if line is None or found is None:
                if line is None and found is None:
                    return name
            elif (found.stake_returned, found.winnings) == (line.stake_returned, line.winnings):
                return name
        return None

    def _declared_by(self, reading: str) -> bool:
        """Whether the round was declared void by the paragraph that a reading makes it void by, or
        not at all where it makes it none."""
        clause = self.answer.turned_void.get(reading)
        if clause is None:
            return not self.round.voids
        borrowed = clause.startswith(BORROWED)  # none that this table could have declared
        return any(borrowed or covers(void.clause, clause) for void in self.round.voids)

    def taken_back(self, key: Key) -> bool:
        """A correction left nothing of what had been settled where no bet lay."""
        found = self.recorded.get(key)
        if found is None or not found.before or found.paid != 0:
            return False
        paid_before = any(back + winnings > 0 for _, back, winnings in found.before)
        return found.stake == 0 or (paid_before and key not in self.round.bets)

    def main_clauses(self, key: Key) -> tuple[str, ...]:
        """What decided the player's main bet on the box: why nothing more is due there."""
        for bet in ("initial", "ante"):
            line = self.expected.get((key[0], 1, key[2], bet))
            if line is not None:
                return line.clauses
        return ()
