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
from tests.investigate.known_answers import WAIVED_UNTIL
from tests.investigate.known_day import known_day
from tests.investigate.known_facts import Known
from tests.investigate.known_plan import BJ, PLAN

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
    from pipelines.night.plain import run_day

    home = str(house.folder / ".evenhand")
    settings = load_settings({"home": home}, environ={}, folder=house.folder)
    run_day(settings, date.fromisoformat(DAY), with_suites=False)
    return house


@dataclass(frozen=True)
class KnownHouse:
    """A house that played the known day; its night ran twice, with a waiver in between."""

    home: Path
    day: Known


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> KnownHouse:
    from pipelines.night.plain import run_day
    from tests.investigate.here import evenhand_here
    from tests.pipelines.kit import DAY, ask, sent, settings_of

    home = tmp_path_factory.mktemp("known") / ".evenhand"
    day = known_day(PLAN)
    sent(home, day.sent)
    run_day(settings_of(home), DAY, with_suites=False)
    (finding,) = ask(home, f"SELECT id FROM findings WHERE round = '{BJ}-000003'")[0]
    waived = evenhand_here(
        home.parent, "waive", finding, "--by", "A. Tan", "--until", str(WAIVED_UNTIL),
        "--reason", "paid as an old layout said",
    )  # fmt: skip
    assert waived.returncode == 0, waived.stderr
    run_day(settings_of(home), DAY, with_suites=False)
    return KnownHouse(home, day)
