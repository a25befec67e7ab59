"""The history of findings: nothing that was found goes without a word."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from events.gateway import Gateway
from pipelines.night.plain import run_day
from pipelines.people.act import Actor, DeedBook
from pipelines.warehouse.history import FILE_NAME, load_history
from tests.pipelines.kit import DAY, TABLE, ask, played, sent, settings_of, won_round

ASKED = "SELECT id, kind, change, why, run FROM finding_history ORDER BY noted_at, change, id"


def lossy(home: Path) -> tuple[list[object], object]:
    """A day whose round lacks its settlement, and the message that was lost."""
    messages = played([won_round(0), won_round(1, winnings=5000)], Gateway(TABLE))
    lost = messages.pop(2 + 8)
    sent(home, messages)
    return list(messages), lost


def night(home: Path) -> str:
    return run_day(settings_of(home), DAY, with_suites=False).folder.run


def test_what_is_gone_is_told_with_the_reason(tmp_path: Path) -> None:
    home = tmp_path / "home"
    _, lost = lossy(home)
    first = night(home)
    seen = {kind for _, kind, change, _, _ in ask(home, ASKED) if change == "first_seen"}
    assert {"sequence_gap", "unsettled_bet", "wrong_odds"} <= seen
    sent(home, [lost])  # type: ignore[list-item]
    second = night(home)
    rows = ask(home, ASKED)
    gone = {kind: (why, run) for _, kind, change, why, run in rows if change == "gone"}
    assert {"sequence_gap", "unsettled_bet"} <= set(gone)
    assert "wrong_odds" not in gone
    assert {run for _, run in gone.values()} == {second}
    assert gone["sequence_gap"][0] == ["late events came: revision 1 became 2"]
    assert {run for *_, change, _, run in rows if change == "first_seen"} >= {first}
    folder = next((home / "warehouse").glob(f"day=*/run={second}"))
    changes = json.loads((folder / "report.json").read_text("utf-8"))["changes"]
    assert {g["kind"] for g in changes["gone_findings"]} == set(gone)
    page = (folder / "report.html").read_text("utf-8")
    listed = page[page.index('id="gone"') :]
    assert listed.count("late events came: revision 1 became 2") == len(changes["gone_findings"])


def test_a_run_that_is_repeated_adds_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lossy(home)
    night(home)
    before = (home / FILE_NAME).read_bytes()
    night(home)
    assert (home / FILE_NAME).read_bytes() == before


def test_half_a_line_of_a_killed_process_counts_for_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lossy(home)
    night(home)
    path = home / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert len(load_history(path)) == whole.count(b"\n") - 1
    night(home)
    assert len(load_history(path)) == whole.count(b"\n")
    path.write_bytes(b"{}\n")
    with pytest.raises(Exception, match="line 1: expected a line of the findings' history"):
        load_history(path)


def test_a_waiver_is_part_of_the_history(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lossy(home)
    night(home)
    names = (
        "id kind table_id round rulebook seq box hand player bet expected recorded money clauses"
    )
    row = ask(home, f"SELECT {', '.join(names.split())} FROM findings WHERE kind = 'wrong_odds'")[0]
    finding = dict(zip(names.split(), row, strict=True))
    until = date.today() + timedelta(days=30)
    book = DeedBook(home)
    given = book.ask_waiver(Actor("A. Tan"), [finding], reason="agreed", until=until)
    waiver = given.details["waiver"]
    night(home)
    told = [row[1:4] for row in ask(home, ASKED) if row[2] == "waived"]
    assert told == [("wrong_odds", "waived", [f"waiver {waiver}"])]


def test_a_home_without_a_history_begins_with_what_was_published(tmp_path: Path) -> None:
    home = tmp_path / "home"
    _, lost = lossy(home)
    first = night(home)
    (home / FILE_NAME).unlink()
    sent(home, [lost])  # type: ignore[list-item]
    second = night(home)
    rows = ask(home, ASKED)
    assert {run for *_, change, _, run in rows if change == "first_seen"} >= {first}
    assert {run for *_, change, _, run in rows if change == "gone"} == {second}
