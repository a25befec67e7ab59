"""From the floor into a log: play the day, leave out what the log has, write the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from events.chain import Head
from events.devices.floor import Floor
from events.devices.plan import Order, tables_of, units_of
from events.devices.resume import Filter, Scan
from events.devices.run import play_floor
from events.log.base import Log, Outgoing

BATCH = 20_000  # messages that are written, and made durable, at a time


@dataclass(slots=True)
class Delivered:
    """What came of an order."""

    tables: int
    rounds: int = 0
    events: int = 0
    already_there: int = 0
    truths: list[dict[str, Any]] = field(default_factory=list)
    tallies: dict[str, Counter[str]] = field(default_factory=dict)
    lost_ends: dict[str, Head] = field(default_factory=dict)


Tell = Callable[[int], None]  # how many rounds were played since the last call


def deliver(
    order: Order,
    floor: Floor,
    log: Log,
    *,
    ends: Mapping[str, Head] | None = None,
    processes: int = 1,
    tell: Tell = lambda rounds: None,
) -> Delivered:
    """Play the order into the log. Run again after a kill, it completes what is missing.

    `ends` are ends of chains that somebody outside the log knows; a gateway goes on from there.
    """
    tables = tables_of(order, floor)
    scan = Scan(order.start_us, order.end_us)
    scan.read(log.read({}))
    standings = scan.standings()
    wanted = Filter({t.id: standings[t.id] for t in tables if t.id in standings})
    before = scan.before(ends or {})
    done = Delivered(len(tables))
    batch: list[Outgoing] = []
    for hour in play_floor(units_of(tables), order, floor, before, processes):
        for table, values, arrivals in hour.messages:
            new = wanted.new(table, values, arrivals)
            done.already_there += len(values) - len(new)
            batch += new
        if len(batch) >= BATCH:
            done.events += _write(log, batch)
        done.rounds += hour.rounds
        done.truths += hour.truths
        for rulebook, tally in hour.tallies.items():
            done.tallies.setdefault(rulebook, Counter()).update(tally)
        done.lost_ends.update(hour.lost_ends)
        tell(hour.rounds)
    wanted.check_done()
    done.events += _write(log, batch)
    return done


def _write(log: Log, batch: list[Outgoing]) -> int:
    written = len(batch)
    if batch:
        log.append(batch)
        batch.clear()
    return written
