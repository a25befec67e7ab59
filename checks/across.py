"""What only several tables together show: the progressive meter, and who is paid first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from checks.meter import Played, Win, closed_of, played_rounds, readings_of, wins_of
from checks.meter_model import Meter, Wrong, falls
from events.settings import Jackpot
from replay.answer import Finding
from replay.findings import dollars, where

MINOR_CENTS = frozenset({125_000, 17_500, 15_000, 1_500})
"""What the fixed rows of the progressive pay table pay; anything else is the meter."""


@dataclass(frozen=True, slots=True)
class Across:
    """What was found, and where each meter stood at the end of the day."""

    findings: list[Finding]
    meters: Mapping[str, int] = field(default_factory=dict)


def audit_across(
    day: date,
    events: pa.Table,
    lines: pa.Table,
    jackpots: Mapping[str, Jackpot],
    before: Mapping[str, int] | None = None,
) -> Across:
    """The checks across the tables of a day.

    day: the gaming day; what is given must be of that day only.
    events: checks.meter.jackpot_events() of every table-day, concatenated; other tables may be left
        out. Arrow, or whatever DuckDB's to_arrow_table() gives for those columns.
    lines: the day's derived lines (checks.tables.LINES); only `progressive` ones are looked at.
    jackpots: the house's configuration by name (settings.jackpots). Of a meter that is not among
        them only a fall without a win can be told.
    before: where each meter stood at the end of the day before (Across.meters of that day); leave
        it out where the day before is not known, then a meter's first reading is taken as it is.
    """
    major = _major(lines)
    findings: list[Finding] = []
    meters: dict[str, int] = {}
    for name, rounds in sorted(played_rounds(events).items()):
        wins = [win for p in rounds if p.id in major for win in wins_of(p, major[p.id])]
        start = None if before is None else before.get(name)
        wins_us = [win.paid_us for win in wins]
        jackpot = jackpots.get(name)
        if jackpot is None:
            wrong = falls(readings_of(rounds), wins_us)
        else:
            meter = Meter(jackpot, closed_of(rounds), wins_us, start)
            wrong = meter.wrong(readings_of(rounds))
            end = meter.at_end()
            if end is not None:
                meters[name] = end
        findings += [_mismatch(name, one) for one in wrong]
        findings += _order_of_payment(name, wins)
        findings += _bets_after_failure(rounds)
    findings.sort(key=lambda f: (f.table or "", f.seq or 0, f.kind))
    return Across(findings, meters)


def _major(lines: pa.Table) -> dict[str, dict[int, int]]:
    """Rounds with a hand that takes the meter: box and winnings."""
    wanted = pc.and_(
        pc.is_in(lines["bet"].cast(pa.string()), value_set=pa.array(["progressive"])),
        pc.greater(lines["winnings"], pa.scalar(0, pa.int64())),
    )
    rows: list[dict[str, Any]] = (
        lines.filter(wanted).select(["round", "box", "winnings"]).to_pylist()
    )
    out: dict[str, dict[int, int]] = {}
    for row in rows:
        if row["winnings"] not in MINOR_CENTS:
            out.setdefault(row["round"], {})[row["box"]] = row["winnings"]
    return out


def _finding(
    kind: str,
    played: tuple[str, str],
    seq: int | None,
    clauses: tuple[str, ...],
    says: str,
    box: int | None = None,
    money: int | None = None,
) -> Finding:
    table, round_ = played
    text = f"{where(round_, box, 1, None, None)}: {says} ({', '.join(clauses)})"
    return Finding(
        kind, table, round_, seq, box, None, None, None if box is None else "progressive",
        None, None, money, clauses, text, seq,
    )  # fmt: skip


def _mismatch(name: str, one: Wrong) -> Finding:
    shown, expected = one.reading.cents, one.expected_cents
    more = "more" if shown > expected else "less"
    says = (
        f"the meter {name or 'of the table'} shows {dollars(shown)}, the bets and wins before it "
        f"give {dollars(expected)} ({dollars(abs(shown - expected))} {more})"
    )
    at = (one.reading.table, one.reading.round)
    return _finding("meter_mismatch", at, one.reading.seq, ("1.15",), says)


def _order_of_payment(name: str, wins: Iterable[Win]) -> list[Finding]:
    """Of winners who saw the same meter, the first complete hand is paid it; the others are paid
    what is displayed after that."""
    out = []
    ordered = sorted(wins, key=lambda win: (win.complete_us, win.table, win.box))
    for n, win in enumerate(ordered):
        for first in ordered[:n]:
            if win.read_us >= first.paid_us:
                continue  # the meter had been reset before it was read for this one
            at = (win.table, win.round)
            if win.paid_us < first.paid_us:
                says = f"was paid before round {first.round} at {first.table}, whose hand was "
                says += "complete earlier"
                out.append(_finding("meter_mismatch", at, None, ("4.9.1",), says, win.box))
            elif win.paid_cents is not None and win.paid_cents >= first.read_cents:
                says = f"was paid {dollars(win.paid_cents)}, the meter {name} that the winner of "
                says += f"round {first.round} at {first.table} had taken; his hand was complete "
                says += "earlier"
                out.append(_finding("meter_mismatch", at, None, ("4.9.1",), says, win.box))
            break
    return out


def _bets_after_failure(rounds: Iterable[Played]) -> list[Finding]:
    """Progressive bets taken in later rounds although the meter did not work again."""
    out = []
    failed: dict[str, str] = {}  # table -> the round in which the system failed
    for played in rounds:
        if played.readings:
            failed.pop(played.table, None)
        if played.table in failed and played.bets > 0:
            says = "a progressive bet was accepted, though the system had failed in round "
            says += f"{failed[played.table]} and was not read since"
            at = (played.table, played.id)
            out.append(_finding("illegal_bet", at, played.first_bet_seq, ("5.17.2",), says))
        if played.failed_us is not None and not any(
            at_us > played.failed_us for at_us, _, _ in played.readings
        ):
            failed[played.table] = played.id
    return out
