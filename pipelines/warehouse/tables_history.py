"""The history of the registry of tables: which run first saw it changed, and in which tables.

One JSON object a line, only ever added to, in the home folder beside the findings' history.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from events.errors import InputError
from events.registry import TableRegistry
from events.runtime.lines import append_lines

FILE_NAME = "tables_history.jsonl"


def note_registry(home: Path, run: str, registry: TableRegistry | None) -> None:
    """Add a line where the registry is not the one that the last line knows."""
    path = home / FILE_NAME
    last = _last(path)
    then: dict[str, str] = last["tables"]
    now = {} if registry is None else {n: _digest(t) for n, t in registry.tables.items()}
    after = None if registry is None else registry.sha256
    if last["after"] == after:
        return
    line = {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "run": run,
        "before": last["after"],
        "after": after,
        "added": sorted(now.keys() - then.keys()),
        "removed": sorted(then.keys() - now.keys()),
        "changed": sorted(n for n in now.keys() & then.keys() if now[n] != then[n]),
        "tables": now,  # by which the next line tells what changed
    }
    append_lines(path, [json.dumps(line, ensure_ascii=False)])


def _digest(table: object) -> str:
    return hashlib.sha256(repr(table).encode()).hexdigest()[:16]


def _last(path: Path) -> dict[str, Any]:
    """The last whole line; what a killed process left of one does not count."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from None
    lines = content[: content.rfind(b"\n") + 1].splitlines()
    if not lines:
        return {"after": None, "tables": {}}
    try:
        row = json.loads(lines[-1])
        return {"after": row["after"], "tables": dict(row["tables"])}
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"{path}, line {len(lines)}: expected a line of the registry's history, found "
            f"{lines[-1][:40]!r}; put the file back as it was"
        ) from None
