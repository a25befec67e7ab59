"""What services and nights say of themselves: one id in all processes, no player, no secret."""

from __future__ import annotations

import ast
import io
import json
import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from events.runtime import logs
from pipelines.night import groups
from pipelines.night.plain import run_day
from pipelines.warehouse.errors import BlockedError
from tests.command import COMMAND, ROOT, evenhand
from tests.pipelines.kit import DAY, ask, settings_of

SECRET = "s3cr3t-of-the-house"


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def the_run_log(home: Path) -> str:
    (path,) = (home / "logs" / "runs").iterdir()
    return path.read_text("utf-8")


def test_a_night_has_one_id_in_all_its_processes_and_names_no_player(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "LEAST_EVENTS", 1)  # a group a table: workers have something to do
    webhook = f"http://127.0.0.1:1/{SECRET}"
    settings = settings_of(home, alerts={"webhook": webhook, "attempts": 1})
    night = run_day(settings, DAY)
    text = the_run_log(home)
    told = lines_of(text)
    assert {line["run"] for line in told} == {night.folder.run}
    assert {line["day"] for line in told} == {DAY.isoformat()}
    by = {name: {t["process"] for t in told if t["event"] == name} for name in ("group.audited",)}
    assert os.getpid() not in by["group.audited"], "workers tell what they did"
    (suites,) = [line for line in told if line["event"] == "suites.answered"]
    assert suites["process"] not in {os.getpid(), *by["group.audited"]}
    assert told[0]["event"] == "night.begun"
    assert told[-1] == told[-1] | {"event": "night.told", "alerted": True, "missed": 1}
    (published,) = [line for line in told if line["event"] == "night.published"]
    assert published["counts"]["rounds"] == ask(home, "SELECT count(*) FROM rounds")[0][0]
    players = {name for (name,) in ask(home, "SELECT DISTINCT player FROM lines")}
    assert len(players) > 3
    assert not [name for name in players if name in text]
    assert SECRET not in text
    assert (home / "logs" / "runs").stat().st_mode & 0o7 == 0


def test_a_night_that_fails_says_why_in_its_log(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held_back(checks: object) -> None:
        raise BlockedError("the day is not published")

    monkeypatch.setattr("pipelines.night.stages.hold_back", held_back)
    with pytest.raises(BlockedError):
        run_day(settings_of(home), DAY, with_suites=False)
    last = lines_of(the_run_log(home))[-1]
    assert (last["level"], last["event"]) == ("error", "night.failed")
    assert last["why"] == "the day is not published"


def test_the_command_tells_its_log_where_it_is_asked_to_and_on_the_pages_of_dagster(
    home: Path,
) -> None:
    from pipelines.dagster_defs.home import open_instance

    done = evenhand(home.parent, "nightly", "--json", EVENHAND_HOME=str(home))
    assert done.stderr == "", "unasked, a command says what it always said"
    json.loads(done.stdout)
    asked = {"EVENHAND_HOME": str(home), "EVENHAND_LOG_FORM": "json", "EVENHAND_LOG_HOUSE": "h1"}
    done = evenhand(home.parent, "nightly", "--json", **asked)
    run = json.loads(done.stdout)["run"]
    told = [line for line in lines_of(done.stderr) if line.get("run") == run]
    assert {line["service"] for line in told} == {"night"}
    assert {line["house"] for line in told} == {"h1"}
    in_file = lines_of(logs.run_log(home, run).read_text("utf-8"))
    assert [line["event"] for line in told] == [line["event"] for line in in_file]
    with open_instance(home) as instance:
        (last, _) = instance.get_runs()
        messages = [entry.user_message for entry in instance.all_logs(last.run_id)]
    assert any(text.startswith(f"night.published run={run}") for text in messages)


@pytest.mark.parametrize("words", [("ingest", "--follow"), ("watch",), ("desk", "--port", "0")])
def test_a_service_tells_json_lines_with_the_id_of_the_house(
    home: Path, words: tuple[str, ...]
) -> None:
    base = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    more = {
        "PYTHONPATH": str(ROOT),
        "EVENHAND_HOME": str(home),
        "EVENHAND_LOG_HOUSE": "h7",
        "EVENHAND_ALERTS": json.dumps({"webhook": f"http://127.0.0.1:1/{SECRET}"}),
    }
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        env=base | more,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            first = json.loads(process.stderr.readline())
            if words[0] == "desk":  # it stops in order once it answers
                with suppress(HTTPError):  # there is no published day yet
                    urlopen(f"{first['address']}healthz", timeout=120).close()
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
        finally:
            process.terminate()
    assert (process.returncode, first["event"]) == (0, f"{words[0]}.begun"), rest
    told = [first, *lines_of(rest)]
    assert told[-1]["event"] == f"{words[0]}.ended"
    assert {(line["service"], line["house"]) for line in told} == {(words[0], "h7")}
    assert SECRET not in rest


def test_nobody_finds_a_player_or_a_secret_in_a_line_at_info() -> None:
    out = io.StringIO()
    logs.tell(logs.Telling("here", "json", "info"), out)
    try:
        log = logs.logger("test")
        log.info("test.said", player="P-77", token=SECRET, rounds=3)
        try:
            {}["P-77"]
        except KeyError:
            log.exception("test.failed")
        logging.getLogger("kafka.conn").warning("broker %s is away", "b1")
    finally:
        logs.end_telling()
    said, failed, other = lines_of(out.getvalue())
    assert (said["player"], said["token"], said["rounds"]) == (logs.LEFT_OUT, logs.LEFT_OUT, 3)
    assert failed["exception"] == "KeyError"
    assert failed["places"][-1].startswith("test_logs.py:")
    assert (other["logger"], other["text"]) == ("kafka.conn", "broker b1 is away")
    assert "P-77" not in out.getvalue()
    assert SECRET not in out.getvalue()


def test_on_a_terminal_a_line_is_for_people_and_obeys_nothing() -> None:
    out = io.StringIO()
    logs.tell(logs.Telling("ingest", "text", "info"), out)
    try:
        logs.logger("test").warning("ingest.notice", text="table \x1b[31mred", events=2)
    finally:
        logs.end_telling()
    assert "warning ingest.notice" in out.getvalue()
    assert "'table \\x1b[31mred'" in out.getvalue()
    assert out.getvalue().endswith("service=ingest events=2\n")


def test_an_import_sets_nothing_up() -> None:
    code = """
import logging, importlib, pkgutil, structlog
import pipelines.cli
for module in pkgutil.iter_modules(pipelines.cli.__path__):
    importlib.import_module(f"pipelines.cli.{module.name}")
import events.runtime.logs, pipelines.night.stages
print(structlog.is_configured(), logging.getLogger("evenhand").level, logging.root.handlers)
"""
    done = evenhand(ROOT, code=code)
    assert done.stdout == "False 0 []\n", done.stderr


def test_every_event_that_can_be_told_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    found = {name for name in event_names() if f"`{name}`" not in page}
    assert not found
    assert len(event_names()) > 15


def event_names() -> set[str]:
    """What is given to a log, and to whoever tells it on, as the first word."""
    out = set()
    for folder in ("events", "checks", "pipelines"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                first, name = node.args[0], ast.unparse(node.func).rpartition(".")[2]
                if (
                    name in {"info", "warning", "error", "exception", "say", "words", "tell"}
                    and isinstance(first, ast.Constant)
                    and isinstance(first.value, str)
                    and first.value.replace(".", "").replace("_", "").isalpha()
                    and "." in first.value
                ):
                    out.add(first.value)
    return out
