"""`waivers.jsonl`, in which homes of earlier versions kept waivers: read, and taken over once.

The first entry of the log takes the whole file over, with its hash; the file stays where it is and
counts no more. Until then its waivers count as they always did, so that reading changes nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from checks.waivers import Waiver
from events.contract import show
from events.errors import ContractError, InputError
from events.handed import bounds
from events.handed.text import parse_json, read_whole

FILE_NAME = "waivers.jsonl"
_FIELDS = ("id", "finding", "content", "reason", "by", "until", "at")
_HEX = re.compile(r"[0-9a-f]{64}")


def read_legacy(home: Path) -> tuple[str | None, list[Waiver]]:
    """The file's SHA-256 and its waivers in the order given; None and none where there is none."""
    path = home / FILE_NAME
    if not path.exists():
        return None, []
    content = read_whole(path, bounds.KEPT_BYTES)
    out = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            out.append(waiver_of(parse_json(line)))
        except (ValueError, OverflowError, KeyError, TypeError, ContractError) as error:
            if _never_acknowledged(line):
                continue
            raise InputError(
                f"{path}, line {number}: expected a waiver ({', '.join(_FIELDS)}), found "
                f"{show(line.decode('utf-8', 'replace')[:40])}: {error}"
            ) from None
    return hashlib.sha256(content).hexdigest(), out


def hash_of(home: Path) -> str:
    """The file's SHA-256, whatever it says."""
    return hashlib.sha256(read_whole(home / FILE_NAME, bounds.KEPT_BYTES)).hexdigest()


def _never_acknowledged(line: bytes) -> bool:
    """Half a line: written by a process that was killed before it could say that it was done."""
    return line.startswith(b"{") and not line.rstrip().endswith(b"}")


def waiver_of(flat: Any) -> Waiver:
    """A waiver as a line of that file has it, or a ValueError."""
    if not isinstance(flat, Mapping) or set(flat) != set(_FIELDS):
        raise ValueError("other fields")
    if not all(isinstance(value, str) and value for value in flat.values()):
        raise ValueError("a field is empty or no text")
    if not _HEX.fullmatch(flat["content"]):
        raise ValueError("content is no SHA-256")
    until = date.fromisoformat(flat["until"])
    at = datetime.fromisoformat(flat["at"]).astimezone(UTC)
    return Waiver(**(dict(flat) | {"until": until, "at": at}))


def taken_over_details(sha256: str, waivers: list[Waiver]) -> dict[str, Any]:
    """What the log keeps of the file."""
    told = [{name: w.to_json()[name] for name in _FIELDS} for w in waivers]
    return {"file": FILE_NAME, "sha256": sha256, "waivers": told}
