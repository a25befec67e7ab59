"""Every line that a table settled otherwise than the rulebook gives, named and priced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from checks.compare.elsewhere import booked_elsewhere
from checks.compare.kinds import WITHOUT_STAKE, kind_of
from checks.compare.recorded import Recorded, Sums, recorded_lines
from checks.compare.sides import Sides
from replay.answer import Answer, Finding, Key, Line
from replay.facts import Round
from replay.findings import dollars, where
from replay.registry import rulebook


def compare(
    round_: Round, answer: Answer, recorded: Mapping[Key, Recorded] | None = None
) -> list[Finding]:
    """The money, judgement and note findings of one round."""
    if answer.status == "unreplayable":
        return []
    if recorded is None:
        recorded = recorded_lines(round_)
    expected = {line[:4]: line for line in answer.lines}
    if (
        round_.closed
        and not round_.voids
        and answer.status != "void"
        and _all_right(expected, recorded)
    ):
        return []
    return _Comparison(Sides(round_, answer, expected, recorded)).run()


def _all_right(expected: Mapping[Key, Line], recorded: Mapping[Key, Recorded]) -> bool:
    """The common case, decided quickly: every line recorded once, exactly as derived."""
    if len(expected) != len(recorded):
        return False
    for key, line in expected.items():
        found = recorded.get(key)
        if (
            found is None
            or found.before
            or found[2:5] != line[4:7]  # stake, what goes back of it, winnings
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


def _of_the_text(book_id: str | None, clause: str) -> tuple[str, ...]:
    """What somebody cited, where the text has such a paragraph."""
    book = None if book_id is None else rulebook(book_id)
    known = () if book is None else (known.number for known in book.clauses)
    return (clause,) if clause in known else ()


class _Comparison:
    """Names and prices every line on which the two sides differ."""

    __slots__ = ("out", "round", "sides")

    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self.round = sides.round
        self.out: list[Finding] = []

    def run(self) -> list[Finding]:
        differ = self.sides.different()
        if not self._void_findings(differ):
            for key in self._allocations(differ):
                self._line(key)
        for key in sorted(self.sides.recorded):
            self._corrected(key)
        return self.out

    def _void_findings(self, differ: list[Key]) -> bool:
        """A void that was due and not declared, or declared without a ground."""
        sides = self.sides
        due, declared = sides.answer.status == "void", bool(self.round.voids)
        if due == declared or not self.round.closed:
            return False
        telling = [k for k in differ if sides.other_reading(k) or not sides.moves_nothing(k)]
        if telling and all(sides.other_reading(key) is not None for key in telling):
            for key in telling:
                self._line(key)
            return True
        gains = _Gains.of(map(sides.gain, differ))
        if due:
            clause = sides.answer.void_clause or ""
            says = f"the round is void ({clause}), but nobody declared it"
            self._add("missed_void", (clause,), says, None, money=gains, at=None)
            return True
        declared_void = self.round.voids[0]
        says = (
            f"declared void under {declared_void.clause}, but the rulebook gives no ground for it"
        )
        cited = _of_the_text(self.round.rulebook, declared_void.clause)
        self._add("wrong_void", cited, says, None, money=gains, at=declared_void.at)
        return True

    def _allocations(self, differ: list[Key]) -> list[Key]:
        """Right in total for a player on a box, but booked on other lines."""
        groups: dict[tuple[int, str], list[Key]] = {}
        for key in differ:
            groups.setdefault((key[0], key[2]), []).append(key)
        booked: set[Key] = set()
        for (box, player), keys in groups.items():
            elsewhere = booked_elsewhere(self.sides, keys)
            if not elsewhere:
                continue
            booked.update(elsewhere)
            lines = ", ".join(f"hand {key[1]} {key[3]}" for key in elsewhere)
            found = [self.sides.recorded[key].at for key in elsewhere if key in self.sides.recorded]
            self._add(
                "allocation",
                (),
                f"right in total, but booked on other lines ({lines})",
                (box, None, player, None),
                money=0,
                at=min(found, default=None),
            )
        return [key for key in differ if key not in booked]

    def _line(self, key: Key) -> None:
        reading = self.sides.other_reading(key)
        line, found = self.sides.expected.get(key), self.sides.recorded.get(key)
        if reading is not None:
            self._reading(key, reading, line, found)
        elif line is None:
            if found is not None and not self.sides.moves_nothing(key):
                self._add(
                    "unowed_payment",
                    self.sides.main_clauses(key),
                    f"paid {dollars(found.paid)}, but no such line is due",
                    key,
                    money=self.sides.gain(key),
                    at=found.at,
                )
        elif found is None:
            kind = "missed_bonus" if key[3] in WITHOUT_STAKE else "unsettled_bet"
            self._add(
                kind,
                line.clauses,
                f"not settled, the rulebook gives {_gives(line)}",
                key,
                money=self.sides.gain(key),
                at=None,
            )
        else:
            self._wrong(key, line, found)

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
            money=self.sides.gain(key),
            at=None if found is None else found.at,
        )

    def _turned_clauses(self, key: Key, reading: str) -> tuple[str, ...]:
        other = self.sides.answer.turned[reading].get(key)
        return () if other is None else other.clauses

    def _wrong(self, key: Key, line: Line, found: Recorded) -> None:
        money = self.sides.gain(key)
        kind = kind_of(line, found)
        if kind == "unowed_payment":
            says = f"paid a second time: {dollars(found.paid)} in all, the rulebook gives "
        else:
            says = f"paid {_paid(found)}, the rulebook gives "
        says += _gives(line)
        due = line.basis if found.stake == line.stake else line.stake
        if kind == "wrong_stake" and found.stake != due:
            says += f"; settled on {dollars(found.stake)} instead of {dollars(due)}"
        self._add(kind, line.clauses, says, key, money=money, at=found.at)

    def _corrected(self, key: Key) -> None:
        """Settled wrongly, then put right."""
        line, found = self.sides.expected.get(key), self.sides.recorded[key]
        if not found.before or self.sides.differs(key):
            return
        wrong = [sums for sums in found.before if not _was_right(line, sums)]
        if not wrong:
            return
        stake, back, winnings = wrong[0]
        first = "first settled" if wrong[0] == found.before[0] else "settled"
        said = f"{first} with {dollars(back + winnings)}"
        if line is None:
            if not self.sides.taken_back(key):
                return
            clauses = self.sides.main_clauses(key)
            says = f"{said}, then taken back, because no such line is due"
        else:
            clauses = line.clauses
            on = "" if stake in {0, line.stake} else f" on {dollars(stake)}"
            says = f"{said}{on}, then put right to {_gives(line)}"
        self._add("corrected", clauses, says, key, money=0, at=found.at)

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
            line, found = self.sides.expected.get(place), self.sides.recorded.get(place)
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


def _was_right(line: Line | None, sums: Sums) -> bool:
    """Whether what the record said before a correction was what the rulebook gives."""
    if line is None:
        return sums == (0, 0, 0)
    return sums[0] in {0, line.stake} and sums[1:] == line.money[1:3]


def _gives(line: Line) -> str:
    odds = f", {line.odds.replace(':', ' to ')}" if line.odds else ""
    words = line.outcome.replace("_", " ")
    return f"{dollars(line.stake_returned)} + {dollars(line.winnings)} ({words}{odds})"


def _paid(found: Recorded) -> str:
    return f"{dollars(found.stake_returned)} + {dollars(found.winnings)}"
