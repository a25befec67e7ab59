"""The commands on a real house: four eyes, exit codes, verify, export, and no password in sight."""

from __future__ import annotations

import csv
import io
import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from pipelines.cli.main import main  # noqa: F401 - imported once
from pipelines.night.plain import run_day
from pipelines.people.log import decisions_file
from pipelines.people.passwords import passwords_file
from tests.investigate.here import evenhand_here
from tests.people.kit import UNTIL
from tests.pipelines.kit import DAY, ask, played, sent, settings_of, won_round


class Run(Protocol):
    """A command in the house; its whole output."""

    def __call__(self, *args: str, stdin: str = "", code: int = 0) -> str: ...


SECRET = {"mei": "a pontoon of queens", "raj": "the dealer stands on 17"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A day with one finding of severity money: 25.00 too much."""
    home = tmp_path / ".evenhand"
    sent(home, played([won_round(0), won_round(1, winnings=5000)]))
    return home


def night(home: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*args: str, stdin: str = "", code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        done: subprocess.CompletedProcess[str] = evenhand_here(home.parent, *args)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def with_users(run: Run) -> None:
    for name, roles in (("mei", ["analyst"]), ("raj", ["approver", "administrator"])):
        given = [word for role in roles for word in ("--role", role)]
        run("users", "add", name, *given, stdin=f"{SECRET[name]}\n")


def finding_of(home: Path) -> str:
    (row,) = ask(home, "SELECT id FROM findings WHERE severity = 'money'")
    return str(row[0])


def open_findings(home: Path) -> int:
    night(home)
    sql = "SELECT count(*) FROM findings WHERE severity = 'money' AND waiver IS NULL"
    return int(ask(home, sql)[0][0])


def test_four_eyes_on_the_command_line(home: Path, run: Run) -> None:
    night(home)
    finding, end = finding_of(home), ("--until", str(UNTIL), "--reason", "as on the tape")
    with_users(run)
    assert "--as ACCOUNT" in run("waive", finding, *end, code=2)
    wrong = run("waive", finding, *end, "--as", "mei", stdin="guessed\n", code=2)
    assert "account mei: wrong password" in wrong
    out = run("waive", finding, *end, "--as", "mei", stdin=SECRET["mei"] + "\n")
    waiver = out.split(":")[0]
    assert open_findings(home) == 1, "asked for is not approved"
    mine = run("waive", waiver, "--approve", "--as", "mei", stdin=SECRET["mei"] + "\n", code=2)
    assert "account mei is analyst; it takes approver" in mine
    run("waive", "--approve", waiver, "--as", "raj", stdin=SECRET["raj"] + "\n")
    assert open_findings(home) == 0
    (row,) = ask(home, "SELECT who, approved_by, findings FROM waivers")
    assert row == ("mei", "raj", 1)
    total = ask(home, "SELECT sum(overpaid) FROM daily_figures")
    assert total == [(2500,)], "waived money stays in the totals"
    (told,) = json.loads(run("waivers", "--json"))
    assert (told["state"], told["by"], told["approved_by"], told["in_force"]) == (
        "approved", "mei", "raj", True,
    )  # fmt: skip
    revoke = ("waive", waiver, "--revoke", "--reason", "another hand", "--as", "mei")
    run(*revoke, stdin=SECRET["mei"] + "\n")
    assert open_findings(home) == 1
    kinds = ask(home, "SELECT list(what ORDER BY number) FROM people_log WHERE via = 'command'")
    assert kinds == [(["waiver_asked", "waiver_approved", "waiver_revoked"],)]
    _nobody_sees_a_password(home)


def _nobody_sees_a_password(home: Path) -> None:
    assert stat.S_IMODE(passwords_file(home).stat().st_mode) == 0o600
    for file in (home / "people").iterdir():
        text = file.read_text("utf-8")
        assert not any(secret in text for secret in SECRET.values()), file
        assert ("$argon2id$" in text) == (file == passwords_file(home)), file


def test_verify_names_what_was_changed(home: Path, run: Run) -> None:
    night(home)
    run("waive", finding_of(home), "--by", "Alice", "--until", str(UNTIL), "--reason", "agreed")
    with_users(run)
    assert "people_log" not in run("verify")
    path = decisions_file(home)
    path.write_bytes(path.read_bytes().replace(b'"who":"Alice"', b'"who":"CRA Regulator"'))
    said = run("verify", code=1)
    assert f"people_log_differs: {path}, entry 1: it was changed after entry 2" in said
    assert json.loads(run("verify", "--json", code=1))["verdict"] == "wrong"
    assert open_findings(home) == 1, "nothing is waived on the word of a log that was changed"
    assert "does not count" in run("waivers")


def test_a_hash_that_was_put_there_past_the_log_opens_no_door(home: Path, run: Run) -> None:
    night(home)
    with_users(run)
    path = passwords_file(home)
    kept = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(kept | {"raj": kept["mei"]}), "utf-8")
    end = ("--until", str(UNTIL), "--reason", "x")
    said = run("waive", finding_of(home), *end, "--as", "raj", stdin=SECRET["mei"] + "\n", code=2)
    assert "account raj: wrong password" in said


def test_users(run: Run, home: Path) -> None:
    assert "one local user" in run("users", "list")
    short = run("users", "add", "mei", "--role", "analyst", stdin="short\n", code=2)
    assert "expected 12 to 1,000 characters, found 5" in short
    with_users(run)
    for args, says in (
        (("add", "Mei Tan", "--role", "reader"), "expected lower-case letters"),
        (("add", "tom", "--role", "aprover"), "did you mean approver"),
        (("add", "tom"), "expected at least one role"),
        (("add", "mei", "--role", "reader"), "account mei is there already"),
        (("lock", "mai"), "there is no account mai"),
    ):
        assert says in run("users", *args, stdin="x" * 20 + "\n", code=2)
    run("users", "role", "mei", "--role", "reader", "--role", "approver")
    run("users", "lock", "mei")
    run("users", "unlock", "mei")
    run("users", "password", "mei", stdin="another long one\n")
    run("users", "add", "sso", "--role", "reader", "--no-password")
    told = {u["account"]: u for u in json.loads(run("users", "list", "--json"))}
    assert told["mei"]["roles"] == ["reader", "approver"]
    assert told["sso"] == {
        "account": "sso", "roles": ["reader"], "locked": False, "password": False,
    }  # fmt: skip
    run("users", "remove", "mei")
    assert "mei" not in json.loads(passwords_file(home).read_text("utf-8"))
    lines = decisions_file(home).read_text("utf-8").splitlines()
    assert [json.loads(line)["what"] for line in lines[2:]] == [
        "account_roles", "account_locked", "account_unlocked", "account_password",
        "account_added", "account_removed",
    ]  # fmt: skip


def test_an_export_has_what_people_did_about_the_period(home: Path, run: Run) -> None:
    night(home)
    finding = finding_of(home)
    run("waive", finding, "--by", "Alice", "--until", str(UNTIL), "--reason", "=agreed")
    with_users(run)
    out = home.parent / "out"
    run("export", "--from", str(DAY), "--to", str(DAY), "-o", str(out))
    with (out / "people_log.csv").open(encoding="utf-8") as file:
        (row,) = list(csv.DictReader(file))
    assert (row["who"], row["what"], row["number"]) == ("Alice", "waiver_given", "1")
    assert finding in row["subjects"]
    files = {f["name"]: f for f in json.loads((out / "manifest.json").read_text("utf-8"))["files"]}
    assert files["people_log.parquet"]["rows"] == 1


def test_a_waiver_past_the_longest_term_is_refused(home: Path, run: Run) -> None:
    night(home)
    finding = finding_of(home)
    said = run("waive", finding, "--until", "2099-12-31", "--reason", "x", code=2)
    assert "expected at most 90 days from today" in said
    out = run("waive", finding, "--until", str(UNTIL), "--reason", "x")
    assert "one person alone, because this house has no accounts" in out
    assert open_findings(home) == 0
