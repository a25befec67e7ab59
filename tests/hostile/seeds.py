"""Good files to begin with: rounds of every game, containers of them, evidence, kept files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from events.archive.reader import Archive
from events.settings import Settings, load_settings
from pipelines.evidence.make import make
from pipelines.evidence.material import Material
from tests.command import ROOT
from tests.investigate.here import evenhand_here

GOLDEN = ROOT / "tests" / "replay" / "golden"


@dataclass(frozen=True)
class Seeds:
    """What is mutated. `pieces` are pieces of evidence with the material that they were made of."""

    rounds: list[list[Any]]
    containers: list[bytes]
    pieces: list[tuple[Material, bytes]]
    checkpoints: bytes
    waivers: bytes
    settings: bytes


_SETTINGS = b"""\
kafka = "127.0.0.1:9092"
topic = "table.rounds"
gaming_day_start = "06:00"
timezone = "Asia/Singapore"
segment_bytes = 4096
codec = "zstandard"

[readings]
doubled-21 = "other"

[jackpots.grand]
reset_cents = 5000000
growth_cents = 10
"""

_WAIVER = {
    "id": "W0123456789a", "finding": "F0123456789ab", "content": "ab" * 32, "by": "A. Tan",
    "reason": "paid as an old layout said", "until": "2026-12-31",
    "at": "2026-11-15T23:41:07.123456Z",
}  # fmt: skip


def make_seeds(folder: Path) -> Seeds:
    """A small house plays a day; nothing in it depends on the clock but the times of seals."""
    played = ("simulate", "--tables", "5", "--rounds", "6", "--seed", "3", "--faults", "0.2",
              "--irregularities", "0.4", "--day", "2026-11-14")  # fmt: skip
    for args in (played, ("ingest",)):
        done = evenhand_here(folder, *args)
        assert done.returncode == 0, done.stderr
    home = folder / ".evenhand"
    settings = load_settings({"home": str(home)}, environ={}, folder=folder)
    line = json.dumps(_WAIVER).encode() + b"\n"
    return Seeds(
        rounds=_rounds(),
        containers=[
            *(path.read_bytes() for path in sorted((home / "log").glob("*.avro"))),
            *(path.read_bytes() for path in sorted((home / "archive").glob("*/*.avro"))),
            (ROOT / "tests" / "events" / "data" / "v1.avro").read_bytes(),
        ],
        pieces=_pieces(settings),
        checkpoints=(home / "checkpoints.jsonl").read_bytes(),
        waivers=line * 3,
        settings=_SETTINGS,
    )


def _rounds() -> list[list[Any]]:
    files = sorted((ROOT / "examples" / "rounds").glob("*.jsonl"))
    files.append(ROOT / "tests" / "events" / "data" / "v1.jsonl")
    return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]


def _pieces(settings: Settings) -> list[tuple[Material, bytes]]:
    with Archive(settings.home / "archive") as archive:
        rounds: dict[str, str] = {}
        for day in archive.days():
            events = archive.read_tables(day, archive.tables_of(day), ("table_id", "round"))
            pairs = zip(events["table_id"].to_pylist(), events["round"].to_pylist(), strict=True)
            rounds |= {table: round_ for table, round_ in pairs if round_ is not None}
    made = [make(settings, round_, frozenset()) for _, round_ in sorted(rounds.items())]
    return [(one.material, one.content) for one in made]
