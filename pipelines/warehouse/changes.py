"""What a new run of a day says that the one before did not: findings new, gone and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow.parquet as pq

from checks.waivers import content_of
from pipelines.warehouse.layout import RunFolder
from pipelines.warehouse.record import REGISTRY, RunRecord, of_day_before, read_record

_IDENTITY = frozenset({"id", "day"})
_LISTED = 50
_NAMED = ("kind", "severity", "table_id", "round", "message")
AROUND_CHANGED = "what lies around the day changed: other days, checkpoints or the quarantine"
"""Why findings changed where nothing differs in what made the day itself."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between two runs of a day. `since` is None for the first run."""

    since: str | None = None
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)  # what is gone, as it was

    @property
    def any(self) -> bool:
        return bool(self.new or self.gone or self.changed)

    def to_json(self) -> dict[str, Any]:
        """The counts, and the first ids of each kind."""
        return {
            "since": self.since,
            "reasons": self.reasons,
            **{
                name: {"count": len(ids), "ids": ids[:_LISTED]}
                for name, ids in (("new", self.new), ("gone", self.gone), ("changed", self.changed))
            },
            "gone_findings": self.lost[:_LISTED],
        }

    def sentence(self) -> str:
        if self.since is None:
            return "first run of this day"
        if not self.any:
            return f"no finding differs from run {self.since}"
        return (
            f"since run {self.since}: {len(self.new)} findings new, {len(self.gone)} gone, "
            f"{len(self.changed)} changed"
        )


def compare_runs(
    before: RunFolder | None,
    now: RunFolder,
    code: str,
    revision: int,
    rulebooks: dict[str, str],
    day_before: dict[str, str],
    readings: Mapping[str, str],
    registry: Mapping[str, str],
) -> Changes:
    """The findings of two runs of one day, by their ids, and what differs in what made them."""
    if before is None:
        return Changes()
    old, new = _findings(before, now)
    gone = sorted(old.keys() - new.keys())
    return Changes(
        since=before.run,
        new=sorted(new.keys() - old.keys()),
        gone=gone,
        changed=sorted(i for i in new.keys() & old.keys() if new[i] != old[i]),
        reasons=_reasons(
            read_record(before), code, revision, rulebooks, day_before, readings, registry
        ),
        lost=[{"id": name} | {n: old[name][n] for n in _NAMED} for name in gone],
    )


def _findings(*runs: RunFolder) -> list[dict[str, dict[str, Any]]]:
    """By id, in the columns that all have: one that is new in the program changes no finding."""
    tables = [pq.read_table(run.small("findings"), partitioning=None) for run in runs]
    shared = set.intersection(*(set(t.column_names) for t in tables)) - _IDENTITY
    rows = [t.to_pylist() for t in tables]
    names = renamed(rows[0], rows[-1])
    return [
        {names.get(r["id"], r["id"]): {k: v for k, v in r.items() if k in shared} for r in some}
        for some in rows
    ]


def renamed(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Ids of findings that say the same under another id now, old to new: how an id is made has
    changed once. Only where it is clear which is which."""
    here = {row["id"] for row in new}
    left = {row["id"] for row in old}
    by_content: dict[str, list[str]] = {}
    for row in new:
        if row["id"] not in left:
            by_content.setdefault(content_of({**row, "id": ""}), []).append(row["id"])
    out = {}
    for row in old:
        fits = by_content.get(content_of({**row, "id": ""}), ()) if row["id"] not in here else ()
        if len(fits) == 1:
            out[row["id"]] = fits[0]
    return out


def _reasons(
    record: RunRecord | None,
    code: str,
    revision: int,
    rulebooks: dict[str, str],
    day_before: dict[str, str],
    readings: Mapping[str, str],
    registry: Mapping[str, str],
) -> list[str]:
    if record is None:
        return []
    out = []
    if record.revision != revision:
        out.append(f"late events came: revision {record.revision} became {revision}")
    if of_day_before(record.inputs) != day_before:
        out.append("the day before, from which this one goes on, changed")
    if record.inputs.get(REGISTRY) != registry.get(REGISTRY):
        out.append("the registry of tables changed: tables_history.jsonl has in which tables")
    then = record.settings.get("readings", {})
    for name in sorted({*then, *readings}):
        was, now = then.get(name, "default"), readings.get(name, "default")
        if was != now:
            out.append(f"the reading {name} changed: {was} became {now}")
    for book, now in sorted(rulebooks.items()):
        if record.rulebooks.get(book, now) != now:
            out.append(f"the rules of {book} changed")
    if record.code_version != code:
        out.append(f"the program changed: {record.code_version} became {code}")
    return out
