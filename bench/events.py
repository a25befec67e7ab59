"""What the events cost: encode, decode, columns, the log and the archive, in one run.

    uv run python -m bench.events [--rounds N] [--folder DIR] [--against REV]

Machines differ, so each figure is also given as a multiple of D, the processor time that fastavro
alone needs to decode the same events. Everything runs on one core, Arrow's threads too, and what
counts is processor time of the best of three passes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.rounds import START, play
from bench.sides import ROOT, Measured, Side, another, in_turns, show, show_ratios, told
from bench.yardstick import PASSES, best, decode_all, interpreter
from events.archive.ingest import ingest
from events.archive.reader import Archive
from events.archive.writer import ArchiveWriter
from events.chain import ChainLink, TableChain
from events.codec import body_of, decode, decode_record, encode, hash_body
from events.gateway import Gateway
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.model import Envelope

TABLES = 20
BATCH = 1_000


def floor(rounds: int) -> list[Outgoing]:
    """The events of a small floor, its tables taking turns as they do on a real one."""
    names = [f"RWS-PP-{n:02d}" for n in range(1, TABLES + 1)]
    gateways = {name: Gateway(name) for name in names}
    turns = itertools.zip_longest(*(play(name, rounds // TABLES) for name in names))
    return [
        gateways[turn[0][:9]].send(turn[3], at=turn[2], device=turn[1], round_=turn[0])
        for turn in itertools.chain.from_iterable(turns)
        if turn is not None
    ]


def _each(work: Callable[[bytes], object], values: list[bytes]) -> None:
    for value in values:
        work(value)


def _encode_all(envelopes: list[Envelope]) -> None:
    for envelope in envelopes:
        encode(envelope)


def _chain(values: list[bytes], records: list[dict[str, Any]]) -> None:
    chains: dict[str, TableChain] = {}
    for value, record in zip(values, records, strict=True):
        table = record["table"]
        if table not in chains:
            chains[table] = TableChain(table)
        digest = hash_body(body_of(value))
        chains[table].feed(ChainLink(record["seq"], record["prev"], digest))


def codec_figures(messages: list[Outgoing]) -> Iterator[tuple[str, float]]:
    """D first, then what our own layers make of it."""
    values = [m.value for m in messages]
    bodies = [body_of(v) for v in values]
    yield "decode, fastavro alone (D)", best(lambda: decode_all(bodies))
    envelopes = [decode(v) for v in values]
    yield "encode", best(lambda: _encode_all(envelopes))
    yield "decode to a record", best(lambda: _each(decode_record, values))
    yield "decode to a typed event, checked", best(lambda: _each(decode, values))
    records = [decode_record(v) for v in values]
    yield "verify the chain (decoded)", best(lambda: _chain(values, records))


def log_figures(messages: list[Outgoing], folder: Path) -> Iterator[tuple[str, float]]:
    """The file log. A fresh one for each pass; the last one stays for the archive."""
    fresh = itertools.count()

    def append() -> None:
        log = FileLog(folder / f"log{next(fresh)}", write=True)
        for start in range(0, len(messages), BATCH):
            log.append(messages[start : start + BATCH])
        log.close()

    yield f"file append, synced every {BATCH}", best(append)
    yield "file read", best(lambda: sum(1 for _ in FileLog(folder / "log0").read({})))


def archive_figures(folder: Path) -> Iterator[tuple[str, float]]:
    """Ingest from the file log, then the columns it wrote."""
    fresh = itertools.count()

    def take() -> None:
        archive = ArchiveWriter(folder / f"archive{next(fresh)}")
        ingest(FileLog(folder / "log0"), archive)
        archive.close()

    yield "ingest into the archive", best(take)
    left_open = []
    for _ in range(PASSES):
        left_open.append(folder / f"archive{next(fresh)}")
        with ArchiveWriter(left_open[-1], now=lambda: START) as archive:
            ingest(FileLog(folder / "log0"), archive, history=True)

    def end_the_day() -> None:
        with ArchiveWriter(left_open.pop()) as archive:
            archive.complete_days(following=False)

    yield "of it the end of the day", best(end_the_day)

    def read() -> None:
        with Archive(folder / "archive0") as archive:
            for day in archive.days():
                archive.read_tables(day, list(archive.tables_of(day)))

    yield "column read", best(read)


def measure(rounds: int, place: Path | None) -> tuple[Measured, float]:
    """Every figure, and the bytes of an event in the file log."""
    messages = floor(rounds)
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        figures = itertools.chain(
            codec_figures(messages), log_figures(messages, folder), archive_figures(folder)
        )
        seconds = dict(figures)
        disk = sum(p.stat().st_size for p in (folder / "log0").glob("*.avro"))
    return Measured(len(messages), rounds, seconds), disk / len(messages)


def compare(rev: str, rounds: int, passes: int) -> None:
    """This commit and another, taking turns."""
    print(interpreter())
    with another(rev) as other:
        sides = [Side("here", ROOT), other]
        found = in_turns(sides, "events", ["--rounds", str(rounds)], passes)
        for side, measured in zip(sides, found, strict=True):
            show(side, measured)
        show_ratios(sides, found)


def main() -> None:
    """Print one line per figure: events a second of processor time, and the cost in D."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=4000)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    parser.add_argument("--against", metavar="REV", help="another commit, both in turns")
    parser.add_argument("--passes", type=int, default=PASSES, help="turns with --against")
    parser.add_argument("--once", action="store_true", help="the figures as JSON")
    args = parser.parse_args()
    if args.against:
        compare(args.against, args.rounds, args.passes)
        return
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    measured, bytes_each = measure(args.rounds, args.folder)
    if args.once:
        told(measured)
        return
    print(interpreter())
    show(Side("one core", ROOT), measured)
    print(f"{'file log on the disk':36}{bytes_each:12.1f} bytes/event")


if __name__ == "__main__":
    main()
