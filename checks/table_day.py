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

import numpy as np
import pyarrow as pa

from checks.around import NOTHING, Around, Surroundings
from checks.audit import audit
from checks.compare import Recorded, recorded_lines
from checks.context import RoundContext
from checks.in_day import DayContexts
from checks.meter.traces import Major, TableMeter, major_wins, table_meter
from checks.record.columns import undecodable
from checks.record.file import integrity
from checks.record.links import events_between
from checks.tables import FINDINGS, LINES, ROUNDS, SETTLEMENTS
from checks.unreconciled import too_large, unreplayable
from events.runtime.collector import collector_at_rest
from replay.answer import Answer, Finding, Key
from replay.columns import rounds_of
from replay.facts import Round

Row = tuple[Any, ...]


@dataclass(slots=True)
class Rows:
    """Rows of the four tables, in the order of their schemas, and what the check across tables
    needs of tables with a progressive meter.

    left_out: table and round of events that do not count, because others with their numbers do or
        a signed tail of the chain leaves them out.
    """

    rounds: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    settlements: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    meters: list[TableMeter] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

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
    around: what the record is checked against: Surroundings(...).of(table, ends_of(events)) of
        checks.around. Without it, the first event and a shoe that is in play are taken as they
        are, and nothing is known of checkpoints, quarantine and keys.

    What is found about the record belongs to its round where the event has one.
    """
    out = rows if rows is not None else Rows()
    with collector_at_rest():
        _audit(out, day, events, frozenset(turned), around)
    return out


def _audit(out: Rows, day: date, events: pa.Table, chosen: frozenset[str], around: Around) -> None:
    contexts = DayContexts(day, events, around)
    if contexts.left_out:
        table = str(events["table_id"][0].as_py())
        out.left_out.extend((table, name) for name in contexts.left_out)
    rounds = rounds_of(contexts.events)
    major: list[Major] = []
    earlier = len(out.settlements)
    for round_ in rounds:
        context = contexts.of(round_)
        answer, recorded = audit_bounded(round_, context, chosen)
        if context.opened_us is not None:  # the rows tell when it counts
            round_.opened_at = context.opened_us
        add_round(out, day, round_, answer, recorded)
        if round_.meters:
            major.extend(major_wins(round_, answer, recorded))
    out.settlements[earlier:] = _timed(out.settlements[earlier:], contexts.events)
    meter = table_meter(contexts.events, rounds, major)
    if meter is not None:
        out.meters.append(meter)
    out.findings.extend(finding_row(day, finding, None) for finding in contexts.besides(rounds))


def audit_bounded(
    round_: Round, context: RoundContext, turned: frozenset[str]
) -> tuple[Answer, dict[Key, Recorded]]:
    """The audit of a round whose sums fit into the tables, and what was recorded of it; one whose
    sums do not is given up."""
    recorded = recorded_lines(round_)
    answer = audit(round_, context, turned, recorded=recorded)
    says = too_large(answer, recorded)
    if says is None:
        return answer, recorded
    kept = [f for f in answer.findings if f.money is None]
    return unreplayable(round_, says, kept), {}


def record_of_day(day: date, around: Surroundings) -> list[Finding]:
    """What is wrong with a day's record and shows in no table-day: tables that are cut off
    altogether, and unreadable messages that name no table of the day."""
    found = []
    for table, known in around.tables_cut_off():
        says = f"table {table}: the archive has no event of it, but a checkpoint knows event "
        says += f"{known}: {events_between(1, known)} missing"
        found.append(integrity("truncated", table, None, 0, says, None))
    return [*found, *undecodable(day, around.of_nobody(), None)]


def add_round(
    out: Rows, day: date, round_: Round, answer: Answer, recorded: Mapping[Key, Recorded]
) -> None:
    """The rows of one round and its answer."""
    table, round_id, book = round_.table, round_.id, round_.rulebook
    out.rounds.append(_round_row(day, round_, answer))
    head = (day, table, round_id, book)
    out.lines += [head + line[:10] + line[11:] for line in answer.lines]
    out.settlements += [head + _settlement(round_, r) for r in recorded.values()]
    if answer.findings:
        out.findings.extend(finding_row(day, f, round_) for f in answer.findings)


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
    key, at, stake, back, winnings, parts, before = recorded
    return (*key, stake, back, winnings, len(parts), bool(before), round_.seq(at))


def _timed(settlements: list[Row], events: pa.Table) -> list[Row]:
    """Settlements with the time of their event, looked up for a whole table-day at once."""
    if not settlements:
        return []
    seqs: Any = events["seq"].to_numpy()
    at: Any = events["seen_at"].cast(pa.int64()).to_numpy()
    order = np.argsort(seqs, kind="stable")  # a number may lie where it came, not where it belongs
    wanted = np.array([row[-1] or 0 for row in settlements])
    places = np.minimum(np.searchsorted(seqs[order], wanted), len(order) - 1)
    found = order[places]
    times = np.where(seqs[found] == wanted, at[found], -1).tolist()
    return [
        (*row, time if time >= 0 else None) for row, time in zip(settlements, times, strict=True)
    ]


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
        *finding.sums,
        finding.clauses,
        finding.message,
        None if round_ is None else round_.dealer,
        None if round_ is None else round_.opened_at,
    )
