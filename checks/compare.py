"""Derived against recorded: every line that a table settled otherwise, named and priced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from replay.answer import Answer, Finding, Key, Line
from replay.facts import Bet, Round, Settled
from replay.findings import dollars, where
from replay.rules import ceil_part

WITHOUT_STAKE = frozenset({"super_bonus", "super_bonus_share", "ante_bonus", "envy_bonus"})


class Recorded(NamedTuple):
    """What the record says in the end for one line, and what it said before a correction."""

    key: Key
    at: int
    stake: int
    stake_returned: int
    winnings: int
    parts: tuple[Settled, ...]
    before: tuple[int, int, int] | None  # stake, returned, winnings before it was corrected

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
    for settled in round_.settled:
        had = out.get(settled.key)
        now = (settled.stake, settled.stake_returned, settled.winnings)
        if had is None:
            before = None if settled.correction is None else (0, 0, 0)
            out[settled.key] = Recorded(settled.key, settled.at, *now, (settled,), before)
        elif settled.correction is not None:
            before = had.before or (had.stake, had.stake_returned, had.winnings)
            parts.pop(settled.key, None)
            out[settled.key] = Recorded(settled.key, settled.at, *now, (settled,), before)
        else:
            out[settled.key] = Recorded(
                settled.key,
                settled.at,
                _stake_of_both(had.stake, settled.stake, round_.bets.get(settled.key)),
                had.stake_returned + settled.stake_returned,
                had.winnings + settled.winnings,
                had.parts,
                had.before,
            )
            parts.setdefault(settled.key, [*had.parts]).append(settled)
    for key, several in parts.items():
        out[key] = out[key]._replace(parts=tuple(several))
    return out


def _stake_of_both(first: int, second: int, bet: Bet | None) -> int:
    """The stakes of two settlements of a line add up; but equal ones are one stake that is named
    twice, unless together they are no more than what lay there."""
    both = first + second
    return first if first == second and both > _lay_there(bet) else both


def _lay_there(bet: Bet | None) -> int:
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


def compare(
    round_: Round, answer: Answer, recorded: Mapping[Key, Recorded] | None = None
) -> list[Finding]:
    """The money, judgement and note findings of one round."""
    if answer.status == "unreplayable":
        return []
    if recorded is None:
        recorded = recorded_lines(round_)
    expected = {line.key: line for line in answer.lines}
    if (
        round_.closed
        and not round_.voids
        and answer.status != "void"
        and _all_right(expected, recorded)
    ):
        return []
    return _Comparison(round_, answer, expected, recorded).run()


def _all_right(expected: Mapping[Key, Line], recorded: Mapping[Key, Recorded]) -> bool:
    """The common case, decided quickly: every line recorded once, exactly as derived."""
    if len(expected) != len(recorded):
        return False
    for key, line in expected.items():
        found = recorded.get(key)
        if (
            found is None
            or found.before is not None
            or found.stake != line.stake
            or found.stake_returned != line.stake_returned
            or found.winnings != line.winnings
        ):
            return False
    return True


class _Gains(NamedTuple):
    """What players got too much, and what others got too little: they do not cancel."""

    much: int
    little: int

    @classmethod
    def of(cls, gains: Iterable[int]) -> _Gains:
        some = list(gains)
        return cls(sum(g for g in some if g > 0), -sum(g for g in some if g < 0))


class _Comparison:
    __slots__ = ("answer", "expected", "out", "recorded", "round", "waiting")

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
        self.out: list[Finding] = []

    def run(self) -> list[Finding]:
        differ = [key for key in self.recorded.keys() | self.expected.keys() if self._differs(key)]
        differ.sort()
        if self._void_findings(differ):
            return self.out
        differ = self._allocations(differ)
        for key in differ:
            self._line(key)
        for key in sorted(self.recorded):
            self._corrected(key)
        return self.out

    def _differs(self, key: Key) -> bool:
        line, found = self.expected.get(key), self.recorded.get(key)
        if line is None:  # where the log stops early, a bet without a line is still open
            known = key in self.waiting or self._taken_back(key)
            if known and self._other_reading(key) is None:
                return False
            return self.round.closed or key not in self.round.bets
        if found is None:
            return self.round.closed
        if (found.stake, found.stake_returned, found.winnings) == line.money[:3]:
            return False
        pocketed = self._pocketed(key)  # else all of it: nothing is left to be paid or collected
        return not pocketed or found.winnings > 0 or line.winnings > 0 or self._gain(key) != 0

    def _void_findings(self, differ: list[Key]) -> bool:
        """A void that was due and not declared, or declared without a ground."""
        due, declared = self.answer.status == "void", bool(self.round.voids)
        if due == declared or not self.round.closed:
            return False
        telling = [
            key for key in differ if self._other_reading(key) or not self._moves_nothing(key)
        ]
        if telling and all(self._other_reading(key) is not None for key in telling):
            for key in telling:
                self._line(key)
            return True
        gains = _Gains.of(map(self._gain, differ))
        if due:
            clause = self.answer.void_clause or ""
            says = f"the round is void ({clause}), but nobody declared it"
            self._add("missed_void", (clause,), says, None, money=gains, at=None)
            return True
        declared_void = self.round.voids[0]
        says = (
            f"declared void under {declared_void.clause}, but the rulebook gives no ground for it"
        )
        self._add(
            "wrong_void", (declared_void.clause,), says, None, money=gains, at=declared_void.at
        )
        return True

    def _paid(self, key: Key) -> int:
        found = self.recorded.get(key)
        return 0 if found is None else found.paid

    def _owed(self, key: Key) -> int:
        line = self.expected.get(key)
        return 0 if line is None else line.stake_returned + line.winnings

    def _gain(self, key: Key) -> int:
        """What the player got too much (above zero) or too little. Of a bet which the rulebook
        leaves undecided the stake is his own; chips that he took back he has."""
        found = self.recorded.get(key)
        if key in self.expected:
            return self._paid(key) - self._owed(key) + self._pocketed(key)
        if found is None or not (found.stake or found.paid):
            return 0
        return found.paid - _lay_there(self.round.bets.get(key))

    def _pocketed(self, key: Key) -> int:
        line = self.expected.get(key)
        return 0 if line is None else pocketed(self.round, line, self.recorded.get(key))

    def _moves_nothing(self, key: Key) -> bool:
        """A booking for a line that is not due: nothing, or the player's own undecided stake."""
        return key not in self.expected and self._gain(key) == 0

    def _stake_off(self, key: Key) -> int:
        """By how much the stake in the record is above the line's, or below it."""
        line, found = self.expected.get(key), self.recorded.get(key)
        return (0 if found is None else found.stake) - (0 if line is None else line.stake)

    def _allocations(self, differ: list[Key]) -> list[Key]:
        """Right in total for a player on a box, but booked on other lines."""
        groups: dict[tuple[int, str], list[Key]] = {}
        for key in differ:
            groups.setdefault((key[0], key[2]), []).append(key)
        booked: set[Key] = set()
        for (box, player), keys in groups.items():
            elsewhere = self._booked_elsewhere(keys)
            if not elsewhere:
                continue
            booked.update(elsewhere)
            lines = ", ".join(f"hand {key[1]} {key[3]}" for key in elsewhere)
            found = [self.recorded[key].at for key in elsewhere if key in self.recorded]
            self._add(
                "allocation",
                (),
                f"right in total, but booked on other lines ({lines})",
                (box, None, player, None),
                money=0,
                at=min(found, default=None),
            )
        return [key for key in differ if key not in booked]

    def _booked_elsewhere(self, keys: list[Key]) -> list[Key]:
        """Of one player's lines on a box, those that only together are right.

        Payments tell where money was booked. Lines that agree in what was paid, lost ones mostly,
        are told by their stakes: a stake that stands nowhere in the record was never settled.
        """
        paid = [key for key in keys if self._paid(key) != self._owed(key)]
        if sum(self._paid(key) - self._owed(key) for key in paid) != 0:
            return []
        unpaid = [key for key in keys if key not in paid and self._stake_off(key) != 0]
        off = sum(map(self._stake_off, unpaid))
        if off == 0 or off + sum(map(self._stake_off, paid)) == 0:
            return sorted([*paid, *unpaid])
        twice = self._collected_twice(keys)
        if off + sum(twice.values()) == 0:
            return sorted([*paid, *unpaid, *twice])
        return paid

    def _collected_twice(self, keys: list[Key]) -> dict[Key, int]:
        """Other lines of the player on the box where more was collected than their own stake."""
        box, _, player, _ = keys[0]
        out = {}
        for key, found in self.recorded.items():
            if key[0] == box and key[2] == player and key not in keys and len(found.parts) > 1:
                more = sum(part.stake for part in found.parts) - found.stake
                lost = sum(p.stake for p in found.parts if p.stake_returned + p.winnings == 0)
                if more and lost:
                    out[key] = min(more, lost)
        return out

    def _other_reading(self, key: Key) -> str | None:
        """The reading under which the record is right for this line."""
        found = self.recorded.get(key)
        declared = bool(self.round.voids)
        for name, changed in self.answer.turned.items():
            # a reading that makes the round void fits only a record that was declared void
            if key not in changed or (name in self.answer.turned_void) != declared:
                continue
            line = changed[key]
            if line is None or found is None:
                if line is None and found is None:
                    return name
            elif (found.stake_returned, found.winnings) == (line.stake_returned, line.winnings):
                return name
        return None

    def _line(self, key: Key) -> None:
        reading = self._other_reading(key)
        line, found = self.expected.get(key), self.recorded.get(key)
        if reading is not None:
            self._reading(key, reading, line, found)
        elif line is None:
            if found is not None and not self._moves_nothing(key):
                self._add(
                    "unowed_payment",
                    self._main_clauses(key),
                    f"paid {dollars(found.paid)}, but no such line is due",
                    key,
                    money=self._gain(key),
                    at=found.at,
                )
        elif found is None:
            kind = "missed_bonus" if key[3] in WITHOUT_STAKE else "unsettled_bet"
            self._add(
                kind,
                line.clauses,
                f"not settled, the rulebook gives {_gives(line)}",
                key,
                money=self._gain(key),
                at=None,
            )
        else:
            self._wrong(key, line, found)

    def _main_clauses(self, key: Key) -> tuple[str, ...]:
        """What decided the player's main bet on the box: why nothing more is due there."""
        for bet in ("initial", "ante"):
            line = self.expected.get((key[0], 1, key[2], bet))
            if line is not None:
                return line.clauses
        return ()

    def _reading(self, key: Key, reading: str, line: Line | None, found: Recorded | None) -> None:
        paid = "not settled" if found is None else f"paid {dollars(found.paid)}"
        owed = "no line" if line is None else _gives(line)
        clauses = line.clauses if line is not None else self._turned_clauses(key, reading)
        self._add(
            "reading_conflict",
            clauses,
            f"{paid}, the rulebook as we read it gives {owed}; the record fits the other reading "
            f"of {reading}",
            key,
            money=self._gain(key),
            at=None if found is None else found.at,
        )

    def _turned_clauses(self, key: Key, reading: str) -> tuple[str, ...]:
        other = self.answer.turned[reading].get(key)
        return () if other is None else other.clauses

    def _wrong(self, key: Key, line: Line, found: Recorded) -> None:
        money = self._gain(key)
        kind = self._kind(line, found)
        if kind == "unowed_payment":
            says = f"paid a second time: {dollars(found.paid)} in all, the rulebook gives "
        else:
            says = f"paid {_paid(found)}, the rulebook gives "
        says += _gives(line)
        due = line.basis if found.stake == line.stake else line.stake
        if kind == "wrong_stake" and found.stake != due:
            says += f"; settled on {dollars(found.stake)} instead of {dollars(due)}"
        self._add(kind, line.clauses, says, key, money=money, at=found.at)

    def _kind(self, line: Line, found: Recorded) -> str:
        """Which kind of wrong it is; the first that fits."""
        if _paid_again(line, found):
            return "unowed_payment"
        if self._on_another_amount(line, found):
            return "wrong_stake"
        if line.outcome == "win" and line.winnings and found.winnings not in {0, line.winnings}:
            return "wrong_odds"
        return "wrong_outcome"

    def _on_another_amount(self, line: Line, found: Recorded) -> bool:
        """The outcome is right, but on another amount than the one that counts."""
        if line.key[3] in WITHOUT_STAKE:
            return found.stake != 0 and found.winnings == line.winnings
        if (found.stake_returned, found.winnings) == (line.stake_returned, line.winnings):
            return found.stake != line.stake
        if line.outcome == "win" and found.winnings and found.stake != line.stake:
            return True
        if line.outcome == "lose" and _partly_pushed_back(line, found):
            return True
        bases = {found.stake, line.stake} - {line.basis}
        if found.stake != line.stake:
            bases.add(line.basis)
        if line.outcome == "win" and len(found.parts) > 1:  # one part of the bet, paid in steps
            bases |= {part.stake for part in found.parts} - {0, line.basis}
        return any(_outcome_on(line, found, base) for base in bases)

    def _corrected(self, key: Key) -> None:
        """Settled wrongly, then put right."""
        line, found = self.expected.get(key), self.recorded[key]
        if found.before is None or self._differs(key):
            return
        stake, back, winnings = found.before
        first = f"first settled with {dollars(back + winnings)}"
        if line is None:
            if not self._taken_back(key) or found.before == (0, 0, 0):
                return
            clauses = self._main_clauses(key)
            says = f"{first}, then taken back, because no such line is due"
        else:
            if stake in {0, line.stake} and (back, winnings) == line.money[1:3]:
                return
            clauses = line.clauses
            on = "" if stake in {0, line.stake} else f" on {dollars(stake)}"
            says = f"{first}{on}, then put right to {_gives(line)}"
        self._add("corrected", clauses, says, key, money=0, at=found.at)

    def _taken_back(self, key: Key) -> bool:
        """A correction left nothing of what had been settled where no bet lay."""
        found = self.recorded.get(key)
        if found is None or found.before is None or found.paid != 0:
            return False
        paid_before = sum(found.before[1:]) > 0
        return found.stake == 0 or (paid_before and key not in self.round.bets)

    def _add(
        self,
        kind: str,
        clauses: tuple[str, ...],
        says: str,
        key: tuple[int, int | None, str, str | None] | None,
        *,
        money: int | _Gains,
        at: int | None,
    ) -> None:
        gains = money if isinstance(money, _Gains) else _Gains.of([money])
        box, hand, player, bet = key or (None, None, None, None)
        line = found = None
        if key is not None and hand is not None and bet is not None:
            place = (key[0], hand, key[2], bet)
            line, found = self.expected.get(place), self.recorded.get(place)
        r = self.round
        cited = f" ({', '.join(clauses)})" if clauses else ""
        self.out.append(
            Finding(
                kind=kind,
                table=r.table,
                round=r.id,
                seq=r.seq(at),
                box=box,
                hand=hand,
                player=player,
                bet=bet,
                expected=None if line is None else line.to_json(),
                recorded=None if found is None else dict(found.to_json()),
                money=gains.much - gains.little,
                clauses=clauses,
                message=f"{where(r.id, box, hand, player, bet)}: {says}{cited}",
                too_much=gains.much,
                too_little=gains.little,
            )
        )


def _paid_again(line: Line, found: Recorded) -> bool:
    """What was due had been paid in full, and more came after it. Of a lost bet nothing was due:
    where it was paid, the outcome is wrong."""
    due = (line.stake_returned, line.winnings)
    if due == (0, 0) or (line.outcome == "lose" and found.winnings) or found.paid <= sum(due):
        return False
    back = winnings = 0
    for part in found.parts[:-1]:
        back, winnings = back + part.stake_returned, winnings + part.winnings
        if (back, winnings) == due:
            return True
    return False


def _partly_pushed_back(line: Line, found: Recorded) -> bool:
    """Part of a lost bet went back: collected on another amount, unless half of it went back,
    which is a surrender."""
    back = found.stake_returned
    if found.winnings or not 0 < back < found.stake:
        return False
    excess = line.stake - line.basis
    return back not in {ceil_part(found.stake, 1, 2), excess + ceil_part(line.basis, 1, 2)}


def _outcome_on(line: Line, found: Recorded, base: int) -> bool:
    """Whether the record is what the line's outcome gives on another base."""
    back, winnings = found.stake_returned, found.winnings
    rest = max(0, found.stake - base)
    if line.outcome == "win" and line.odds is not None:
        num, den = (int(part) for part in line.odds.split(":"))
        return winnings == ceil_part(base, num, den) and back in {found.stake, base, line.stake}
    if line.outcome == "lose":
        return winnings == 0 and back in {rest, 0}
    if line.outcome == "surrendered":
        return winnings == 0 and back in {ceil_part(base, 1, 2), rest + ceil_part(base, 1, 2)}
    return winnings == 0 and back == base


def _gives(line: Line) -> str:
    odds = f", {line.odds.replace(':', ' to ')}" if line.odds else ""
    words = line.outcome.replace("_", " ")
    return f"{dollars(line.stake_returned)} + {dollars(line.winnings)} ({words}{odds})"


def _paid(found: Recorded) -> str:
    return f"{dollars(found.stake_returned)} + {dollars(found.winnings)}"
