"""evenhand show as its user types it: on a file, in the archive, and with what users get wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from events.jsonl import dumps
from tests.command import ROOT, evenhand
from tests.golden import load_all
from tests.investigate.conftest import House
from tests.investigate.here import evenhand_here

EXAMPLES = ROOT / "examples" / "rounds"
PLUS = str(EXAMPLES / "pontoon-plus-rws-v5.jsonl")


def test_a_round_of_a_file_is_told_from_the_bets_to_the_clauses(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "show", "--file", PLUS, "--all")
    assert done.returncode == 0, done.stderr
    for words in (
        "no findings: the record is what the rulebook gives",
        "Pontoon Plus (RWS), version 5 (pontoon-plus-rws-v5)",
        "2026-03-14 20:04:30 Asia/Singapore to 20:05:34",  # 12:04:30 UTC
        "bonus 5.00 to 1,000.00, initial 25.00 to 5,000.00",
        "P1 puts 50.00 on initial, box 2",
        "6♠ 7♠ = 13",
        "6♠ 7♠ 8♠ = 21",
        "P2 splits into hand 2, box 5",
        "8♦ 3♥ 9♠ = 20",
        "K♥ 6♦ 9♣ = 25 bust",
        "because the hand is 6-7-8 all spades",
        "asked first and not so: no card was dealt to the hand (3.11)",
    ):
        assert words in done.stdout, words


def test_reasons_come_on_request_and_no_reason_twice(tmp_path: Path) -> None:
    plain = evenhand_here(tmp_path, "show", "--file", PLUS).stdout
    assert "asked first" not in plain
    assert "because" not in plain
    one = evenhand_here(tmp_path, "show", "--file", PLUS, "--why", "2").stdout
    told = [line for line in one.splitlines() if line.startswith("box ")]
    assert told
    assert all(line.startswith("box 2") for line in told[1:])
    whole = evenhand_here(tmp_path, "show", "--file", PLUS, "--all").stdout
    assert whole.count("no card was dealt to the hand (3.11)") == 1
    assert "as above" in whole
    wrong = evenhand_here(tmp_path, "show", "--file", PLUS, "--why", "9")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "--why 9: round RWS-PP-07-20260314-0231 has lines on box 2, 5" in wrong.stderr


def test_the_disputed_line_comes_before_the_round(house: House) -> None:
    planted = house.planted("wrong_odds")
    lines = evenhand_here(house.folder, "show", planted["round"]).stdout.splitlines()
    begins = [n for n, line in enumerate(lines) if line.startswith(f"round {planted['round']} ")]
    top = lines[: begins[0]]
    assert top[1].startswith("disputed ")
    (told,) = [line.split() for line in top if line.startswith(f"{planted['box']} ")]
    assert planted["player"] in told
    assert any(line.startswith("  because ") for line in top)


def test_findings_come_first_and_stand_beside_the_event_that_shows_them(house: House) -> None:
    planted = house.planted("wrong_odds")
    done = evenhand_here(house.folder, "show", planted["round"], COLUMNS="240")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("1  wrong_odds  ")
    assert planted["player"] in first
    settled = [line for line in rest if "<- finding 1" in line]
    assert len(settled) == 1
    assert f"box {planted['box']}" in settled[0]


def test_json_is_the_answer_with_its_explanation_and_nothing_else(house: House) -> None:
    planted = house.planted("wrong_odds")
    done = evenhand(house.folder, "show", planted["round"], "--json")
    answer = json.loads(done.stdout)
    assert list(answer)[:7] == [
        "round", "table", "rulebook", "status", "void_clause", "lines", "findings",
    ]  # fmt: skip
    assert (answer["round"], answer["table"]) == (planted["round"], planted["table"])
    assert [f["kind"] for f in answer["findings"]] == ["wrong_odds"]
    told = {(e["box"], e["hand"], e["player"], e["bet"]) for e in answer["explanation"]}
    lines = {(e["box"], e["hand"], e["player"], e["bet"]) for e in answer["lines"]}
    assert told == lines
    for entry in answer["explanation"]:
        assert [step["applies"] for step in entry["asked"]][-1] is True


def test_every_planted_fault_of_a_round_is_shown_as_the_night_names_it(house: House) -> None:
    kinds = ("wrong_outcome", "wrong_stake", "unsettled_bet", "unowed_payment")
    planted = [t for t in house.truth if t["kind"] in kinds]
    assert planted
    for truth in planted[:4]:
        answer = json.loads(evenhand_here(house.folder, "show", truth["round"], "--json").stdout)
        assert truth["kind"] in [f["kind"] for f in answer["findings"]]


def test_a_round_by_table_and_time_on_the_house_s_clock(house: House) -> None:
    planted = house.planted("wrong_odds")
    opened = house.found(planted["round"]).events[0].at
    assert opened is not None
    local = (opened + timedelta(seconds=3)).astimezone(ZoneInfo("Asia/Singapore"))
    plain = ["show", "--table", planted["table"], "--json", "--at"]
    by_clock = evenhand_here(house.folder, *plain, f"{local:%Y-%m-%d %H:%M:%S}")
    assert json.loads(by_clock.stdout)["round"] == planted["round"]
    utc = f"{opened + timedelta(seconds=3):%Y-%m-%dT%H:%M:%S}Z"
    assert json.loads(evenhand_here(house.folder, *plain, utc).stdout)["round"] == planted["round"]


def test_a_moment_between_rounds_says_so(house: House) -> None:
    table = house.planted("wrong_odds")["table"]
    done = evenhand_here(
        house.folder, "show", "--table", table, "--at", "2026-11-15 05:00", "--json"
    )
    assert done.returncode == 0
    assert "played no round at that moment; this is the last one before it" in done.stderr
    assert json.loads(done.stdout)["table"] == table


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--at", "23:41", "--table", "RWS-PP-01"], 'expected a date and a time like "2026-11-15'),
        (["--at", "yesterday", "--table", "RWS-PP-01"], 'found "yesterday"'),
        (["--at", "2026-11-14 23:41"], "--table and --at belong together"),
        (["--table", "RWS-PP-1", "--at", "2026-11-14 23:41"], "did you mean RWS-PP-01?"),
        (["--table", "RWS-PP-01", "--at", "1999-01-01 23:41"], "no round that began at or before"),
        ([], "which round? give its id"),
        (["X", "--table", "RWS-PP-01", "--at", "2026-11-14 23:41"], "not both"),
        (["X", "--rulebook", "pontoon-plus-rws-v4"], "did you mean pontoon-plus-rws-v5?"),
        (["X", "--reading", "pro-rat=other"], "the nearest are pro-rata"),
        (["--file", "missing.jsonl"], "missing.jsonl: there is no such file"),
    ],
)
def test_what_users_get_wrong_is_one_sentence(house: House, args: list[str], says: str) -> None:
    done = evenhand_here(house.folder, "show", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_unknown_round_is_answered_with_the_nearest(house: House) -> None:
    known = house.planted("wrong_odds")["round"]
    done = evenhand_here(house.folder, "show", known.lower() + "1")
    assert done.returncode == 2
    assert "the archive does not know it; did you mean" in done.stderr
    assert known in done.stderr


def test_a_time_that_the_clock_showed_twice_is_refused(house: House) -> None:
    done = evenhand_here(
        house.folder, "show", "--table", "RWS-PP-01", "--at", "2026-10-25 02:30",
        EVENHAND_TIMEZONE="Europe/Berlin",
    )  # fmt: skip
    assert done.returncode == 2
    assert "showed that time twice or not at all; give it with its offset" in done.stderr


def test_without_an_archive_and_with_a_damaged_one(tmp_path: Path, house: House) -> None:
    done = evenhand_here(tmp_path, "show", "RWS-PP-01-000001")
    assert done.returncode == 2
    assert "there is no archive here; evenhand ingest makes one" in done.stderr
    round_id = house.planted("wrong_odds")["round"]
    copy = tmp_path / ".evenhand"
    subprocess.run(["cp", "-r", str(house.folder / ".evenhand"), str(copy)], check=True)
    for path in copy.glob("archive/*/evidence-*.avro"):
        path.write_bytes(path.read_bytes()[:400])
    done = evenhand_here(tmp_path, "show", round_id)
    assert (done.returncode, done.stdout) == (2, "")
    assert "byte" in done.stderr
    assert "Traceback" not in done.stderr


def test_until_says_what_the_table_looked_like_and_what_was_allowed(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "show", "--file", PLUS, "--until", "11", "--json")
    answer = json.loads(done.stdout)
    allowed = {(a["box"], a["what"]): a for a in answer["allowed"]}
    # box 2 has 6-7 spades (13), box 5 a pair of eights; the dealer shows a king
    assert allowed[2, "hit"]["allowed"]
    assert allowed[2, "stand"]["allowed"]
    assert allowed[5, "split"]["allowed"]
    assert allowed[2, "surrender"]["allowed"]  # 3.18: the dealer shows a picture
    assert not allowed[2, "split"]["allowed"]
    assert allowed[2, "split"]["clauses"] == ["3.24"]
    assert not allowed[2, "insurance"]["allowed"]  # 3.17: an ace only
    assert answer["status"] == "incomplete"
    shown = evenhand_here(tmp_path, "show", "--file", PLUS, "--until", "11", COLUMNS="160").stdout
    assert "no   split: only two cards of the same value can be split (3.24)" in shown
    assert "8♠ to box 2" not in shown  # that came later


def test_until_an_event_of_another_round(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "show", "--file", PLUS, "--until", "99")
    assert done.returncode == 2
    assert "--until 99: round RWS-PP-07-20260314-0231 has the events 0 to 31" in done.stderr


def test_another_rulebook_and_what_it_would_change(tmp_path: Path) -> None:
    """Blackjack has no special odds for 6-7-8: 50.00 instead of 150.00; no bonus bet either."""
    other = ("--rulebook", "blackjack-rws-v5")
    done = evenhand_here(tmp_path, "show", "--file", PLUS, *other, "--json")
    answer = json.loads(done.stdout)
    assert answer["replayed_under"] == "blackjack-rws-v5"
    changed = {(d["before"]["box"], d["before"]["bet"]): d["money"] for d in answer["differences"]}
    assert changed[2, "initial"] == -10000
    assert changed[2, "bonus"] == 1000  # goes back: it is no bet of that game
    shown = evenhand_here(tmp_path, "show", "--file", PLUS, *other, COLUMNS="200").stdout
    assert "differences under blackjack-rws-v5" in shown
    assert "instead of its own, pontoon-plus-rws-v5" in shown


def test_another_reading_gives_what_the_golden_round_says(tmp_path: Path) -> None:
    """The other reading's lines are worked out by hand in the golden rounds."""
    cases = [g for g in load_all() if g.other and all(g.other.values())]
    assert len(cases) >= 20
    for golden in cases[::12][:4]:
        file = tmp_path / "round.jsonl"
        file.write_text("".join(dumps(e) + "\n" for e in golden.events), "utf-8")
        for reading, lines in golden.other.items():
            done = evenhand_here(
                tmp_path, "show", "--file", str(file), "--reading", f"{reading}=other", "--json"
            )
            found = {
                (e["box"], e["hand"], e["player"], e["bet"]): e
                for e in json.loads(done.stdout)["lines"]
            }
            for line in lines:
                got = found[line.key]
                money = (got["stake"], got["stake_returned"], got["winnings"], got["outcome"])
                assert money == line.money, (golden.id, reading)


def test_show_imports_neither_dagster_nor_great_expectations(tmp_path: Path, house: House) -> None:
    shown = house.truth[0]["round"]
    code = (
        "import sys; from pipelines.cli.main import cli\n"
        f"cli.main(['show', '--file', {PLUS!r}, '--html', 'x.html'], standalone_mode=False)\n"
        f"cli.main(['show', '--file', {PLUS!r}], standalone_mode=False)\n"
        f"cli.main(['show', {shown!r}], standalone_mode=False)\n"
        "heavy = {'dagster', 'great_expectations', 'duckdb', 'pandas'} & set(sys.modules)\n"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "EVENHAND_HOME": str(house.folder / ".evenhand")},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "wrote x.html\n")
