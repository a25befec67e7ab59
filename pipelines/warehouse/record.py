"""The record of a run: what went in, what made it, what came out. Written when all is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata, resources
from typing import Any

from events.formats import WAREHOUSE
from events.runtime.durable import write_whole
from events.runtime.modes import in_force
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import RunFolder

REVISION, LEFT = "day before: revision", "day before: what it left"
REGISTRY, SETTINGS_FILE = "registry of tables", "file of settings"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of one day. `inputs` are the archive's files with their checksums."""

    run: str
    day: str
    dagster_run: str | None
    started_at: str
    finished_at: str
    code_version: str
    revision: int
    complete: bool
    rulebooks: dict[str, str]
    settings: dict[str, Any]
    inputs: dict[str, str]
    counts: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # SHA-256 of each; none: from before
    before: str | None = None  # the hash of the publication before (pipelines/warehouse/chain.py)
    format: int = 1  # of a record that does not say; write_record says it


def write_record(folder: RunFolder, record: RunRecord) -> None:
    """From now on the run counts as whole."""
    content = asdict(record) | {"format": WAREHOUSE.version}
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    write_whole(folder.record, (text + "\n").encode(), in_force().sealed)


def read_record(folder: RunFolder) -> RunRecord | None:
    """The record of a run that came to its end, else None."""
    try:
        content = json.loads(folder.record.read_text("utf-8"))
        WAREHOUSE.version_of(content.get("format", 1), folder.record)
        return RunRecord(**content)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError) as error:
        raise WarehouseError(f"{folder.record}: expected the record of a run: {error}") from None


def of_day_before(inputs: Mapping[str, str]) -> dict[str, str]:
    """Those of a run's inputs that tell of the day before, from which it went on."""
    return {name: told for name, told in inputs.items() if name in {REVISION, LEFT}}


def fingerprints() -> dict[str, str]:
    """Every rulebook that this code settles by, with its fingerprint."""
    from replay.fingerprint import fingerprint
    from replay.registry import IDS

    return {book: fingerprint(book) or "" for book in IDS}


@cache
def code_version() -> str:
    """The installed version and a hash over the sources, because versions are not bumped daily."""
    digest = hashlib.sha256()
    for package in ("events", "replay", "checks", "pipelines"):
        files = [p for p in _walk(resources.files(package)) if p.name.endswith((".py", ".avsc"))]
        for file in sorted(files, key=str):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return f"{metadata.version('evenhand')}+{digest.hexdigest()[:12]}"


def _walk(folder: Any) -> list[Any]:
    out = []
    for item in folder.iterdir():
        if item.is_dir():
            out += _walk(item)
        elif item.is_file():
            out.append(item)
    return out
