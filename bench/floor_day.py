"""A simulated floor audited in memory: devices, columns, audit, findings, without log and archive.

A table's events take the way that ingest and the nightly run give them, only that nothing is
written down in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from multiprocessing import get_context
from typing import Any

import pyarrow as pa

from checks.around import Around
from checks.meter.across import audit_across
from checks.table_day import Rows, audit_table_day, finding_row
from events.archive.columns import in_order, records_to_table
from events.archive.evidence import StoredMessage
from events.archive.quarantine import Quarantined
from events.bounds import Bounds
from events.chain import Head
from events.codec import DecodeError, body_of, decode_record
from events.days import GamingDay
from events.devices.floor import Floor, default_floor
from events.devices.link import Unit
from events.devices.plan import Before, Order, TableSpec, micros, tables_of, units_of
from events.devices.resume import one_by_one
from events.devices.run import hours_of
from events.settings import Jackpot

DAY = date(2026, 11, 14)


def an_order(tables: int, rounds: int | None, **more: Any) -> Order:
    days = GamingDay()
    start, end = micros(days.start_of(DAY)), micros(days.end_of(DAY))
    return Order(tables=tables, day=DAY, start_us=start, end_us=end, rounds=rounds, **more)


@dataclass(slots=True)
class Audited:
    """What came of some tables: rows of the warehouse, planted faults, figures."""

    rows: Rows = field(default_factory=Rows)
    truths: list[dict[str, Any]] = field(default_factory=list)
    events: list[pa.Table] = field(default_factory=list)
    rounds: int = 0

    def add(self, other: Audited) -> None:
        for name in ("rounds", "lines", "settlements", "findings"):
            getattr(self.rows, name).extend(getattr(other.rows, name))
        self.truths += other.truths
        self.events += other.events
        self.rounds += other.rounds


@dataclass(frozen=True, slots=True)
class Job:
    """One unit of the floor: a table, or the tables of one meter."""

    specs: tuple[TableSpec, ...]
    order: Order
    keep: str = "findings"  # `all` keeps every row and the columns


def jobs(order: Order, floor: Floor | None = None, **more: Any) -> list[Job]:
    units = units_of(tables_of(order, floor or default_floor()))
    return [Job(unit, order, **more) for unit in units]


def audit_jobs(some: list[Job], processes: int = 1) -> Iterator[Audited]:
    """Each unit played and audited, in their order."""
    if processes <= 1:
        yield from map(audit_unit, some)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(audit_unit, some)


def audit_unit(job: Job) -> Audited:
    floor = default_floor()
    unit = Unit(job.specs, job.order, floor, Before())
    out = Audited()
    sent: dict[str, list[tuple[bytes, int]]] = {}
    for end in hours_of(job.order):
        unit.until(end)
        for table, values, arrivals in unit.take_sent():
            pairs = zip(values, one_by_one(arrivals), strict=True)
            sent.setdefault(table, []).extend(pairs)
        out.truths += unit.take_truths()
    out.rounds = unit.rounds
    ends = {day.spec.id: day.lost_end for day in unit.tables}
    for table, values in sent.items():
        events, around = arrive(table, values, ends.get(table))
        audit_table_day(job.order.day, events, rows=out.rows, around=around)
        if job.keep == "all":
            out.events.append(events)
    _across(job, floor, out)
    if job.keep != "all":
        out.rows.rounds, out.rows.lines, out.rows.settlements = [], [], []
    return out


def arrive(
    table: str, values: list[tuple[bytes, int]], end: Head | None
) -> tuple[pa.Table, Around]:
    """A table's messages as the archive would hold them. `end` is known to a checkpoint that was
    written before the end of the record was lost."""
    known = {} if end is None else {end.seq: end.hash}
    records, hashes, places, bad = [], [], [], []
    bounds = Bounds()
    for offset, (value, arrived_us) in enumerate(values):
        try:
            record = decode_record(value)
        except DecodeError as error:
            key = table.encode()
            bad.append(
                Quarantined("bench", 0, offset, key, value, str(error), "undecodable", DAY, table)
            )
            continue
        records.append(record)
        hashes.append(hashlib.sha256(body_of(value)).digest())
        times = bounds.times(arrived_us)
        wrong = times is not None and not times.first <= record["at"] <= times.last
        places.append(StoredMessage("bench", 0, offset, None, value, arrived_us, wrong))
    columns = in_order(records_to_table(DAY, records, hashes, places))
    return columns, Around(known=known, quarantined=tuple(bad))


def _across(job: Job, floor: Floor, out: Audited) -> None:
    meter = job.specs[0].meter
    if meter is None:
        return
    configured = {meter: Jackpot(floor.jackpot.reset_cents, floor.jackpot.growth_cents)}
    meters = out.rows.meters
    wins = [win for one in meters for win in one.wins]
    found = audit_across([one.rows for one in meters], wins, configured)
    out.rows.findings.extend(finding_row(job.order.day, f, None) for f in found.findings)
