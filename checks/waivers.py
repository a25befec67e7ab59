"""Waivers: findings that named people accepted, for a reason and for a time.

A waiver covers one finding as it was: the finding stays in the record, is shown as waived, and
comes back when the waiver ends or the finding changes. Who gives waivers and how they are kept is
not known here (pipelines/people).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from replay.answer import ID_DIGITS

_CONTENT = (
    "id kind table_id round rulebook seq box hand player bet expected recorded money clauses"
).split()
"""What a finding says. Its wording may change with a new version without changing the finding."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One finding accepted. `until` is the last day on which it holds; without `approved_by` it was
    accepted by one person alone."""

    id: str
    finding: str
    content: str
    reason: str
    by: str
    until: date
    at: datetime
    approved_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        at = self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return asdict(self) | {"until": self.until.isoformat(), "at": at}


def content_of(finding: Mapping[str, Any]) -> str:
    """The hash of what a finding says; `finding` has the columns of the findings table."""
    return hashlib.sha256(_said(finding).encode()).hexdigest()


def _said(finding: Mapping[str, Any]) -> str:
    said: dict[str, Any] = {name: finding.get(name) for name in _CONTENT}
    said["clauses"] = list(said["clauses"] or ())
    for name in ("expected", "recorded"):  # JSON text in the warehouse: its spacing says nothing
        if isinstance(said[name], str):
            said[name] = json.loads(said[name])
    return json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def in_force(waiver: Waiver, today: date) -> bool:
    """Whether a waiver still holds."""
    return today <= waiver.until


def apply_waivers(
    findings: Iterable[Mapping[str, Any]], waivers: Iterable[Waiver], today: date
) -> list[Waiver | None]:
    """For each finding, in order, the waiver that covers it today, or None.

    findings: rows with the columns of the findings table (checks.tables.FINDINGS).
    waivers: in the order given; of several for one finding the last one given counts.
    today: the day on which somebody asks, not the gaming day of the findings.
    """
    holding: dict[tuple[str, str], Waiver] = {}
    for waiver in waivers:
        if in_force(waiver, today):
            holding[waiver.finding, waiver.content] = waiver
    if not holding:
        return [None for _ in findings]
    ids = {finding for finding, _ in holding}
    former = [w for w in holding.values() if len(w.finding) == ID_DIGITS]
    return [
        holding.get((str(f["id"]), content_of(f))) if f["id"] in ids else _under_former(f, former)
        for f in findings
    ]


def _under_former(finding: Mapping[str, Any], waivers: Iterable[Waiver]) -> Waiver | None:
    """The waiver that was given when the finding still had a shorter id, and said the same."""
    said = ""
    for waiver in waivers:
        said = said or _said(finding)
        then = said.replace(f'"id":"{finding["id"]}"', f'"id":"{waiver.finding}"', 1)
        if hashlib.sha256(then.encode()).hexdigest() == waiver.content:
            return waiver
    return None
