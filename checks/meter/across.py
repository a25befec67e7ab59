"""What only several tables together show: the progressive meter, and who is paid first.

The meter grows with each accepted progressive bet, by the growth that the house configured, at the
moment at which the bets are closed; it starts again after a major win (3 Card Poker 1.15). Of
winners at several tables the first whose hand was complete gets what was displayed (4.9.1). After a
malfunction no progressive bet is taken until the meter is read again (5.17.2). Bets by a wrong
clock may be in a reading or not, from the last moment on that their table knew; what was read by
one is held against nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from checks.meter.end import DayEnd, Failure, MeterStanding
from checks.meter.model import LEEWAY_US, NEVER_US, Amounts, Meter, Win, WrongReading, falls
from checks.meter.traces import METER, What, Won
from events.settings import Jackpot
from replay.answer import Finding
from replay.findings import dollars, where

READINGS = frozenset({What.READ, What.UNTIMED_READ})
BETS = frozenset({What.CLOSED, What.UNTIMED_BETS})


@dataclass(frozen=True, slots=True)
class Across:
    """What was found, what the next day goes on from, and which bets were paid rightly though
    their own round says otherwise: table, round and box. Of these, what was found here takes the
    place of what their round found, and tells the same money."""

    findings: list[Finding]
    end: DayEnd
    explained: frozenset[tuple[str, str, int]] = frozenset()


def audit_across(
    rows: Iterable[pa.Table],
    wins: Sequence[Won],
    jackpots: Mapping[str, Jackpot],
    before: DayEnd | None = None,
    until_us: int = NEVER_US,
) -> Across:
    """The checks across the tables of a day.

    rows, wins: checks.meter.table_meter() of every table-day of the day.
    jackpots: the house's configuration by name (settings.jackpots). Of a meter that is not among
        them only a fall without a win can be told.
    before: Across.end of the day before; leave it out where the day before is not known, then a
        meter's first readings are taken as they are.
    until_us: the end of the gaming day, in microseconds since 1970.
    """
    before = before or DayEnd()
    day = _Day(pa.concat_tables([METER.empty_table(), *rows]), wins, before)
    out = _Audit(until_us)
    for name in day.names:
        out.meter(day, name, jackpots.get(name), before.meters.get(name))
    failed = out.failures(day, before.failed)
    out.findings.sort(key=lambda f: (f.table or "", f.seq or 0, f.kind))
    meters = {n: s for n, s in before.meters.items() if n not in out.lost} | out.meters
    return Across(out.findings, DayEnd(meters, failed), frozenset(out.explained))


class _Day:
    """The rows of a day as arrays, in order of time; tables and meters are numbers."""

    def __init__(self, rows: pa.Table, wins: Sequence[Won], before: DayEnd) -> None:
        rows = rows.unify_dictionaries()
        carried = [table for one in before.meters.values() for _, table, _ in one.bets]
        carried += [table for one in before.meters.values() for _, table in one.wins]
        self.tables: list[str] = sorted({*_words(rows["table_id"]), *carried})
        self.names: list[str] = sorted(_words(rows["jackpot"]))
        at_us, table = _numbers(rows["at_us"]), _codes(rows["table_id"], self.tables)
        order = np.lexsort((table, at_us))
        self.at_us, self.table = at_us[order], table[order]
        self.what, self.amount = (_numbers(rows[c])[order] for c in ("what", "amount"))
        self._meter = _codes(rows["jackpot"], self.names)[order]
        self._rows, self._order, self._wins = rows, order, wins

    def places(self, name: str, what: What) -> Any:
        return np.flatnonzero((self._meter == self.names.index(name)) & (self.what == what))

    def amounts(self, places: Any) -> Amounts:
        return Amounts(self.at_us[places], self.table[places], self.amount[places])

    def wins(self, name: str) -> list[Won]:
        return [win for win in self._wins if win.jackpot == name]

    def at(self, place: int) -> tuple[str, str | None, int]:
        """Table, round and number of a row."""
        row = self._order[place]
        table = self.tables[self.table[place]]
        return table, self._rows["round"][row].as_py(), self._rows["seq"][row].as_py()

    def of_table(self, table: str) -> list[dict[str, Any]]:
        """The rows of one table, by seq."""
        if table not in self.tables:
            return []
        own = self._order[self.table == self.tables.index(table)]
        rows = self._rows.select(["what", "round", "seq", "boxes"]).take(pa.array(own))
        found: list[dict[str, Any]] = rows.sort_by("seq").to_pylist()
        return found

    def all_bets(self, name: str, standing: MeterStanding | None) -> Amounts:
        """The accepted bets, with those that the day before has left."""
        today = self.amounts(self.places(name, What.CLOSED))
        if standing is None or not standing.bets:
            return today
        late = [(at, self.tables.index(table), bets) for at, table, bets in standing.bets]
        columns = (today.at_us, today.table, today.amount)
        whole = [np.r_[a, b] for a, b in zip(np.array(late).T, columns, strict=True)]
        order = np.argsort(whole[0], kind="stable")
        return Amounts(*(column[order] for column in whole))


class _Audit:
    def __init__(self, until_us: int) -> None:
        self._until_us = until_us
        self.findings: list[Finding] = []
        self.meters: dict[str, MeterStanding] = {}
        self.lost: set[str] = set()  # nobody knows where these stand
        self.explained: set[tuple[str, str, int]] = set()

    def meter(
        self, day: _Day, name: str, jackpot: Jackpot | None, standing: MeterStanding | None
    ) -> None:
        """One meter over all its tables."""
        places, won = day.places(name, What.READ), day.wins(name)
        readings = day.amounts(places)
        wins = [Win(one.paid_us, day.tables.index(one.table_id)) for one in won]
        meter = None
        if jackpot is None:
            wrong = falls(readings, wins)
        else:
            bets = day.all_bets(name, standing)
            if standing is not None:
                wins += [Win(at, day.tables.index(table)) for at, table in standing.wins]
            untimed = day.places(name, What.UNTIMED_BETS)
            missing = day.amounts(np.union1d(day.places(name, What.MISSING), untimed))
            start = None if standing is None else standing.cents
            meter = Meter(jackpot, bets, wins, start, missing, self._until_us)
            wrong = meter.wrong(readings)
            if int(day.amount[untimed].sum()) in {0, meter.lost_bets}:
                self._keep(day, name, meter, bets, wins)
            else:  # some of them no reading has shown yet
                self.lost.add(name)
        for number, one in enumerate(wrong, start=1):
            last = meter is not None and meter.lost_track and number == len(wrong)
            self.findings.append(_mismatch(day, name, int(places[one.place]), one, last=last))
        self._order_of_payment(name, won, meter)

    def _keep(self, day: _Day, name: str, meter: Meter, bets: Amounts, wins: Sequence[Win]) -> None:
        """What the next day goes on from: all up to a moment before the end, and the rest apart."""
        cut_us = self._until_us - 2 * LEEWAY_US
        cents = meter.stands(cut_us)
        if cents is None or meter.lost_track:
            self.lost.add(name)
            return
        after = np.flatnonzero(bets.at_us > cut_us)
        self.meters[name] = MeterStanding(
            cents,
            tuple(
                (int(bets.at_us[n]), day.tables[bets.table[n]], int(bets.amount[n]))
                for n in after.tolist()
            ),
            tuple((at, day.tables[table]) for at, table in sorted(wins) if at > cut_us),
        )

    def _order_of_payment(self, name: str, won: Sequence[Won], meter: Meter | None) -> None:
        """Of winners who saw the same meter, the first complete hand is paid it; the others are
        paid what is displayed after that."""
        for win in won:
            shared = [one for one in won if one.paid_us > win.read_us and _goes_before(one, win)]
            if not shared:
                continue
            first = max(shared, key=lambda one: one.paid_us)
            whose = f"round {first.round} at {first.table_id}"
            if win.paid_us < first.paid_us:
                says = f"was paid before {whose}, whose hand was complete earlier"
                self._second(win, says)
                continue
            shown = None if meter is None else meter.shown(first.paid_us, win.paid_us)
            paid = win.paid_cents
            if paid is None:
                continue  # its own round says that it was not settled
            if shown is None:
                if paid >= first.due_cents:
                    says = f"was paid {dollars(paid)}, the meter {name} that the winner of "
                    self._second(win, f"{says}{whose} had taken; his hand was complete earlier")
            elif paid not in shown:
                near = min(max(paid, shown[0]), shown[-1])
                says = (
                    f"was paid {dollars(paid)}; after the winner of {whose} was paid, whose hand "
                )
                says += f"was complete earlier, the meter {name} showed {dollars(near)}"
                self._second(win, says, paid - near)
            elif paid != win.due_cents:
                says = f"was paid {dollars(paid)}, what the meter {name} showed after the winner "
                says += f"of {whose} was paid, whose hand was complete earlier"
                self._second(win, says, paid - win.due_cents, "discretion")
                self.explained.add((win.table_id, win.round, win.box))

    def _second(
        self, win: Won, says: str, money: int | None = None, kind: str = "meter_mismatch"
    ) -> None:
        at = (win.table_id, win.round, win.seq)
        self.findings.append(_finding(kind, at, ("4.9.1",), says, win.box, money))

    def failures(self, day: _Day, before: Mapping[str, Failure]) -> dict[str, Failure]:
        """Progressive bets taken in later rounds although the meter did not work again. Answers
        the tables whose meter does not work at the end."""
        noted = np.unique(day.table[day.what == What.FAILED]).tolist()
        out: dict[str, Failure] = {}
        for table in sorted({*(day.tables[n] for n in noted), *before}):
            failed = self._after_failure(table, day.of_table(table), before.get(table))
            if failed is not None:
                out[table] = failed
        return out

    def _after_failure(
        self, table: str, rows: Sequence[Mapping[str, Any]], failed: Failure | None
    ) -> Failure | None:
        last_read = {row["round"]: row["seq"] for row in rows if row["what"] in READINGS}
        for row in rows:
            if row["what"] in READINGS:
                failed = None
            elif row["what"] == What.FAILED:
                if failed is None or failed.boxes:
                    failed = Failure(row["round"], row["seq"], row["boxes"])
            elif row["what"] in BETS and failed is not None:
                later = row["round"] != failed.round  # that round has a paragraph of its own: 5.16
                read_since = last_read.get(row["round"], 0) > failed.seq
                # the system failed, or only the device of the box
                barred = not failed.boxes or row["boxes"] & failed.boxes
                if later and barred and not read_since:
                    self._bet_while_down(table, row, failed)
        return failed

    def _bet_while_down(self, table: str, row: Mapping[str, Any], failed: Failure) -> None:
        when = f"in round {failed.round}" if failed.round else f"at event {failed.seq}"
        says = f"a progressive bet was accepted, though the system had failed {when} and was not "
        says += "read since"
        at = (table, row["round"], row["seq"])
        box = failed.boxes.bit_length() - 1 if failed.boxes else None
        self.findings.append(_finding("illegal_bet", at, ("5.17.2",), says, box))


def _goes_before(one: Won, win: Won) -> bool:
    """Whose hand was complete first; where the clocks can't tell, the house decides by paying."""
    if one is win:
        return False
    if abs(one.complete_us - win.complete_us) > LEEWAY_US:
        return one.complete_us < win.complete_us
    return (one.paid_us, one.table_id) < (win.paid_us, win.table_id)


def _finding(
    kind: str,
    at: tuple[str, str | None, int],
    clauses: tuple[str, ...],
    says: str,
    box: int | None = None,
    money: int | None = None,
) -> Finding:
    table, round_, seq = at
    place = where(round_, box, 1, None, None) if round_ else f"table {table}"
    text = f"{place}: {says} ({', '.join(clauses)})"
    return Finding(
        kind=kind,
        table=table,
        round=round_,
        seq=seq,
        box=box,
        hand=None,
        player=None,
        bet=None if box is None else "progressive",
        expected=None,
        recorded=None,
        money=money,
        clauses=clauses,
        message=text,
        at=seq,
    )


def _mismatch(day: _Day, name: str, place: int, one: WrongReading, *, last: bool) -> Finding:
    shown, expected = int(day.amount[place]), one.expected_cents
    more = "more" if shown > expected else "less"
    says = (
        f"the meter {name or 'of the table'} shows {dollars(shown)}, the bets and wins before it "
        f"give {dollars(expected)} ({dollars(abs(shown - expected))} {more})"
    )
    if last:
        says += "; so much is wrong with it that its readings after this one were not looked at, "
        says += "see whether the settings have its growth and reset value right"
    return _finding("meter_mismatch", day.at(place), ("1.15",), says)


def _words(column: Any) -> list[str]:
    return [word for word in column.unique().to_pylist() if word is not None]


def _codes(column: Any, words: Sequence[str]) -> Any:
    """A column of words as their places among `words`, -1 for none."""
    places = {word: place for place, word in enumerate(words)}
    out = [np.empty(0, dtype=np.int32)]
    for chunk in column.chunks:
        of_code = np.array([*(places[word] for word in chunk.dictionary.to_pylist()), -1], np.int32)
        codes: Any = pc.fill_null(chunk.indices, len(of_code) - 1)
        out.append(of_code[codes.to_numpy(zero_copy_only=False)])
    return np.concatenate(out)


def _numbers(column: Any) -> Any:
    return pc.fill_null(column, 0).to_numpy()
