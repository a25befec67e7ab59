"""A table-day audited: the archive's columns in, rows of the warehouse's tables out.

This is the unit of work of the nightly run: pure, independent of every other table and day, a few
megabytes. Nothing here reads a file or knows what else was played.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from checks.around import NOTHING, Around, Surroundings
from checks.audit import add_findings, audit_round, shoe_finding
from checks.compare import Recorded, recorded_lines
from checks.late import Late, late_rounds, overlap_finding
from checks.meter import Major, TableMeter, major_wins, table_meter
from checks.record import integrity
from checks.record_columns import check_record, undecodable
from checks.shoes_columns import check_shoes
from checks.tables import FINDINGS, LINES, ROUNDS, SETTLEMENTS
from events.collector import collector_at_rest
from replay.answer import Answer, Finding, Key
from replay.columns import rounds_of
from replay.facts import Round

Row = tuple[Any, ...]


@dataclass(slots=True)
class Rows:
    """Rows of the four tables, in the order of their schemas, and what the check across tables
    needs of tables with a progressive meter."""

    rounds: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    settlements: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    meters: list[TableMeter] = field(default_factory=list)

    def tables(self) -> dict[str, pa.Table]:
        return {
            "rounds": to_table(self.rounds, ROUNDS),
            "lines": to_table(self.lines, LINES),
            "settlements": to_table(self.settlements, SETTLEMENTS),
            "findings": to_table(self.findings, FINDINGS),
        }


def to_table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of a schema."""
    if not rows:
        return schema.empty_table()
    columns = zip(*rows, strict=True)
    arrays = [pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def audit_table_day(
    day: date,
    events: pa.Table,
    turned: Iterable[str] = (),
    rows: Rows | None = None,
    around: Around = NOTHING,
) -> Rows:
    """Every round of one table on one day, settled and compared; its record; its shoes.

    day: the gaming day.
    events: the table's events of that day in the archive's columns (Archive.read_table_day), by
        seq.
    turned: ids of the readings that the house has set to the other one.
    rows: where to add to; new ones without.
    around: what the record is checked against: checks.around.Surroundings(...).of(table, shoes).
        Without it, the first event and a shoe that is in play are taken as they are, and nothing
        is known of checkpoints and quarantine.

    What is found about the record belongs to its round where the event has one.
    """
    out = rows if rows is not None else Rows()
    with collector_at_rest():
        _audit(out, day, events, frozenset(turned), around)
    return out


def _audit(out: Rows, day: date, events: pa.Table, chosen: frozenset[str], around: Around) -> None:
    record = check_record(day, events, around)
    events = record.events
    rounds = rounds_of(events)
    if around.shoes is not None:
        _as_shuffled(rounds, around.shoes)
    late = late_rounds([round_ for round_ in rounds if round_.rulebook is not None])
    beside = _by_round(events, record.findings, late, around.shoes)
    major: list[Major] = []
    for round_ in rounds:
        recorded = recorded_lines(round_)
        known = late.get(round_.id)
        voids = known.voids if known is not None else ()
        answer = audit_round(round_, chosen, recorded=recorded, late_voids=voids)
        add_findings(answer, beside.pop(round_.id, ()))
        add_round(out, day, round_, answer, recorded)
        if round_.meters:
            major.extend(major_wins(round_, answer, recorded))
    meter = table_meter(events, rounds, major)
    if meter is not None:
        out.meters.append(meter)
    for findings in beside.values():  # of no round, or of one that is not in this day
        out.findings.extend(finding_row(day, finding, None) for finding in findings)


def _as_shuffled(rounds: Iterable[Round], before: pa.Table) -> None:
    """A round is answered from the start of its shoe too, also where that was the day before."""
    started = before.filter(pc.field("type") == "ShoeStarted")
    shuffled = dict(zip(started["shoe"].to_pylist(), started["shuffled"].to_pylist(), strict=True))
    for round_ in rounds:
        if round_.shuffled is None:
            round_.shuffled = shuffled.get(round_.shoe)


def _by_round(
    events: pa.Table, record: Iterable[Finding], late: Mapping[str, Late], shoes: pa.Table | None
) -> dict[str | None, list[Finding]]:
    """What was found besides the rounds' own answers, by round."""
    table = str(events["table_id"][0].as_py()) if len(events) else None
    problems = check_shoes(events, shoes)
    found = [*record, *(shoe_finding(table, problem) for problem in problems)]
    if late:
        closes = _closes(events)
        overlaps = (overlap_finding(one, lambda r: closes.get(r.id)) for one in late.values())
        found += [finding for finding in overlaps if finding is not None]
    out: dict[str | None, list[Finding]] = {}
    for finding in found:
        out.setdefault(finding.round, []).append(finding)
    return out


def _closes(events: pa.Table) -> dict[str | None, int | None]:
    """The number of the event that closed each round."""
    closing = pc.is_in(events["type"].cast(pa.string()), value_set=pa.array(["RoundClosed"]))
    rows = events.filter(closing)
    return dict(zip(rows["round"].to_pylist(), rows["seq"].to_pylist(), strict=True))


def record_of_day(day: date, around: Surroundings) -> list[Finding]:
    """What is wrong with a day's record and shows in no table-day: tables that are cut off
    altogether, and unreadable messages that name no table of the day."""
    found = []
    for table, last, known in around.tables_cut_off():
        says = f"table {table}: the record ends at event {last}, but a checkpoint knows "
        says += f"event {known}"
        found.append(integrity("truncated", table, None, last, says, None))
    return [*found, *undecodable(day, around.of_nobody(), None)]


def add_round(
    out: Rows, day: date, round_: Round, answer: Answer, recorded: Mapping[Key, Recorded]
) -> None:
    """The rows of one round and its answer."""
    table, round_id, book = round_.table, round_.id, round_.rulebook
    out.rounds.append(_round_row(day, round_, answer))
    head = (day, table, round_id, book)
    out.lines.extend((*head, *line[:10], line.readings) for line in answer.lines)
    out.settlements.extend((*head, *_settlement(round_, r)) for r in recorded.values())
    if answer.findings:
        out.findings.extend(finding_row(day, f, round_) for f in _told_once(answer.findings))


def _told_once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Two that say the same of the same place share their id, and are one."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.id, finding)
    return first.values()


def _round_row(day: date, round_: Round, answer: Answer) -> Row:
    seqs = round_.seqs or [None]
    return (
        day,
        round_.table,
        round_.id,
        round_.rulebook,
        answer.status,
        answer.void_clause,
        round_.voids[0].clause if round_.voids else None,
        round_.shoe,
        round_.decks,
        round_.boxes,
        round_.dealt_from,
        round_.dealer,
        round_.jackpot_bet,
        round_.opened_at,
        seqs[0],
        seqs[-1],
        round_.events,
        round_.closed,
    )


def _settlement(round_: Round, recorded: Recorded) -> Row:
    return (
        *recorded.key,
        recorded.stake,
        recorded.stake_returned,
        recorded.winnings,
        len(recorded.parts),
        recorded.before is not None,
        round_.seq(recorded.at),
    )


def finding_row(day: date, finding: Finding, round_: Round | None) -> Row:
    """A finding as a row; what it says about a line is kept as JSON."""
    return (
        day,
        finding.id,
        finding.kind,
        finding.severity,
        finding.table,
        finding.round,
        None if round_ is None else round_.rulebook,
        finding.seq,
        finding.box,
        finding.hand,
        finding.player,
        finding.bet,
        None if finding.expected is None else json.dumps(finding.expected),
        None if finding.recorded is None else json.dumps(finding.recorded),
        finding.money,
        finding.clauses,
        finding.message,
        None if round_ is None else round_.dealer,
        None if round_ is None else round_.opened_at,
    )
