"""The whole floor: every unit of tables, hour by hour, over as many processes as wanted.

The order of messages does not depend on the number of processes: hour after hour, and within an
hour unit after unit. Each process plays its share of the units and hands over one unit's hour at
a time, so that memory does not grow with the day.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from events.chain import Head
from events.devices.floor import Floor
from events.devices.link import Chunk, Unit
from events.devices.plan import Before, Order, TableSpec
from events.errors import EvenhandError

SLICE_US = 3_600_000_000
_AHEAD = 4  # hours of a unit that a process may be ahead of the one that writes

Units = Sequence[tuple[TableSpec, ...]]


@dataclass(frozen=True, slots=True)
class Hour:
    """What one unit of tables sent in one hour."""

    messages: Chunk
    truths: list[dict[str, Any]]
    rounds: int
    # with the last hour only
    tallies: Mapping[str, Counter[str]] = field(default_factory=dict)
    lost_ends: Mapping[str, Head] = field(default_factory=dict)


def hours_of(order: Order) -> list[int]:
    """The ends of the slices of the day; the last one takes whatever is still open."""
    ends = list(range(order.start_us + SLICE_US, order.end_us, SLICE_US))
    return [*ends, 2**62]


def _play(units: Units, order: Order, floor: Floor, before: Before) -> Iterator[Hour]:
    """Every unit's hours, in the order in which they are written."""
    playing = [Unit(unit, order, floor, before) for unit in units]
    ends = hours_of(order)
    for end in ends:
        for unit in playing:
            rounds = unit.rounds
            unit.until(end)
            last = (unit.tallies(), unit.lost_ends()) if end == ends[-1] else ({}, {})
            yield Hour(unit.take_sent(), unit.take_truths(), unit.rounds - rounds, *last)


def _work(pipe: Connection, units: Units, order: Order, floor: Floor, before: Before) -> None:
    """A process of its own: plays, and hands over through a short queue."""
    waiting: queue.Queue[Hour | Exception | None] = queue.Queue(_AHEAD)

    def hand_over() -> None:
        try:
            while (item := waiting.get()) is not None:
                pipe.send(item)
        except OSError:  # the reader is gone; nobody is left to play for
            pipe.close()
            while waiting.get() is not None:
                pass

    sender = threading.Thread(target=hand_over)
    sender.start()
    try:
        for hour in _play(units, order, floor, before):
            if pipe.closed:
                break
            waiting.put(hour)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent shows it
        waiting.put(error)
    waiting.put(None)
    sender.join()


def play_floor(
    units: Units,
    order: Order,
    floor: Floor,
    before: Before,
    processes: int,
) -> Iterator[Hour]:
    """The day of all units: the same hours in the same order, however many processes play."""
    processes = min(processes, len(units))
    if processes <= 1:
        yield from _play(units, order, floor, before)
        return
    # a fresh interpreter holds no end of another's pipe, so a process notices when its reader dies
    context = get_context("spawn")
    pipes: list[Connection] = []
    workers = []
    for rank in range(processes):
        reader, writer = context.Pipe(duplex=False)
        share = units[rank::processes]
        args = (writer, share, order, floor, before)
        worker = context.Process(target=_work, args=args, daemon=True)
        worker.start()
        writer.close()
        pipes.append(reader)
        workers.append(worker)
    try:
        for _ in hours_of(order):
            for index in range(len(units)):
                yield _receive(pipes[index % processes])
    finally:
        for pipe in pipes:
            pipe.close()
        for worker in workers:
            worker.join()


def _receive(pipe: Connection) -> Hour:
    try:
        item = pipe.recv()
    except EOFError:
        raise EvenhandError(
            "a process that played tables ended too soon; run the same command again to complete "
            "the day"
        ) from None
    if isinstance(item, Exception):
        raise item
    if not isinstance(item, Hour):
        raise TypeError(f"expected an hour of play, found {type(item).__name__}")
    return item
