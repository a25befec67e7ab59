"""Kafka: produce, a bare consume loop, and ingest into the archive, in events per second.

    uv run python -m bench.kafka [--rounds 8000]

A broker is started for the run on a free port and stopped at the end. The figures of one run can
be compared with each other; those of two machines can't, so the ratios are what counts. This
process keeps to one core; the broker may use the others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kafka import KafkaConsumer, TopicPartition

from bench.events import floor
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.log.base import Outgoing
from events.log.kafka import config
from events.log.kafka.log import KafkaLog
from events.settings.kafka import PLAINTEXT
from pipelines.broker.server import Broker, free_port

BUDGET = 12_500


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured step."""

    name: str
    events: int
    wall_s: float
    processor_s: float

    @property
    def rate(self) -> float:
        return self.events / self.wall_s

    @property
    def core_rate(self) -> float:
        """Events per second of one core that does nothing else."""
        return self.events / self.processor_s


def measure(name: str, events: int, step: Callable[[], object]) -> Figure:
    wall, processor = time.perf_counter(), time.process_time()
    step()
    return Figure(name, events, time.perf_counter() - wall, time.process_time() - processor)


def bare_consume(log: KafkaLog, events: int) -> None:
    """The least that kafka-python can do: poll and count."""
    consumer = KafkaConsumer(**config.connection(log.servers, PLAINTEXT), **config.consumer())
    consumer.assign([TopicPartition(log.topic, p) for p in log.partitions])
    consumer.seek_to_beginning()
    seen = 0
    while seen < events:
        seen += sum(map(len, consumer.poll(timeout_ms=500).values()))
    consumer.close(autocommit=False)


def run(home: Path, sent: Sequence[Outgoing]) -> list[Figure]:
    broker = Broker(home / "kafka", f"127.0.0.1:{free_port()}")
    broker.start()
    # pinned only now, because the broker would inherit it
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        log = KafkaLog(broker.address, "table.rounds", "table.rounds.dead")
        figures = [
            measure("produce", len(sent), lambda: log.append(sent)),
            measure("bare consume", len(sent), lambda: bare_consume(log, len(sent))),
        ]
        with ArchiveWriter(home / "archive") as archive:
            figures.append(measure("ingest", len(sent), lambda: ingest(log, archive)))
        log.close()
    finally:
        broker.stop()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=8000)
    sent = floor(parser.parse_args().rounds)
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as home:
        figures = run(Path(home), sent)
    size = sum(len(m.value) for m in sent) / len(sent)
    print(f"{len(sent):,} events, {size:.0f} bytes each on average")
    print(f"{'':14}{'events/s':>12}{'per core':>12}")
    for figure in figures:
        print(f"{figure.name:14}{figure.rate:12,.0f}{figure.core_rate:12,.0f}")
    produce, bare, taken = figures
    print(f"ingest / bare consume  {taken.rate / bare.rate:.2f}")
    print(f"ingest / produce       {taken.rate / produce.rate:.2f}")
    print(f"ingest / budget        {taken.rate / BUDGET:.2f}  (at least 1.00: {BUDGET:,} events/s)")


if __name__ == "__main__":
    main()
