"""Live: how soon a finding is out after its round closed, what one core sustains, and its memory.

    uv run python -m bench.watch [--tables 50] [--rate 285] [--seconds 30] [--without-broker]
    uv run python -m bench.watch --rate 2850 --seconds 3600      # an hour at ten times the load

First the watcher alone on one core, without a log: events a second, as a ratio to what a floor of
500 tables sends (285 a second), to ten times that, and to D, what fastavro alone decodes. Then the
whole way on a real broker that is started for the run: `evenhand watch --from kafka --json` as a
process of its own, messages sent at --rate, and the time counts from just before a round's
RoundClosed goes out until the line with its finding was read from the command. The floor plays on
in another process, a gaming day every few thousand rounds, while the one before is sent. Printed
besides: the watcher's share of a core, its memory over the time and its peak.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench.yardstick import best, decode_all, interpreter
from events.chain import Head
from events.codec import body_of, decode_record
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.errors import DecodeError
from events.log.base import Message, Outgoing
from events.log.files.log import FileLog
from events.log.kafka.log import KafkaLog
from events.settings import load_settings
from pipelines.broker.server import Broker, free_port
from pipelines.cli.simulate import order_of
from pipelines.watch.watcher import Watcher

DAY = date(2026, 3, 10)
FLOOR_RATE = 285
CHUNK_S = 0.05
EVENTS_OF_A_ROUND = 22
MOST_ROUNDS = 5_000
"""Of all tables together within one stretch of play that is made at a time."""
MEMORY_POINTS = 12
LONGEST_CLOSE = 160
SETTLE_S = 5.0
EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")


class PlayedStretch(NamedTuple):
    """Some rounds of every table, its tables taking turns, and what the next stretch goes on from:
    the same messages as the log has them, and ends of chains that were lost on the way."""

    sent: list[Outgoing]
    logged: list[Outgoing]
    lost_ends: dict[str, Head]


NOTHING_YET = PlayedStretch([], [], {})


def play(
    folder: Path, number: int, size: tuple[int, int, float], before: PlayedStretch = NOTHING_YET
) -> PlayedStretch:
    """A simulated floor's messages of one day, after those of the day before. size: tables, rounds
    of each, and the rate of faults."""
    tables, rounds, faults = size
    home = folder / f"played-{number}"
    settings = load_settings({"home": str(home)}, environ={}, folder=folder)
    order = order_of(
        settings,
        tables=tables,
        day=DAY + timedelta(days=number),
        seed=3 + number,
        rounds=rounds,
        irregularities=0.02,
        faults=faults,
    )
    log = FileLog(home, write=True)
    try:
        if before.logged:
            log.append(before.logged)
        done = deliver(order, default_floor(), log, ends=before.lost_ends)
        played = log.read({0: len(before.logged)})
        logged = [Outgoing(m.key or b"", m.value, m.arrived_us) for m in played]
    finally:
        log.close()
        shutil.rmtree(home)
    by_table: dict[bytes, list[bytes]] = {}
    for message in logged:
        by_table.setdefault(message.key, []).append(message.value)
    turns = max(map(len, by_table.values()))
    sent = [
        Outgoing(key, values[n])
        for n in range(turns)
        for key, values in by_table.items()
        if n < len(values)
    ]
    return PlayedStretch(sent, logged, done.lost_ends)


def stretches(folder: Path, tables: int, events: int, faults: float) -> Iterator[list[Outgoing]]:
    """So many events in all; the next stretch is played while one is sent."""
    rounds = max(2, min(MOST_ROUNDS, events // EVENTS_OF_A_ROUND + 1) // tables + 1)
    size = (tables, rounds, faults)
    with ProcessPoolExecutor(1) as pool:
        coming, number, left = pool.submit(play, folder, 0, size), 0, events
        while left > 0:
            now = coming.result()
            number += 1
            if left > len(now.sent):
                coming = pool.submit(play, folder, number, size, now)
            yield now.sent[:left]
            left -= len(now.sent)


def _record(value: bytes) -> dict[str, Any] | None:
    """A message's record; None for a planted fault that nobody can read."""
    try:
        return decode_record(value)
    except DecodeError:
        return None


def alone(sent: Sequence[Outgoing]) -> None:
    """The watcher without a log around it."""
    messages = [Message(0, n, m.key, m.value) for n, m in enumerate(sent)]
    watcher, told = Watcher("file:bench"), 0
    readable = [body_of(m.value) for m in sent if _record(m.value) is not None]
    began = time.process_time()
    for message in messages:
        told += sum(word.what != "round" for word in watcher.take(message))
    spent = time.process_time() - began
    d = best(lambda: decode_all(readable)) * len(sent) / len(readable)
    rate = len(sent) / spent
    holds = "holds" if rate > 10 * FLOOR_RATE else "does NOT hold"
    print(
        f"alone: {len(sent):,} events, {told:,} findings told, {rate:,.0f} events/s of one core: "
        f"{rate / FLOOR_RATE:.1f} floors of 500 tables ({holds} ten), "
        f"{spent / d:.1f} D"
    )


class Clock:
    """When each round's end was sent, and how long its first finding took."""

    def __init__(self) -> None:
        self.sent: dict[str, float] = {}
        self.took: list[float] = []

    def hear(self, lines: Iterator[str]) -> None:
        """What the command prints, until it ends."""
        for line in lines:
            said = json.loads(line)
            begun = self.sent.pop((said.get("finding") or {}).get("round") or "", None)
            if begun is not None:
                self.took.append(time.perf_counter() - begun)


class WatchedProcess:
    """A process while it works: its processor time and its memory."""

    def __init__(self, pid: int) -> None:
        self._pid, self.rss_mb = pid, list[float]()

    def _status(self, name: str) -> float:
        text = Path(f"/proc/{self._pid}/status").read_text("utf-8")
        return float(text.split(f"{name}:")[1].split()[0]) / 1024

    def look(self) -> None:
        self.rss_mb.append(self._status("VmRSS"))

    @property
    def peak_mb(self) -> float:
        return self._status("VmHWM")

    @property
    def spent_s(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(
    log: KafkaLog,
    floor: Iterator[list[Outgoing]],
    rate: float,
    clock: Clock,
    watched: WatchedProcess,
) -> int:
    """At an even pace, a twentieth of a second at a time; how many."""
    size, done, looked = max(1, int(rate * CHUNK_S)), 0, 0.0
    begun = time.perf_counter()
    for sent in floor:
        for first in range(0, len(sent), size):
            some = sent[first : first + size]
            ends = [name for m in some if (name := _closed(m.value)) is not None]
            clock.sent.update(dict.fromkeys(ends, time.perf_counter()))
            log.append(some)
            done += len(some)
            if time.perf_counter() - looked > 1:
                looked = time.perf_counter()
                watched.look()
            ahead = done / rate - (time.perf_counter() - begun)
            if ahead > 0:
                time.sleep(ahead)
    return done


def _closed(value: bytes) -> str | None:
    """The round that a message closes."""
    if len(value) > LONGEST_CLOSE:  # it has nothing but the envelope
        return None
    record = _record(value)
    if record is None or record["event"][0] != "RoundClosed":
        return None
    name: str | None = record["round"]
    return name


def on_broker(folder: Path, floor: Iterator[list[Outgoing]], rate: float) -> None:
    """The whole way: broker, log, the command itself."""
    broker = Broker(folder / "kafka", f"127.0.0.1:{free_port()}")
    broker.start()
    env = os.environ | {"EVENHAND_HOME": str(folder / "home"), "EVENHAND_KAFKA": broker.address}
    log = KafkaLog(broker.address, "table.rounds", "table.rounds.dead")
    command = [*EVENHAND, "watch", "--from", "kafka", "--json"]
    watch = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert watch.stdout is not None
        clock, watched = Clock(), WatchedProcess(watch.pid)
        hearing = threading.Thread(target=clock.hear, args=(iter(watch.stdout.readline, ""),))
        hearing.start()
        time.sleep(SETTLE_S)
        before, begun = watched.spent_s, time.perf_counter()
        done = send(log, floor, rate, clock, watched)
        wall = time.perf_counter() - begun
        time.sleep(SETTLE_S)
        spent, peak = watched.spent_s - before, watched.peak_mb
    finally:
        watch.terminate()
        watch.wait()
        log.close()
        broker.stop()
    hearing.join()
    _tell(done, wall, rate, clock, spent)
    every = max(1, len(watched.rss_mb) // MEMORY_POINTS)
    over = " ".join(f"{mb:.0f}" for mb in watched.rss_mb[::every])
    print(f"memory of the watcher, MB over the time: {over}; {peak:.0f} at its peak")


def _tell(done: int, wall: float, rate: float, clock: Clock, spent: float) -> None:
    took = sorted(clock.took)
    if not took:
        print(f"on a broker: {done:,} events in {wall:.0f} s, and no finding among them")
        return
    at = {p: took[min(len(took) - 1, int(len(took) * p / 100))] * 1000 for p in (50, 90, 99)}
    print(
        f"on a broker: {done:,} events in {wall:.0f} s, {done / wall:,.0f} a second of the "
        f"{rate:,.0f} asked for; {len(took):,} rounds with findings, told after "
        + ", ".join(f"{ms:.0f} ms (p{p})" for p, ms in at.items())
        + f", {took[-1] * 1000:.0f} ms at most; the watcher took {spent / wall:.2f} of a core"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--rate", type=float, default=FLOOR_RATE)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--faults", type=float, default=0.1)
    parser.add_argument("--without-broker", action="store_true")
    args = parser.parse_args()
    events = int(args.rate * args.seconds)
    print(interpreter())
    with tempfile.TemporaryDirectory(prefix="bench-watch-") as name:
        folder = Path(name)
        rounds = max(2, min(MOST_ROUNDS, events // EVENTS_OF_A_ROUND + 1) // args.tables + 1)
        alone(play(folder, 1_000, (args.tables, rounds, args.faults)).sent[:events])
        if not args.without_broker:
            floor = stretches(folder, args.tables, events, args.faults)
            on_broker(folder, floor, args.rate)


if __name__ == "__main__":
    main()
