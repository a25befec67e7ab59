"""What the night says of findings that were told live: confirmed, changed or withdrawn."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_COMPARED = ("kind", "message", "money", "seq")


def outboxes(home: Path) -> list[Path]:
    """The outboxes of all watchers of a home."""
    return sorted((home / "watch").glob("*.sqlite"))


def judge_live(home: Path, run: str, findings: pa.Table, rounds: Iterable[Path]) -> dict[str, int]:
    """Hold what the watchers told of a day's rounds against what its night found, and note it.

    rounds: the night's files of rounds. `late` counts what only the night has found. Where nobody
    watched, nothing is counted. An outbox that can't be written is passed over: nothing here may
    fail a night.
    """
    columns: list[Any] = [findings[name].to_pylist() for name in ("id", "round", *_COMPARED)]
    found = {row[0]: row[1:] for row in zip(*columns, strict=True) if row[1] is not None}
    files = list(rounds)
    counts: Counter[str] = Counter()
    for path in outboxes(home):
        try:
            with closing(sqlite3.connect(path, timeout=10)) as db, db:
                counts += _judge(db, run, found, files)
        except sqlite3.Error:
            continue
    return dict(counts)


def _judge(
    db: sqlite3.Connection, run: str, found: Mapping[str, Any], files: list[Path]
) -> Counter[str]:
    sql = "SELECT id, round, body FROM standing WHERE round IS NOT NULL"
    told = {id_: (round_, json.loads(body)) for id_, round_, body in db.execute(sql)}
    of_day = _played(files, {round_ for round_, _ in told.values()})
    verdicts = {
        id_: _verdict(found.get(id_), body)
        for id_, (round_, body) in told.items()
        if round_ in of_day or id_ in found
    }
    db.executemany(
        "UPDATE standing SET night = ?, verdict = ? WHERE id = ?",
        [(run, verdict, id_) for id_, verdict in verdicts.items()],
    )
    counts = Counter(verdicts.values())
    if verdicts:
        counts["late"] = len(found.keys() - verdicts.keys())
    return counts


def _verdict(night: tuple[Any, ...] | None, live: Mapping[str, Any]) -> str:
    if night is None:
        return "withdrawn"
    return "confirmed" if night[1:] == tuple(live[n] for n in _COMPARED) else "changed"


def _played(files: Iterable[Path], names: Collection[str]) -> set[str]:
    """Which of these rounds the night has audited."""
    if not names:
        return set()
    wanted, out = pc.field("round").isin(sorted(names)), set[str]()
    for path in files:
        rows: Any = pq.read_table(path, columns=["round"], filters=wanted, partitioning=None)
        out.update(rows["round"].to_pylist())
    return out
