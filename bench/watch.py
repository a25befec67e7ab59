"""Live: how soon a finding is out after its round closed, what one core sustains, and its memory.

    uv run python -m bench.watch [--tables 50] [--rate 285] [--seconds 30] [--without-broker]

First the watcher alone on one core, without a log: events a second, as a ratio to what a floor of
500 tables sends (285 a second), to ten times that, and to D, what fastavro alone decodes. Then the
whole way on a real broker that is started for the run: messages are sent at --rate, and the time
counts from just before a round's RoundClosed goes out until its finding is durable and told. The
sender is a thread of the same process, so the figures are rather too high. The peak of memory is
the process's own, with the simulated floor in it, whose size is printed beside it.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.events import fastavro_alone
from events.codec import body_of, decode_record
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.errors import DecodeError
from events.log.base import Message, Outgoing
from events.log.files.log import FileLog
from events.log.kafka.log import KafkaLog
from events.settings import Settings, load_settings
from pipelines.broker.server import Broker, free_port
from pipelines.cli.simulate import order_of
from pipelines.watch.follow import Follower
from pipelines.watch.outbox import Numbered, WatchOutbox, outbox_file
from pipelines.watch.watcher import Watcher

DAY = date(2026, 3, 10)
FLOOR_RATE = 285
CHUNK_S = 0.05


def traffic(settings: Settings, tables: int, rounds: int, faults: float) -> list[Outgoing]:
    """A simulated floor's messages, its tables taking turns."""
    order = order_of(
        settings,
        tables=tables,
        day=DAY,
        seed=3,
        rounds=rounds,
        irregularities=0.02,
        faults=faults,
    )
    log = FileLog(settings.home / "played", write=True)
    try:
        deliver(order, default_floor(), log)
        by_table: dict[bytes, list[bytes]] = {}
        for message in log.read({}):
            by_table.setdefault(message.key or b"", []).append(message.value)
    finally:
        log.close()
    turns = max(map(len, by_table.values()))
    return [
        Outgoing(key, values[n])
        for n in range(turns)
        for key, values in by_table.items()
        if n < len(values)
    ]


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
    began = time.process_time()
    fastavro_alone(readable)
    d = (time.process_time() - began) * len(sent) / len(readable)
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
        self.took: dict[str, float] = {}

    def hear(self, told: Sequence[Numbered]) -> None:
        now = time.perf_counter()
        for _, word in told:
            if word.what == "finding" and word.round in self.sent:
                self.took.setdefault(word.round, now - self.sent[word.round])


def send(log: KafkaLog, sent: Sequence[Outgoing], rate: float, clock: Clock) -> None:
    """At an even pace, a twentieth of a second at a time."""
    size = max(1, int(rate * CHUNK_S))
    ends = {}
    for message in sent:
        record = _record(message.value)
        if record is not None and record["event"][0] == "RoundClosed":
            ends[message.value] = record["round"]
    begun = time.perf_counter()
    for first in range(0, len(sent), size):
        some = sent[first : first + size]
        now = time.perf_counter()
        clock.sent.update({ends[m.value]: now for m in some if m.value in ends})
        log.append(some)
        ahead = (first + len(some)) / rate - (time.perf_counter() - begun)
        if ahead > 0:
            time.sleep(ahead)


def on_broker(settings: Settings, sent: Sequence[Outgoing], rate: float) -> None:
    """The whole way: broker, log, watcher, outbox."""
    broker = Broker(settings.home / "kafka", f"127.0.0.1:{free_port()}")
    broker.start()
    log = KafkaLog(broker.address, "bench.rounds", "bench.dead")
    sender = KafkaLog(broker.address, "bench.rounds", "bench.dead")
    outbox, clock = WatchOutbox(outbox_file(settings.home, "bench")), Clock()
    try:
        sending = threading.Thread(target=send, args=(sender, sent, rate, clock))
        spent = time.process_time()
        begun = time.perf_counter()
        follower = Follower(settings, log, outbox, clock.hear)
        sending.start()
        follower.run(stop=lambda: not sending.is_alive() and follower.read == len(sent))
        spent, wall = time.process_time() - spent, time.perf_counter() - begun
    finally:
        outbox.close()
        log.close()
        sender.close()
        broker.stop()
    took = sorted(clock.took.values())
    at = {p: took[min(len(took) - 1, int(len(took) * p / 100))] * 1000 for p in (50, 90, 99)}
    print(
        f"on a broker at {rate:,.0f} events/s: {len(took):,} rounds with findings; told after "
        + ", ".join(f"{ms:.0f} ms (p{p})" for p, ms in at.items())
        + f", {took[-1] * 1000:.0f} ms at most; {wall:.0f} s, {spent / wall:.2f} of a core with "
        f"the sender"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--rate", type=float, default=FLOOR_RATE)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--faults", type=float, default=0.1)
    parser.add_argument("--without-broker", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"home": folder}, environ={}, folder=Path(folder))
        rounds = max(2, int(args.rate * args.seconds / 22 / args.tables) + 1)
        sent = traffic(settings, args.tables, rounds, args.faults)
        sent = sent[: int(args.rate * args.seconds)]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        alone(sent)
        if not args.without_broker:
            on_broker(settings, sent, args.rate)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"memory: {peak / 1024:,.0f} MB at its peak, {before / 1024:,.0f} before the watcher")


if __name__ == "__main__":
    main()
