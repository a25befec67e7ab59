"""What an engine's machines say that they wrote, held against what lies here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from events.runtime.digest import file_sha256
from pipelines.engines.base import LOCAL, EngineError
from pipelines.night.context import Night
from pipelines.night.work import Done


def must_be_there(night: Night, done: Sequence[Done]) -> None:
    """What the workers say they wrote is what lies here."""
    if night.settings.engine == LOCAL:
        return  # the same machine wrote it a moment ago
    written = written_by(done)
    paths = {name: night.folder.path / name for name in written}
    found = {name: file_sha256(path).hex() for name, path in paths.items() if path.exists()}
    same_files(night.folder.path, written, found)


def written_by(done: Sequence[Done]) -> dict[str, str]:
    """The parts that groups wrote, by name, with their SHA-256."""
    return {name: sha256 for one in done for name, sha256 in one.files.items()}


def same_files(folder: Path, written: Mapping[str, str], found: Mapping[str, str]) -> None:
    """What one machine wrote is what another one reads."""
    for name, sha256 in written.items():
        if found.get(name) != sha256:
            raise EngineError(
                f"{folder / name}: expected what the engine wrote (SHA-256 {sha256[:16]}...), "
                f"found something else or nothing; the engine's machines must see the same folder "
                f"as this one"
            )
