"""The history of every finding: first seen in which run, changed, waived, gone, and why.

One JSON object a line, only ever added to, in the home folder beside the waivers: no sweep of old
runs touches it. What a run adds is the difference between what the file says of the day and what
the run found, so that a run that is repeated, or one that was killed after it had written, adds
nothing twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from checks.waivers import content_of
from events.errors import InputError
from events.runtime.lines import append_lines
from pipelines.warehouse.changes import AROUND_CHANGED, Changes, renamed
from pipelines.warehouse.layout import RunFolder

FILE_NAME = "finding_history.jsonl"
FIRST, CHANGED, GONE, BACK = "first_seen", "changed", "gone", "back"
WAIVED, WAIVER_ENDED = "waived", "waiver_ended"
_NAMES = ("finding", "day", "kind", "severity", "table_id", "round")

Row = dict[str, Any]


@dataclass(slots=True)
class KnownFinding:
    """A finding as the history has it by now."""

    told: Row
    content: str
    here: bool = True
    waiver: str | None = None


def history_file(home: Path) -> Path:
    return home / FILE_NAME


def load_history(path: Path) -> list[Row]:
    """Every line, in order. A last line without its end was never acknowledged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from None
    out = []
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            row = json.loads(line)
            out.append({name: row[name] for name in (*_NAMES, *_MORE)})
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{path}, line {number}: expected a line of the findings' history, found "
                f"{line[:40]!r}; put the file back as it was"
            ) from None
    return out


_MORE = ("change", "run", "at", "why", "content", "waiver")


def known_of(rows: Sequence[Row], day: date) -> dict[str, KnownFinding]:
    """The findings of a day as the history leaves them."""
    out: dict[str, KnownFinding] = {}
    for row in rows:
        if row["day"] != day.isoformat():
            continue
        known = out.setdefault(row["finding"], KnownFinding(row, row["content"]))
        known.content, known.waiver = row["content"], row["waiver"]
        known.here = row["change"] != GONE
    return out


@dataclass(slots=True)
class Noting:
    """What one run adds to the history of its day."""

    run: str
    at: str
    why: list[str]
    lines: list[Row] = field(default_factory=list)

    def add(self, told: Mapping[str, Any], change: str, content: str, **more: Any) -> None:
        row = {name: told[name] for name in _NAMES}
        row |= {"change": change, "run": self.run, "at": self.at, "why": [], "content": content}
        self.lines.append(row | {"waiver": None} | more)

    def compare(self, known: Mapping[str, KnownFinding], found: Sequence[Row]) -> None:
        """The day's findings now against what the history has of them."""
        for finding in found:
            told, content = _told(finding), content_of(finding)
            before, waiver = known.get(told["finding"]), finding["waiver"]
            if before is None:
                self.add(told, FIRST, content, waiver=waiver)
            elif not before.here:
                self.add(told, BACK, content, why=self.why, waiver=waiver)
            elif before.content != content:
                self.add(told, CHANGED, content, why=self.why, waiver=waiver)
            elif before.waiver != waiver:
                change = WAIVED if waiver else WAIVER_ENDED
                why = [f"waiver {waiver or before.waiver}"]
                self.add(told, change, content, why=why, waiver=waiver)
        here = {str(finding["id"]) for finding in found}
        for name, before in known.items():
            if before.here and name not in here:
                self.add(before.told, GONE, before.content, why=self.why or [AROUND_CHANGED])


def _told(finding: Mapping[str, Any]) -> Row:
    named = {"finding": finding["id"], "day": finding["day"].isoformat()}
    return named | {name: finding[name] for name in _NAMES[2:]}


def note_run(home: Path, before: RunFolder | None, now: RunFolder, changes: Changes) -> list[Row]:
    """Add what a run changed for its day, and answer the lines; the disk has them on return.

    before: the run that counted until now. A home of an earlier version has no history of it; then
    its findings are noted first, as that run's.
    """
    path, found = history_file(home), _found(now)
    known = known_of(load_history(path), now.day)
    lines: list[Row] = []
    if before is not None and not known:
        old = _found(before)
        names = renamed(old, found)
        seed = Noting(before.run, _now(), [])
        seed.compare({}, [f | {"id": names.get(f["id"], f["id"])} for f in old])
        lines, known = seed.lines, known_of(seed.lines, now.day)
    noting = Noting(now.run, _now(), list(changes.reasons))
    noting.compare(known, found)
    lines += noting.lines
    if lines:
        append_lines(path, (json.dumps(line, ensure_ascii=False) for line in lines))
    return lines


def _found(folder: RunFolder) -> list[Row]:
    return pq.read_table(folder.small("findings"), partitioning=None).to_pylist()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def history_table(home: Path, schema: pa.Schema) -> pa.Table:
    """The history as the catalogue loads it."""
    rows = [
        {
            **{name: row[name] for name in ("kind", "severity", "table_id", "round", "waiver")},
            "id": row["finding"],
            "day": date.fromisoformat(row["day"]),
            "change": row["change"],
            "why": row["why"],
            "run": row["run"],
            "noted_at": datetime.fromisoformat(row["at"]),
        }
        for row in load_history(history_file(home))
    ]
    return pa.Table.from_pylist(rows, schema)
