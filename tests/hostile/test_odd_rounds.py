"""Rounds with a value at the end of what the contract allows, looked at in every way."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from events import codec, jsonl
from events.bounds import AMOUNT_CENTS
from events.gateway import Gateway
from events.log.files.log import FileLog
from events.model import BetPlaced
from pipelines.night.plain import run_day
from tests.desk.conftest import desk_of
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, MORNING, TABLE, ask, played, sent, settings_of, won_round

LAST = datetime(9999, 12, 31, 23, 59, 0, tzinfo=UTC)
"""In Singapore it is the year 10000, which no calendar of Python's has."""
ROUND = f"{TABLE}-000002"


def looked_at(home: Path, name: str) -> None:
    """By `show` in all forms, by evidence that a stranger finds sound, and at the desk."""
    folder, env = home.parent, {"EVENHAND_HOME": str(home)}
    zip_ = str(folder / "evidence.zip")
    for args in (
        ["show", name], ["show", name, "--all"], ["show", name, "--json"],
        ["show", name, "--html", str(folder / "round.html")],
        ["evidence", name, "-o", zip_], ["evidence", "--verify", zip_],
    ):  # fmt: skip
        done = evenhand_here(folder, *args, **env)
        assert done.returncode == 0, (args, done.stderr, done.stdout[:500])
    with desk_of(home) as desk:
        assert desk.get(f"/round/{name}").status_code == 200
        assert desk.get(f"/day/{DAY}").status_code == 200


def test_a_clock_at_the_end_of_the_calendar(tmp_path: Path) -> None:
    home = tmp_path / "home"
    gateway = Gateway(TABLE)
    values = played([], gateway) + played([won_round(0, winnings=3000)], gateway, LAST)
    arrived = int(MORNING.timestamp() * 1e6) + 3_600_000_000
    sent(home, [replace(m, arrived_us=arrived) for m in values])
    run_day(settings_of(home), DAY, with_suites=False)
    kinds = ask(home, "SELECT kind FROM findings WHERE round IS NOT NULL ORDER BY kind")
    assert kinds == [("implausible_time",), ("wrong_odds",)]
    looked_at(home, ROUND)


@pytest.mark.parametrize("history", [True, False])
def test_the_end_of_the_calendar_is_taken_in(tmp_path: Path, history: bool) -> None:
    """As a log of earlier years or of today: no traceback, and nothing is lost."""
    home = tmp_path / "home"
    gateway = Gateway(TABLE)
    sent(home, played([won_round(0)], gateway))
    sent_late = played([won_round(1)], gateway, LAST - timedelta(seconds=1))
    with closing(FileLog(home / "log", write=True)) as log:
        log.append(sent_late)
    more = ["--history"] if history else []
    done = evenhand_here(tmp_path, "ingest", *more, EVENHAND_HOME=str(home))
    assert "error of ours" not in done.stderr
    assert done.returncode == 0, done.stderr
    verified = evenhand_here(tmp_path, "verify", EVENHAND_HOME=str(home))
    assert "error of ours" not in verified.stderr
    path = tmp_path / "events.jsonl"
    path.write_text("".join(jsonl.dumps(codec.decode(m.value)) + "\n" for m in sent_late))
    replayed = evenhand_here(tmp_path, "replay", str(path), "--json")
    assert replayed.returncode == 0, replayed.stderr


def test_an_amount_that_no_table_can_mean_costs_the_evidence_nothing(tmp_path: Path) -> None:
    """The message bears the round's id, lies in quarantine and keeps its place in the chain."""
    home = tmp_path / "home"
    events = won_round(0)
    events.insert(2, BetPlaced(2, 1, "P2", "initial", AMOUNT_CENTS + 1, True))
    sent(home, played([events]))
    run_day(settings_of(home), DAY, with_suites=False)
    (found,) = ask(home, "SELECT kind, round FROM findings WHERE severity = 'integrity'")
    assert found == ("undecodable", ROUND)
    looked_at(home, ROUND)
