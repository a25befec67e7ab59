"""The history of the registry of tables: who changed it, which run first saw it, in which tables.

One JSON object a line, only ever added to, in the home folder beside the findings' history, and
sealed with it. `evenhand keys` notes its own changes, with the local user; what somebody wrote with
an editor is noted by the next run, with the file's owner and its time, which is all that is known.
"""

from __future__ import annotations

import hashlib
import json
import pwd
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from events.errors import InputError
from events.registry import TableRegistry
from events.runtime.lines import append_lines

FILE_NAME = "tables_history.jsonl"


def note_registry(
    home: Path,
    run: str | None,
    registry: TableRegistry | None,
    file: Path | None = None,
    by: Mapping[str, str] | None = None,
) -> None:
    """Add a line where the registry is not the one that the last line knows. `by`: who changed it
    and how, else what the `file` tells of it."""
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
        "by": dict(by) if by is not None else _owner(file),
        "before": last["after"],
        "after": after,
        "added": sorted(now.keys() - then.keys()),
        "removed": sorted(then.keys() - now.keys()),
        "changed": sorted(n for n in now.keys() & then.keys() if now[n] != then[n]),
        "tables": now,  # by which the next line tells what changed
    }
    append_lines(path, [json.dumps(line, ensure_ascii=False)])


def _owner(file: Path | None) -> dict[str, str] | None:
    """Whose file it is, and when it was written; None where it is gone."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        found = None
    if found is None:
        return None
    try:
        name = pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        name = str(found.st_uid)
    at = datetime.fromtimestamp(found.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"file_owner": name, "written_at": at}


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
