"""Hostile texts through every output that there is: nothing obeys them, nothing breaks.

A day is played on which a device sends such texts as players, dealers, shoes, rounds, rulebooks and
notes; then each command prints it as a person would ask for it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import unicodedata
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import Event, IrregularityNoted, RoundClosed, RoundOpened
from pipelines.cli.main import cli  # noqa: F401 - imported once, not in every case
from pipelines.night.plain import run_day
from pipelines.safe_text import LONGEST, for_cell, for_json, for_terminal
from tests.hostile_texts import HOSTILE, LONE
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import (
    BOOK,
    DAY,
    MORNING,
    ask,
    opening,
    played,
    sent,
    settings_of,
    won_round,
)

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def unsafe_in(text: str) -> set[str]:
    """Characters that a terminal or a reader's eye would obey."""
    return {c for c in text if unicodedata.category(c) in UNSAFE and c != "\n"}


def _round(gateway: Gateway, name: str, text: str) -> list[Outgoing]:
    """A round in which everything that can be a text is this one, paid wrongly."""
    dealt: list[Event] = won_round(winnings=3000, player=text)
    opened: RoundOpened = opening()
    dealt[0] = RoundOpened(BOOK, "SH-1", 8, 7, opened.limits, None, "shoe", text)
    note = IrregularityNoted("bet_error", "dealer", 1, 1, text, text)
    dealt[-1:] = [note, RoundClosed()]
    return [gateway.send(e, at=MORNING, device="console", round_=name) for e in dealt]


@pytest.fixture(scope="module")
def hostile_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The day in archive and warehouse; a text that is a round's id too, and noise beside it."""
    home = tmp_path_factory.mktemp("hostile") / ".evenhand"
    gateway = Gateway("RWS-PP-01")
    out = played([], gateway)
    for n, text in enumerate(HOSTILE.values()):
        out += _round(gateway, f"R-{n}", text)
        out += _round(gateway, f"{text[:2000]}#{n}", text)
    out.append(Outgoing(b"RWS-PP-01", b"\x1b[31mnoise[/red]"))
    evil = Gateway("=T\x1b[31m[/red]\u202e")
    out += _round(evil, "R-evil", "P1")
    sent(home, out)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def run(home: Path, *args: str, codes: tuple[int, ...] = (0,)) -> str:
    done = evenhand_here(home.parent, *args)
    assert done.returncode in codes, (args, done.stderr[-500:])
    assert not unsafe_in(done.stderr), args
    assert "an error of ours" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("name", HOSTILE)
def test_show(hostile_home: Path, name: str, tmp_path: Path) -> None:
    number = list(HOSTILE).index(name)
    for round_id in (f"R-{number}", f"{HOSTILE[name][:2000]}#{number}"):
        if "\0" in round_id:
            continue  # no command line can carry it
        shown = run(hostile_home, "show", "--", round_id)
        assert not unsafe_in(shown)
        assert "evenhand: sound" not in shown.splitlines()
        assert "wrong_odds" in shown
        out = run(hostile_home, "show", "--json", "--", round_id)
        assert not unsafe_in(out)
        assert json.loads(out)["lines"][0]["player"] == HOSTILE[name]
        page = tmp_path / "x.html"
        run(hostile_home, "show", "--html", str(page), "--", round_id)
        html = page.read_text()
        assert "<script>alert" not in html
        assert "<img src=x" not in html
    answer = json.loads(run(hostile_home, "show", f"R-{number}", "--json"))
    last = str(answer["findings"][0]["seq"])
    assert not unsafe_in(run(hostile_home, "show", f"R-{number}", "--until", last))
    other = ("--reading", "non-follower-on-a-double=other")
    assert not unsafe_in(run(hostile_home, "show", f"R-{number}", *other))


SQL = "SELECT DISTINCT player, dealer, message, money, table_id FROM findings ORDER BY ALL"


def test_sql(hostile_home: Path, tmp_path: Path) -> None:
    assert not unsafe_in(run(hostile_home, "sql", SQL))
    assert not unsafe_in(run(hostile_home, "sql", 'SELECT 1 AS "\x1b[31m[/red]"'))
    out = run(hostile_home, "sql", SQL, "--format", "json")
    assert not unsafe_in(out)
    players = {row["player"] for row in json.loads(out)}
    assert players >= set(HOSTILE.values())
    assert_csv_is_safe(run(hostile_home, "sql", SQL, "--format", "csv"))
    file = tmp_path / "x.csv"
    run(hostile_home, "sql", SQL, "--format", "csv", "-o", str(file))
    assert_csv_is_safe(file.read_text())
    wrong = evenhand_here(hostile_home.parent, "sql", "SELECT \x1b[31m FROM x")
    assert wrong.returncode == 2
    assert not unsafe_in(wrong.stderr)


def assert_csv_is_safe(text: str) -> None:
    csv.field_size_limit(10**7)
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) > 1
    assert not unsafe_in(text)
    for row in rows[1:]:
        for cell in row:
            if cell.startswith(FORMULA):
                assert re.fullmatch(r"-?\d+", cell), cell[:80]


def test_numbers_stay_numbers_in_csv(hostile_home: Path) -> None:
    sql = "SELECT -250 AS a, -1.5 AS b, '-250' AS c, '+6591234567' AS d, '-2+3' AS e, '=1' AS f"
    out = run(hostile_home, "sql", sql, "--format", "csv")
    assert out == "a,b,c,d,e,f\n-250,-1.5,-250,+6591234567,'-2+3,'=1\n"


def test_export_and_report(hostile_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run(hostile_home, "export", "--from", str(DAY), "--to", str(DAY), "-o", str(folder))
    for name in ("rounds", "lines", "findings"):
        assert_csv_is_safe((folder / f"{name}.csv").read_text())
    for name in ("statement.txt", "manifest.json"):
        assert not unsafe_in((folder / name).read_text())
    (report,) = (hostile_home / "warehouse").glob("day=*/run=*/report.csv")
    assert_csv_is_safe(report.read_text())
    page = report.with_suffix(".html").read_text()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert json.loads(report.with_suffix(".json").read_text())
    assert not unsafe_in(report.with_suffix(".json").read_text())


@pytest.mark.parametrize("name", HOSTILE)
def test_evidence(hostile_home: Path, name: str, tmp_path: Path) -> None:
    number, file = list(HOSTILE).index(name), tmp_path / "x.zip"
    round_id = f"{HOSTILE[name][:2000]}#{number}"
    if "\0" in round_id:
        round_id = f"R-{number}"
    run(hostile_home, "evidence", "-o", str(file), "--", round_id)
    with zipfile.ZipFile(file) as zipped:
        (readme,) = [n for n in zipped.namelist() if "README" in n.upper()]
        assert not unsafe_in(zipped.read(readme).decode())
    for more in ((), ("--json",)):
        assert not unsafe_in(run(hostile_home, "evidence", "--verify", str(file), *more))


def test_the_other_commands(hostile_home: Path) -> None:
    quarantine = run(hostile_home, "quarantine")
    assert "1 in quarantine" in quarantine
    findings = ask(hostile_home, "SELECT id FROM findings WHERE player = '=cmd|''/C calc''!A0'")
    in_a_month = str(datetime.now(UTC).date() + timedelta(days=30))
    for text in ("escape", "markup", "bidi", "lines", "formula"):
        said = HOSTILE[text]
        waive = ("--reason", said, "--by", said, "--until", in_a_month)
        assert not unsafe_in(run(hostile_home, "waive", findings[0][0], *waive))
    changed = ("--from", str(DAY), "--to", str(DAY), "--rulebook", "pontoon-mbs-v5")
    for args in (
        ["quarantine"], ["quarantine", "--json"], ["waivers"], ["waivers", "--json"],
        ["verify"], ["verify", "--json"], ["what-if", *changed], ["what-if", *changed, "--json"],
        ["checkpoints", "--now"], ["checkpoints", "--all", "--json"], ["config"],
    ):  # fmt: skip
        out = run(hostile_home, *args, codes=(0, 1))
        assert not unsafe_in(out), args
        if "--json" in args and args[0] != "checkpoints":
            json.loads(out)


def test_watch(hostile_home: Path, tmp_path: Path) -> None:
    """A line is a JSON object, whoever splits the text; in words nothing is obeyed."""
    home = tmp_path / ".evenhand"
    shutil.copytree(hostile_home / "log", home / "log")  # no night has told of it yet
    out = run(home, "watch", "--once", "--json", "--rounds", "--name", "json")
    assert not unsafe_in(out)
    said = [json.loads(line) for line in out.splitlines()]
    assert {HOSTILE["escape"], HOSTILE["bidi"]} <= {
        one["finding"]["player"] for one in said if "finding" in one
    }
    assert not unsafe_in(run(home, "watch", "--once", "--rounds", "--name", "words"))


GOLDEN = """
rulebook: blackjack-rws-v5
by: somebody
on: 2026-11-18
paragraphs: ["3.23.2"]
rounds:
  - name: "3.23.2 PLAYER"
    play:
      - "bet 1 PLAYER initial 20.00"
      - close
      - deal 1:8S 0:9H 1:KD
      - "stand 1 PLAYER"
      - deal 0:KC
    lines:
      - "1 PLAYER initial 20.00: win 20.00 + 20.00 (3.23.2)"
"""


def test_golden(tmp_path: Path) -> None:
    """A player of a golden file whose line does not come out as it says."""
    file = tmp_path / "rounds.yaml"
    for text in ("\\e[31mP1", "\\u202eP1", "\\x9b31mP1"):
        file.write_text(GOLDEN.replace("PLAYER", text))
        done = evenhand_here(tmp_path, "golden", str(file))
        assert done.returncode in (1, 2), done.stderr
        assert not unsafe_in(done.stdout + done.stderr)


def test_nightly(hostile_home: Path) -> None:
    for more in ((), ("--json",)):
        out = run(hostile_home, "nightly", "--day", str(DAY), *more, codes=(0, 1))
        assert not unsafe_in(out)


def _jsonl(text: str) -> str:
    events: list[dict[str, Any]] = [
        {"type": "RoundOpened", "round": text, "rulebook": BOOK, "shoe": text, "decks": 8,
         "boxes": 7, "limits": {"initial": {"min": 500, "max": 100000}}, "dealer": text},
        {"type": "BetPlaced", "round": text, "box": 1, "hand": 1, "player": text,
         "bet": "initial", "amount": 2500, "seated": True},
        {"type": "BetsClosed", "round": text},
        {"type": "IrregularityNoted", "round": text, "kind": text, "by": "dealer", "detail": text},
    ]  # fmt: skip
    return "".join(json.dumps(e) + "\n" for e in events)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_replay_and_its_error_sentences(tmp_path: Path, text: str) -> None:
    good = "".join(_jsonl(text).splitlines(keepends=True)[:3])
    file = tmp_path / "rounds.jsonl"
    file.write_text(good)
    for more in ((), ("--json",), ("--explain",)):
        out = run(tmp_path / "home", "replay", str(file), *more)
        assert not unsafe_in(out), more
        if more == ("--json",):
            assert json.loads(out)["round"] == text
    run(tmp_path / "home", "show", "--file", str(file))
    run(tmp_path / "home", "show", "--file", str(file), "--html", str(tmp_path / "x.html"))
    for wrong in (_jsonl(text), good.replace("BetsClosed", "x") + json.dumps({"type": text}), text):
        file.write_text(wrong, errors="surrogatepass")
        done = evenhand_here(tmp_path, "replay", str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert not unsafe_in(done.stderr)
        assert len(done.stderr.splitlines()) == 1
    if "\0" not in text and "/" not in text and len(text) < 200:
        named = evenhand_here(tmp_path, "replay", text)
        assert named.returncode == 2
        assert not unsafe_in(named.stderr)


def test_half_a_character_is_no_end_of_the_output(tmp_path: Path) -> None:
    file = tmp_path / "rounds.jsonl"
    file.write_text(_jsonl(LONE))
    for more in ((), ("--json",), ("--explain",)):
        done = evenhand_here(tmp_path, "replay", str(file), *more)
        assert done.returncode in {0, 2}
        assert not unsafe_in(done.stdout + done.stderr)
        assert "Traceback" not in done.stderr


def test_for_terminal_is_one_line_that_is_not_obeyed() -> None:
    for text in (*HOSTILE.values(), LONE):
        safe = for_terminal(text)
        assert not unsafe_in(safe)
        assert "\n" not in safe
        assert len(safe) < LONGEST * 10
    assert for_terminal("10♠ Größe 日本 [x]") == "10♠ Größe 日本 [x]"
    assert for_terminal("\x1b[0m\t\u202e\U000e0041") == "\\x1b[0m\\t\\u202e\\U000e0041"
    assert for_terminal("x" * 5000).endswith("x... (5,000 characters)")


def test_for_cell_keeps_what_is_harmless() -> None:
    for plain in ("P1", "", "a-b", "3:2", "1e5", "-250", "+65", "-1.50", "Größe"):
        assert for_cell(plain) == plain
    for number in (-250, 0.5, None, True):
        assert for_cell(number) is number
    for text in HOSTILE.values():
        assert not str(for_cell(text)).startswith(FORMULA)
        assert not unsafe_in(str(for_cell(text)))
    assert for_cell("  =1+1") == "'  =1+1"


def test_for_json_has_the_same_content() -> None:
    for text in (*HOSTILE.values(), LONE):
        safe = for_json({text: [text]})
        assert not unsafe_in(safe)
        assert json.loads(safe) == {text: [text]}
