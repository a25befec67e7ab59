"""What a new run of a day says that the one before did not: findings new, gone and changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow.parquet as pq

from pipelines.warehouse.layout import RunFolder
from pipelines.warehouse.record import RunRecord, of_day_before, read_record

_IDENTITY = frozenset({"id", "day"})
_LISTED = 50


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between two runs of a day. `since` is None for the first run."""

    since: str | None = None
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

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
) -> Changes:
    """The findings of two runs of one day, by their ids, and what differs in what made them."""
    if before is None:
        return Changes()
    old, new = _findings(before), _findings(now)
    return Changes(
        since=before.run,
        new=sorted(new.keys() - old.keys()),
        gone=sorted(old.keys() - new.keys()),
        changed=sorted(i for i in new.keys() & old.keys() if new[i] != old[i]),
        reasons=_reasons(read_record(before), code, revision, rulebooks, day_before),
    )


def _findings(folder: RunFolder) -> dict[str, dict[str, Any]]:
    rows = pq.read_table(folder.small("findings"), partitioning=None).to_pylist()
    return {r["id"]: {k: v for k, v in r.items() if k not in _IDENTITY} for r in rows}


def _reasons(
    record: RunRecord | None,
    code: str,
    revision: int,
    rulebooks: dict[str, str],
    day_before: dict[str, str],
) -> list[str]:
    if record is None:
        return []
    out = []
    if record.revision != revision:
        out.append(f"the day was reopened: revision {record.revision} became {revision}")
    if of_day_before(record.inputs) != day_before:
        out.append("the day before, from which this one goes on, changed")
    for book, now in sorted(rulebooks.items()):
        if record.rulebooks.get(book, now) != now:
            out.append(f"the rules of {book} changed")
    if record.code_version != code:
        out.append(f"the program changed: {record.code_version} became {code}")
    return out
