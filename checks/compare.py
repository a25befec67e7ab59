"""Derived against recorded: every line that a table settled otherwise, named and priced."""

from __future__ import annotations

from collections.abc import Mapping
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
    for settled in round_.settled:
        had = out.get(settled.key)
        now = (settled.stake, settled.stake_returned, settled.winnings)
        if had is None:
            before = None if settled.correction is None else (0, 0, 0)
            out[settled.key] = Recorded(settled.key, settled.at, *now, (settled,), before)
        elif settled.correction is not None:
            before = had.before or (had.stake, had.stake_returned, had.winnings)
            out[settled.key] = Recorded(settled.key, settled.at, *now, (settled,), before)
        else:
            out[settled.key] = Recorded(
                settled.key,
                settled.at,
                _stake_of_both(had.stake, settled.stake, round_.bets.get(settled.key)),
                had.stake_returned + settled.stake_returned,
                had.winnings + settled.winnings,
                (*had.parts, settled),
                had.before,
            )
    return out


def _stake_of_both(first: int, second: int, bet: Bet | None) -> int:
    """The stakes of two settlements of a line add up; but equal ones are one stake that is named
    twice, unless together they are no more than what lay there."""
    both = first + second
    return first if first == second and both > _lay_there(bet) else both


def _lay_there(bet: Bet | None) -> int:
    """The chips of a bet; those that were taken off after the close still count as its own."""
    return 0 if bet is None else max(0, bet.stake - bet.taken) + bet.late_left


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


class _Comparison:
    __slots__ = ("answer", "expected", "out", "recorded", "round")

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
        self.out: list[Finding] = []

    def run(self) -> list[Finding]:
        differ = [key for key in self.recorded.keys() | self.expected.keys() if self._differs(key)]
        differ.sort()
        if self._void_findings(differ):
            return self.out
        differ = self._allocations(differ)
        for key in differ:
            self._line(key)
        for key in sorted(self.recorded.keys() & self.expected.keys()):
            self._corrected(key)
        return self.out

    def _differs(self, key: Key) -> bool:
        line, found = self.expected.get(key), self.recorded.get(key)
        if line is None:  # where the log stops early, a bet without a line is still open
            return self.round.closed or key not in self.round.bets
        if found is None:
            return self.round.closed
        return (found.stake, found.stake_returned, found.winnings) != line.money[:3]

    def _void_findings(self, differ: list[Key]) -> bool:
        """A void that was due and not declared, or declared without a ground."""
        due, declared = self.answer.status == "void", bool(self.round.voids)
        if due == declared or not self.round.closed:
            return False
        if differ and all(self._other_reading(key) is not None for key in differ):
            for key in differ:
                self._line(key)
            return True
        money = sum(self._paid(key) - self._owed(key) for key in differ)
        if due:
            clause = self.answer.void_clause or ""
            says = f"the round is void ({clause}), but nobody declared it"
            self._add("missed_void", (clause,), says, None, money=money, at=None)
            return True
        declared_void = self.round.voids[0]
        says = (
            f"declared void under {declared_void.clause}, but the rulebook gives no ground for it"
        )
        self._add(
            "wrong_void", (declared_void.clause,), says, None, money=money, at=declared_void.at
        )
        return True

    def _paid(self, key: Key) -> int:
        found = self.recorded.get(key)
        return 0 if found is None else found.paid

    def _owed(self, key: Key) -> int:
        line = self.expected.get(key)
        return 0 if line is None else line.stake_returned + line.winnings

    def _allocations(self, differ: list[Key]) -> list[Key]:
        """Right in total for a player on a box, but booked on other lines."""
        groups: dict[tuple[int, str], list[Key]] = {}
        for key in differ:
            if self._paid(key) != self._owed(key):
                groups.setdefault((key[0], key[2]), []).append(key)
        booked: set[Key] = set()
        for (box, player), keys in groups.items():
            if len(keys) < 2 or sum(self._paid(k) - self._owed(k) for k in keys) != 0:
                continue
            booked.update(keys)
            lines = ", ".join(f"hand {key[1]} {key[3]}" for key in keys)
            self._add(
                "allocation",
                (),
                f"right in total, but booked on other lines ({lines})",
                (box, None, player, None),
                money=0,
                at=min((self.recorded[k].at for k in keys if k in self.recorded), default=None),
            )
        return [key for key in differ if key not in booked]

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
            if found is not None:
                self._add(
                    "unowed_payment",
                    self._main_clauses(key),
                    f"paid {dollars(found.paid)}, but no such line is due",
                    key,
                    money=found.paid,
                    at=found.at,
                )
        elif found is None:
            kind = "missed_bonus" if key[3] in WITHOUT_STAKE else "unsettled_bet"
            self._add(
                kind,
                line.clauses,
                f"not settled, the rulebook gives {_gives(line)}",
                key,
                money=-self._owed(key),
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
            money=self._paid(key) - self._owed(key),
            at=None if found is None else found.at,
        )

    def _turned_clauses(self, key: Key, reading: str) -> tuple[str, ...]:
        other = self.answer.turned[reading].get(key)
        return () if other is None else other.clauses

    def _wrong(self, key: Key, line: Line, found: Recorded) -> None:
        money = found.paid - line.stake_returned - line.winnings
        kind = self._kind(line, found)
        if kind == "unowed_payment":
            says = f"paid a second time: {dollars(found.paid)} in all, the rulebook gives "
        else:
            says = f"paid {_paid(found)}, the rulebook gives "
        self._add(kind, line.clauses, says + _gives(line), key, money=money, at=found.at)

    def _kind(self, line: Line, found: Recorded) -> str:
        """Which kind of wrong it is; the first that fits."""
        if len(found.parts) > 1 and found.paid > line.stake_returned + line.winnings:
            first = found.parts[0]
            if (first.stake_returned, first.winnings) == (line.stake_returned, line.winnings):
                return "unowed_payment"
        if self._on_another_amount(line, found):
            return "wrong_stake"
        if line.outcome == "win" and line.winnings and found.winnings:
            return "wrong_odds"
        return "wrong_outcome"

    def _on_another_amount(self, line: Line, found: Recorded) -> bool:
        """The outcome is right, but on another amount than the one that counts."""
        if line.key[3] in WITHOUT_STAKE:
            return False
        bases = {found.stake, line.stake} - {line.basis}
        if found.stake != line.stake:
            bases.add(line.basis)
        return any(_outcome_on(line, found, base) for base in bases)

    def _corrected(self, key: Key) -> None:
        """Settled wrongly, then put right."""
        line, found = self.expected[key], self.recorded[key]
        if found.before is None or self._differs(key):
            return
        _, back, winnings = found.before
        if (back, winnings) == (line.stake_returned, line.winnings):
            return
        self._add(
            "corrected",
            line.clauses,
            f"first settled with {dollars(back + winnings)}, then put right to {_gives(line)}",
            key,
            money=0,
            at=found.at,
        )

    def _add(
        self,
        kind: str,
        clauses: tuple[str, ...],
        says: str,
        key: tuple[int, int | None, str, str | None] | None,
        *,
        money: int,
        at: int | None,
    ) -> None:
        box, hand, player, bet = key or (None, None, None, None)
        line = found = None
        if key is not None and hand is not None and bet is not None:
            place = (key[0], hand, key[2], bet)
            line, found = self.expected.get(place), self.recorded.get(place)
        r = self.round
        cited = f" ({', '.join(clauses)})" if clauses else ""
        self.out.append(
            Finding(
                kind,
                r.table,
                r.id,
                r.seq(at),
                box,
                hand,
                player,
                bet,
                None if line is None else line.to_json(),
                None if found is None else dict(found.to_json()),
                money,
                clauses,
                f"{where(r.id, box, hand, player, bet)}: {says}{cited}",
                None,
            )
        )


def _outcome_on(line: Line, found: Recorded, base: int) -> bool:
    """Whether the record is what the line's outcome gives on another base."""
    back, winnings = found.stake_returned, found.winnings
    rest = max(0, found.stake - base)
    if line.outcome == "win" and line.odds is not None:
        num, den = (int(part) for part in line.odds.split(":"))
        return winnings == ceil_part(base, num, den) and back in {found.stake, base, line.stake}
    if line.outcome == "lose":
        return winnings == 0 and back in {rest, 0} and found.paid != line.stake_returned
    if line.outcome == "surrendered":
        return winnings == 0 and back in {ceil_part(base, 1, 2), rest + ceil_part(base, 1, 2)}
    return winnings == 0 and back == base


def _gives(line: Line) -> str:
    odds = f", {line.odds.replace(':', ' to ')}" if line.odds else ""
    words = line.outcome.replace("_", " ")
    return f"{dollars(line.stake_returned)} + {dollars(line.winnings)} ({words}{odds})"


def _paid(found: Recorded) -> str:
    return f"{dollars(found.stake_returned)} + {dollars(found.winnings)}"
