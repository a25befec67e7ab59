"""A night tells its lineage where OpenLineage's own configuration says, and needs nobody there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipelines.night.plain import run_day
from pipelines.night.reaudit import reaudit
from pipelines.warehouse.errors import BlockedError
from tests.pipelines.kit import DAY, ask, settings_of

pytest.importorskip("openlineage.client", reason="the extra lineage is not installed")


@pytest.fixture(autouse=True)
def own_configuration() -> Iterator[None]:
    """The library writes into the environment what it made of it."""
    yield
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
        del os.environ[name]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that OpenLineage's own configuration names."""
    config, out = tmp_path / "openlineage.yml", tmp_path / "lineage.jsonl"
    config.write_text(
        json.dumps({"transport": {"type": "file", "log_file_path": str(out), "append": True}})
    )
    monkeypatch.setenv("OPENLINEAGE_CONFIG", str(config))
    return out


def events_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_start_and_complete_name_the_archives_day_and_the_tables(home: Path, told: Path) -> None:
    night = run_day(settings_of(home, lineage="on"), DAY)
    start, complete = events_in(told)
    assert [start["eventType"], complete["eventType"]] == ["START", "COMPLETE"]
    assert start["run"]["runId"] == complete["run"]["runId"]
    assert (start["job"]["namespace"], start["job"]["name"]) == ("evenhand", "nightly")
    assert start["outputs"] == []
    pinned = night.state()["pinned"]
    (archived,) = complete["inputs"]
    assert archived["name"] == f"{home}/archive/day={DAY}"
    assert archived["facets"]["version"]["datasetVersion"] == f"revision {pinned['revision']}"
    assert archived["inputFacets"]["inputStatistics"]["rowCount"] == pinned["events"]
    assert archived["inputFacets"]["dataQualityAssertions"]["assertions"]
    out = {table["name"]: table for table in complete["outputs"]}
    assert {"events", "rounds", "lines", "settlements", "findings"} < set(out)
    for name in ("rounds", "lines", "findings"):
        ((rows,),) = ask(home, f"SELECT count(*) FROM {name}")
        assert out[name]["outputFacets"]["outputStatistics"]["rowCount"] == rows
        assert out[name]["facets"]["version"]["datasetVersion"] == night.folder.run
    names = {field["name"] for field in out["lines"]["facets"]["schema"]["fields"]}
    assert {"table_id", "round", "stake", "winnings", "clauses"} <= names
    facets = complete["run"]["facets"]
    assert facets["nominalTime"]["nominalStartTime"].startswith("2026-03-09T22:00")
    assert facets["processing_engine"]["name"] == "evenhand"
    checks = {test["name"]: test["status"] for test in facets["test"]["tests"]}
    assert checks["rounds: derived and written"] == "pass"
    players = {player for (player,) in ask(home, "SELECT DISTINCT player FROM lines")}
    assert not [player for player in players if f'"{player}"' in told.read_text("utf-8")]


def test_a_night_that_fails_is_a_fail(
    home: Path, told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held_back(checks: object) -> None:
        raise BlockedError("the day is not published")

    monkeypatch.setattr("pipelines.night.stages.hold_back", held_back)
    with pytest.raises(BlockedError):
        run_day(settings_of(home, lineage="on"), DAY, with_suites=False)
    start, fail = events_in(told)
    assert (start["eventType"], fail["eventType"]) == ("START", "FAIL")
    assert fail["run"]["facets"]["errorMessage"]["message"] == "the day is not published"
    assert fail["outputs"] == []


def test_days_audited_again_have_one_parent(home: Path, told: Path) -> None:
    reaudit(settings_of(home, lineage="on"), [DAY], with_suites=False)
    start, complete = events_in(told)
    assert (start["job"]["name"], complete["eventType"]) == ("reaudit", "COMPLETE")
    assert start["run"]["facets"]["parent"] == complete["run"]["facets"]["parent"]


def test_nobody_hears_of_it_unless_asked(home: Path, told: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    assert not told.exists()


@contextmanager
def a_server(status: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A lineage server on loopback that answers so, and what it was sent."""
    heard: list[dict[str, Any]] = []

    class LineageServer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Not between the lines of the tests."""

    server = HTTPServer(("127.0.0.1", 0), LineageServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("status", [200, 403])
def test_it_goes_by_http_and_a_server_that_refuses_stops_no_night(
    home: Path, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_server(status) as (url, heard):
        monkeypatch.setenv("OPENLINEAGE_URL", url)
        night = run_day(settings_of(home, lineage="on"), DAY, with_suites=False)
    assert [event["eventType"] for event in heard] == ["START", "COMPLETE"]
    assert night.folder.record.exists()
    log = (home / "logs" / "runs" / f"{night.folder.run}.jsonl").read_text("utf-8")
    assert ("lineage.away" in log) == (status != 200)


def test_a_server_that_is_away_stops_no_night(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = {"type": "http", "url": "http://127.0.0.1:1", "retry": {"total": 0}}
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(transport))
    night = run_day(settings_of(home, lineage="on"), DAY, with_suites=False)
    assert night.folder.record.exists()
    log = (home / "logs" / "runs" / f"{night.folder.run}.jsonl").read_text("utf-8")
    assert '"event": "lineage.away"' in log
