"""A house that played a day, made once by the commands that its people type."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from events.archive.finder import FoundRound, find_round
from events.archive.reader import Archive
from tests.command import evenhand

DAY = "2026-11-14"


@dataclass(frozen=True)
class House:
    """Its folder, and the faults that were planted."""

    folder: Path
    truth: list[dict[str, Any]]

    @property
    def archive(self) -> Path:
        return self.folder / ".evenhand" / "archive"

    def found(self, round_id: str) -> FoundRound:
        with Archive(self.archive) as archive:
            return find_round(archive, round_id)

    def planted(self, kind: str) -> dict[str, Any]:
        return next(t for t in self.truth if t["kind"] == kind)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    truth = folder / "truth.jsonl"
    played = evenhand(
        folder, "simulate", "--tables", "5", "--rounds", "40", "--seed", "3", "--faults", "0.2",
        "--day", DAY, "--truth", str(truth),
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    taken = evenhand(folder, "ingest")
    assert taken.returncode == 0, taken.stderr
    return House(folder, [json.loads(line) for line in truth.read_text().splitlines()])


@pytest.fixture(scope="session")
def audited(house: House) -> House:
    """The same house after the night: its day published in the warehouse."""
    from datetime import date

    from events.settings import load_settings
    from pipelines.night.run import run_day

    home = str(house.folder / ".evenhand")
    settings = load_settings({"home": home}, environ={}, folder=house.folder)
    run_day(settings, date.fromisoformat(DAY), with_suites=False)
    return house
