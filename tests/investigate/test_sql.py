"""evenhand sql as its user types it: any form, nothing written, and ready questions that are right.

What the simulated day holds is known from its truth file and from the events themselves.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from events.codec import decode
from pipelines.ask.cancel import cancellable
from pipelines.ask.prompt import answer_line, words_of
from pipelines.ask.ready import FOLDER, ready_questions
from pipelines.warehouse.audit_views import VIEWS
from pipelines.warehouse.read import open_readonly
from tests.command import ROOT, evenhand
from tests.events.archive_kit import evidence_of
from tests.investigate.conftest import DAY, House
from tests.investigate.here import evenhand_here


def ask(house: House, name: str) -> list[dict[str, Any]]:
    """A ready question's rows."""
    with open_readonly(house.folder / ".evenhand") as db:
        answer = db.execute(ready_questions()[name].sql)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def truths(house: House, *kinds: str) -> list[dict[str, Any]]:
    """What was planted of these kinds, on the audited day."""
    day = DAY.replace("-", "")
    return [t for t in house.truth if t["kind"] in kinds and day in t["round"]]


def events_of(house: House, *types: str) -> list[Any]:
    """All events of some types on the day, read from the evidence and not from the warehouse."""
    found = (decode(m.value) for m in evidence_of(house.archive, date.fromisoformat(DAY)))
    return [e for e in found if e.type in types and e.round]


def test_one_question_in_every_form(audited: House, tmp_path: Path) -> None:
    sql = "SELECT count(*) AS rounds, min(day) AS day FROM rounds"
    rounds = len({e.round for e in events_of(audited, "RoundOpened")})
    table = evenhand(audited.folder, "sql", sql)
    assert table.returncode == 0
    assert table.stdout.splitlines()[-1] == "1 row"
    (row,) = json.loads(evenhand(audited.folder, "sql", sql, "--format", "json").stdout)
    assert row == {"rounds": rounds, "day": DAY}
    read = csv.reader(io.StringIO(evenhand(audited.folder, "sql", sql, "--format", "csv").stdout))
    assert list(read) == [["rounds", "day"], [str(rounds), DAY]]
    file, question = tmp_path / "a.parquet", tmp_path / "q.sql"
    question.write_text(sql)
    args = ["--file", str(question), "--format", "parquet", "-o", str(file)]
    done = evenhand(audited.folder, "sql", *args)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert pq.read_table(file).to_pylist()[0]["rounds"] == rounds


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("DELETE FROM findings", "expected a SELECT, found DELETE; the warehouse is read only"),
        ("SELECT 1; DROP TABLE runs", "expected a SELECT, found DROP"),
        ("COPY rounds TO 'x.csv'", "expected a SELECT, found COPY"),
        ("ATTACH 'x.duckdb'", "expected a SELECT, found ATTACH"),
        ("SET memory_limit = '9GB'", "the warehouse is read only"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv is not allowed"),
        ("SELEC 1", "SQL: "),
        ("SELECT * FROM round", "Did you mean"),
        ("", "expected a SELECT, found nothing"),
    ],
)
def test_what_would_write_or_is_wrong_is_one_sentence(audited: House, sql: str, says: str) -> None:
    done = evenhand_here(audited.folder, "sql", sql)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--query", "voids-by-claus"], "did you mean voids-by-clause?"),
        (["SELECT 1", "--query", "voids-by-clause"], "one question at a time"),
        (["SELECT 1", "--format", "parquet"], "--format parquet needs -o FILE"),
        (["SELECT 1", "-o", "x.csv"], "-o FILE needs --format"),
        (["--file", "none.sql"], "--file none.sql: there is no such file"),
    ],
)
def test_options_that_do_not_fit(audited: House, args: list[str], says: str) -> None:
    done = evenhand_here(audited.folder, "sql", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_workbook_has_types_and_a_sheet_for_each_answer(audited: House, tmp_path: Path) -> None:
    """Read back by openpyxl, which is not what wrote it."""
    import openpyxl

    file = tmp_path / "a.xlsx"
    sql = (
        "SELECT '=1+1' AS f, 2500 AS cents, 12.50::DECIMAL(9, 2) AS money, DATE '2026-11-15' AS d, "
        "TIMESTAMPTZ '2026-11-15 23:41:07+00' AS t, NULL AS n, ['4.1', '3.2'] AS l, "
        "9007199254740993 AS big; SELECT count(*) AS rounds FROM rounds"
    )
    done = evenhand_here(audited.folder, "sql", sql, "--format", "xlsx", "-o", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    one, two = openpyxl.load_workbook(file).worksheets
    assert [cell.value for cell in one[1]] == ["f", "cents", "money", "d", "t", "n", "l", "big"]
    cells = list(one[2])
    assert (cells[0].value, cells[0].data_type) == ("=1+1", "s")
    assert [cell.value for cell in cells[1:]] == [
        2500, 12.5, datetime(2026, 11, 15), datetime(2026, 11, 15, 23, 41, 7), None, "4.1, 3.2",
        "9007199254740993",
    ]  # fmt: skip
    assert two["A2"].value == len({e.round for e in events_of(audited, "RoundOpened")})


def test_markdown_and_one_column_a_line(audited: House) -> None:
    sql = "SELECT 'a|b' AS x, 250 AS cents"
    done = evenhand_here(audited.folder, "sql", sql, "--format", "markdown")
    assert done.stdout == "| x | cents |\n|---|---|\n| a\\|b | 250 |\n"
    done = evenhand_here(audited.folder, "sql", sql, "-x")
    assert done.stdout.splitlines()[1:] == ["x      a|b", "cents  250", "1 row"]


def test_the_views_to_read_say_what_the_others_say(audited: House) -> None:
    with open_readonly(audited.folder / ".evenhand") as db:
        planted = truths(audited, "wrong_odds")[0]
        rows = db.execute(
            "SELECT r.what, r.place, r.too_much, r.too_little, r.house_time "
            "FROM findings_read r WHERE r.round = ? AND r.what = 'wrong odds'", [planted["round"]],
        ).fetchall()  # fmt: skip
        cents = db.execute(
            "SELECT too_much, too_little, seen_at FROM findings WHERE round = ? AND kind = ?",
            [planted["round"], "wrong_odds"],
        ).fetchall()
        lines = db.execute("SELECT sum(due), sum(paid), count(*) FROM lines_read").fetchall()
        plain = db.execute("SELECT sum(stake_returned + winnings), count(*) FROM lines").fetchall()
        unseen = db.execute("SELECT count(*) FROM settlements WHERE seen_at IS NULL").fetchall()
    (what, place, much, little, at), (row,) = rows[0], cents
    assert (what, place) == ("wrong odds", f"box {planted['box']}")
    assert (much * 100, little * 100) == row[:2]
    assert at == row[2].astimezone(ZoneInfo("Asia/Singapore")).replace(tzinfo=None)
    assert (lines[0][0] * 100, lines[0][2]) == plain[0]
    assert unseen == [(0,)]


def test_a_settlement_says_when(audited: House) -> None:
    settled = events_of(audited, "BetSettled", "SettlementCorrected")
    at = {(e.table, e.seq): e.at for e in settled}
    with open_readonly(audited.folder / ".evenhand") as db:
        rows = db.execute("SELECT table_id, seq, seen_at FROM settlements").fetchall()
    assert rows
    assert all(at[table, seq] == seen for table, seq, seen in rows)


def test_without_a_warehouse(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "sql", "SELECT 1")
    assert done.returncode == 2
    assert "there is no warehouse here yet; evenhand nightly makes one" in done.stderr


def test_a_query_has_a_memory_limit(audited: House) -> None:
    sql = "SELECT list(a.range) FROM range(30000000) a, range(100) b"
    done = evenhand_here(audited.folder, "sql", sql, "--memory", "100MB")
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs more than 100MB of memory" in done.stderr


def test_ctrl_c_stops_a_query(audited: House) -> None:
    sql = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3"
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    asked = subprocess.Popen(
        [sys.executable, "-c", "from pipelines.cli.main import main; main()", "sql", sql],
        cwd=audited.folder, env=env | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while len(list(Path(f"/proc/{asked.pid}/task").iterdir())) < 2:
        time.sleep(0.05)  # the query has a thread of its own
    asked.send_signal(signal.SIGINT)
    try:
        out, err = asked.communicate(timeout=60)
    finally:
        asked.kill()
    assert (asked.returncode, out, err.strip()) == (130, "", "evenhand: stopped")


def test_a_stopped_query_leaves_the_connection_usable(audited: House) -> None:
    begun = threading.Event()
    # a shell lets what it runs in the background ignore Ctrl-C
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def forever() -> None:
        begun.set()
        db.execute("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range > 3")
        db.fetchall()

    def press() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    with open_readonly(audited.folder / ".evenhand") as db:
        threading.Thread(target=press).start()
        with pytest.raises(KeyboardInterrupt):
            cancellable(db, forever)
        assert db.execute("SELECT 40 + 2").fetchall() == [(42,)]
    signal.signal(signal.SIGINT, before)


def test_ready_questions_are_listed_each_with_its_question() -> None:
    done = evenhand_here(ROOT, "sql", "--list")
    assert len(done.stdout.splitlines()) == len(list(FOLDER.glob("*.sql"))) >= 15
    for ready in ready_questions().values():
        assert ready.sql.startswith("-- ")
        assert ready.question.endswith("?")
        assert ready.question in done.stdout


def test_every_ready_question_is_answered(audited: House) -> None:
    for name in ready_questions():
        ask(audited, name)
    done = evenhand_here(audited.folder, "sql", "--query", "voids-by-clause", "--format", "json")
    assert [r["verdict"] for r in json.loads(done.stdout)]


def test_voids_in_dispute_are_the_planted_ones(audited: House) -> None:
    planted = truths(audited, "missed_void", "wrong_void")
    assert planted
    found = {(r["round"], r["verdict"]) for r in ask(audited, "voids-in-dispute")}
    words = {"missed_void": "missed", "wrong_void": "without ground"}
    assert found == {(t["round"], words[t["kind"]]) for t in planted}


def test_unsettled_bets_are_the_planted_ones(audited: House) -> None:
    keys = ("round", "box", "hand", "player", "bet")
    planted = truths(audited, "unsettled_bet", "missed_bonus")
    assert planted
    found = {tuple(r[k] for k in keys) for r in ask(audited, "unsettled-bets")}
    assert found == {tuple(t[k] for k in keys) for t in planted}


def test_surrenders_against_the_rules_are_the_planted_ones(audited: House) -> None:
    surrendered = {
        (e.round, e.event.box) for e in events_of(audited, "DecisionMade")
        if e.event.decision == "surrender"
    }  # fmt: skip
    planted = {
        (t["round"], t["box"])
        for t in truths(audited, "illegal_decision")
        if (t["round"], t["box"]) in surrendered
    }
    found = {(r["round"], r["box"]) for r in ask(audited, "surrenders-against-the-rules")}
    assert planted
    assert found == planted


def test_money_by_kind_counts_what_was_planted(audited: House) -> None:
    found = {r["kind"]: r["findings"] for r in ask(audited, "money-by-kind")}
    for kind in ("wrong_odds", "wrong_stake", "unowed_payment", "missed_void", "wrong_void"):
        assert found.get(kind, 0) == len(truths(audited, kind)), kind


def test_odds_paid_otherwise_hold_every_wrong_odds(audited: House) -> None:
    rows = ask(audited, "odds-paid-otherwise")
    planted = truths(audited, "wrong_odds")
    assert sum(r["paid_otherwise"] for r in rows) >= len(planted) > 0
    for row in rows:
        num, _, den = row["odds"].partition(":")
        due = row["due"] * int(den) / int(num)
        assert row["odds_paid"] == pytest.approx(row["paid"] / due, abs=1e-3)


def test_tables_players_and_dealers_agree_with_the_settlements(audited: House) -> None:
    """Money per table and player, summed from the events themselves."""
    paid: dict[str, int] = {}
    settled = events_of(audited, "BetSettled", "SettlementCorrected")
    corrected = {(e.round, e.event.box, e.event.hand, e.event.player, e.event.bet)
                 for e in settled if e.type == "SettlementCorrected"}  # fmt: skip
    for e in settled:
        key = (e.round, e.event.box, e.event.hand, e.event.player, e.event.bet)
        if e.type == "BetSettled" and key in corrected:
            continue
        paid[e.table] = paid.get(e.table, 0) + e.event.stake_returned + e.event.winnings
    with open_readonly(audited.folder / ".evenhand") as db:
        by_table = dict(  # what is found between rounds stands under no rulebook, without money
            db.execute("SELECT table_id, sum(paid) FROM tables_by_day GROUP BY 1").fetchall()
        )
        by_player = dict(
            db.execute("SELECT table_id, sum(paid) FROM player_money GROUP BY 1").fetchall()
        )
        rounds = db.execute("SELECT sum(rounds) FROM dealer_hours").fetchall()[0][0]
    assert by_table == paid
    assert by_player == paid
    assert rounds == len({e.round for e in events_of(audited, "RoundOpened")})


def test_meter_and_shoes_agree_with_the_events(audited: House) -> None:
    read = [e.event.amount for e in events_of(audited, "JackpotRead")]
    drawn = len(events_of(audited, "CardDealt", "CardBurnt"))
    with open_readonly(audited.folder / ".evenhand") as db:
        meter = db.execute("SELECT amount, change FROM meter_history ORDER BY seen_at").fetchall()
        cards, mismatches = db.execute(
            "SELECT sum(cards_drawn), sum(mismatches) FROM shoes"
        ).fetchall()[0]
    assert sorted(amount for amount, _ in meter) == sorted(read)
    assert meter[0][1] is None
    assert sum(change for _, change in meter[1:]) == meter[-1][0] - meter[0][0]
    assert cards == drawn
    assert mismatches == len(truths(audited, "shoe_mismatch"))


@pytest.mark.parametrize(
    ("tools", "argv"),
    [
        (("harlequin", "duckdb"), ["harlequin", "--read-only"]),
        (("duckdb", "uvx"), ["duckdb", "-readonly"]),
        (("uvx",), ["uvx", "harlequin", "--read-only"]),
    ],
)
def test_ui_becomes_a_tool_with_the_catalogue_read_only(
    audited: House, tmp_path: Path, tools: tuple[str, ...], argv: list[str]
) -> None:
    """Stand-ins that write down how they were called: what they would show is their own affair."""
    for tool in tools:
        (tmp_path / tool).write_text(f'#!/bin/sh\necho "{tool}" "$@"\n')
        (tmp_path / tool).chmod(0o755)
    done = evenhand(audited.folder, "sql", "--ui", PATH=str(tmp_path))
    catalogue = (audited.folder / ".evenhand" / "warehouse" / "audit.duckdb").resolve()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [*argv, str(catalogue)]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (
            [],
            "expected harlequin or duckdb on the PATH, or uvx to fetch the first, found none",
        ),
        (["SELECT 1"], "--ui opens a tool to ask in; give it no question"),
        (["--query", "voids-by-clause"], "give it no question"),
    ],
)
def test_ui_says_what_is_missing(
    audited: House, tmp_path: Path, args: list[str], says: str
) -> None:
    done = evenhand_here(audited.folder, "sql", "--ui", *args, PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_ui_without_a_warehouse_or_with_a_tool_that_does_not_start(
    audited: House, tmp_path: Path
) -> None:
    (tmp_path / "duckdb").write_bytes(b"\x7fELF, but no program")
    (tmp_path / "duckdb").chmod(0o755)
    done = evenhand_here(tmp_path, "sql", "--ui", PATH=str(tmp_path))
    assert "there is no warehouse here yet; evenhand nightly makes one" in done.stderr
    done = evenhand_here(audited.folder, "sql", "--ui", PATH=str(tmp_path))
    assert done.returncode == 2
    assert "duckdb can't be started: Exec format error" in done.stderr


def test_the_catalogue_is_in_a_format_that_tools_with_an_older_duckdb_open(audited: House) -> None:
    with open_readonly(audited.folder / ".evenhand") as db:
        (tags,) = db.execute("SELECT tags FROM duckdb_databases() WHERE NOT internal").fetchall()[0]
    assert tags["storage_version"] == "v1.4.0+"


def test_every_view_has_the_columns_it_documents(audited: House) -> None:
    with open_readonly(audited.folder / ".evenhand") as db:
        for name, view in VIEWS.items():
            found = db.execute(f"SELECT * FROM {name} LIMIT 0").description
            assert [column[0] for column in found or ()] == list(view.columns), name
        empty = db.execute(
            "SELECT table_name, column_name FROM duckdb_columns() "
            "WHERE NOT internal AND coalesce(comment, '') = ''"
        ).fetchall()
    assert empty == []


def test_the_documentation_is_current(audited: House) -> None:
    done = evenhand_here(audited.folder, "sql", "--describe")
    assert done.stdout == (ROOT / "docs" / "sql.md").read_text("utf-8"), (
        "evenhand sql --describe > docs/sql.md makes it current"
    )


def test_the_prompt_answers_completes_and_forgives(audited: House) -> None:
    out = io.StringIO()
    console = Console(file=out, width=120, highlight=False)
    with open_readonly(audited.folder / ".evenhand") as db:
        assert {"tables_by_day", "void_clause", "SELECT", "voids-by-clause"} <= set(words_of(db))
        for text in (
            "SELECT count(*) AS n\nFROM rounds;", ".tables", ".columns voids", ".queries",
            ".run voids-by-clause", "DROP TABLE runs;", "SELECT nothing;", ".run nonsense", ".help",
        ):  # fmt: skip
            answer_line(db, text, console)
    shown = out.getvalue()
    for words in (
        str(len({e.round for e in events_of(audited, "RoundOpened")})),
        "paragraph under which it is void",
        "found DROP; the warehouse is read only",
        "SQL: Binder Error",
        "no question nonsense",
        "Ctrl-D",
    ):
        assert words in shown, words


def test_a_real_prompt_in_a_terminal(audited: House) -> None:
    """Typed into a pseudo terminal: an answer, history on the disk, and out with Ctrl-D."""
    pid, fd = pty.fork()
    if pid == 0:  # pragma: no cover - the child becomes the command
        os.chdir(audited.folder)
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
        env |= {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
        code = "from pipelines.cli.main import main; main()"
        os.execve(sys.executable, [sys.executable, "-c", code, "sql"], env)
    status = None
    try:
        _read_until(fd, b"audit>")
        os.write(fd, b"SELECT 40 + 2 AS answer;\r")
        # on to the next prompt: between two of them the terminal itself would take a Ctrl-D
        seen = _read_until(fd, b"1 row", b"audit>")
        os.write(fd, b"\x04")
        _read_until(fd)
        _, status = os.waitpid(pid, 0)
    finally:
        if status is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(fd)
    assert os.waitstatus_to_exitcode(status) == 0
    assert b"42" in seen
    history = (audited.folder / ".evenhand" / "sql_history").read_text()
    assert "SELECT 40 + 2 AS answer;" in history


def _read_until(fd: int, *words: bytes) -> bytes:
    """What the terminal shows until some words come one after another; none: until it closes."""
    seen = b""
    for _ in range(600):
        if select.select([fd], [], [], 0.1)[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:  # the other side has gone
                if not words:
                    return seen
                break
        if b"\x1b[6n" in seen:  # the prompt asks the terminal where its cursor is
            os.write(fd, b"\x1b[1;1R")
            seen = seen.replace(b"\x1b[6n", b"")
        if words and re.search(b".*".join(map(re.escape, words)), seen, re.DOTALL):
            return seen
    raise AssertionError(f"expected {words!r}, saw {seen[-500:]!r}")
