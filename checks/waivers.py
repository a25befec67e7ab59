"""Waivers: findings that a named person accepted, for a reason and for a time.

The file is only ever added to, one JSON object a line, so that it stays known who accepted what,
and when. A waiver covers one finding as it was: the finding stays in the record, is shown as
waived, and comes back when the waiver ends or the finding changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from events.contract import show
from events.errors import ContractError, EvenhandError, InputError
from events.handed import bounds
from events.handed.text import parse_json, read_whole
from events.runtime.durable import sync_folder, write_all
from events.runtime.modes import make_folder, open_file
from replay.answer import ID_DIGITS

FILE_NAME = "waivers.jsonl"
_FIELDS = ("id", "finding", "content", "reason", "by", "until", "at")
_HEX = re.compile(r"[0-9a-f]{64}")
_CONTENT = (
    "id kind table_id round rulebook seq box hand player bet expected recorded money clauses"
).split()
"""What a finding says. Its wording may change with a new version without changing the finding."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One finding accepted. `until` is the last day on which it holds."""

    id: str
    finding: str
    content: str
    reason: str
    by: str
    until: date
    at: datetime

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


def make_waiver(
    finding: Mapping[str, Any], *, reason: str, by: str, until: date, at: datetime
) -> Waiver:
    """A waiver of a finding as it is now. Without a reason and a name there is none."""
    reason, by = " ".join(reason.split()), " ".join(by.split())
    if not reason or not by:
        missing = "reason" if not reason else "name"
        raise EvenhandError(f"waiver of {finding['id']}: expected a {missing}, found none")
    content = content_of(finding)
    seed = "\x1f".join((content, reason, by, until.isoformat(), at.isoformat()))
    name = "W" + hashlib.sha256(seed.encode()).hexdigest()[:11]
    return Waiver(name, str(finding["id"]), content, reason, by, until, at)


def add_waiver(path: Path, waiver: Waiver) -> None:
    """Add a waiver to the file; on return the disk has it."""
    line = (json.dumps(waiver.to_json(), ensure_ascii=False) + "\n").encode()
    try:
        make_folder(path.parent)
        fd = open_file(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        size = os.lseek(fd, 0, os.SEEK_END)
        if size and os.pread(fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # half a line that a killed process left stays, and counts for none
        write_all(fd, line)
        os.fsync(fd)
        sync_folder(path.parent)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    finally:
        os.close(fd)


def load_waivers(path: Path) -> list[Waiver]:
    """Every waiver that was ever given, in the order given; none where there is no file."""
    if not path.exists():
        return []
    content = read_whole(path, bounds.KEPT_BYTES)
    out = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            out.append(_from_line(line))
        except (ValueError, OverflowError, KeyError, TypeError, ContractError) as error:
            if _never_acknowledged(line):
                continue
            raise InputError(
                f"{path}, line {number}: expected a waiver ({', '.join(_FIELDS)}), found "
                f"{show(line.decode('utf-8', 'replace')[:40])}: {error}"
            ) from None
    return out


def _never_acknowledged(line: bytes) -> bool:
    """Half a line: written by a process that was killed before it could say that it was done."""
    return line.startswith(b"{") and not line.rstrip().endswith(b"}")


def _from_line(line: bytes) -> Waiver:
    flat = parse_json(line)
    if not isinstance(flat, dict) or set(flat) != set(_FIELDS):
        raise ValueError("other fields")
    if not all(isinstance(value, str) and value for value in flat.values()):
        raise ValueError("a field is empty or no text")
    if not _HEX.fullmatch(flat["content"]):
        raise ValueError("content is no SHA-256")
    until = date.fromisoformat(flat["until"])
    at = datetime.fromisoformat(flat["at"]).astimezone(UTC)
    return Waiver(**(flat | {"until": until, "at": at}))


def in_force(waiver: Waiver, today: date) -> bool:
    """Whether a waiver still holds."""
    return today <= waiver.until


def apply_waivers(
    findings: Iterable[Mapping[str, Any]], waivers: Iterable[Waiver], today: date
) -> list[Waiver | None]:
    """For each finding, in order, the waiver that covers it today, or None.

    findings: rows with the columns of the findings table (checks.tables.FINDINGS).
    waivers: as load_waivers() gives them; of several for one finding the last one given counts.
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
