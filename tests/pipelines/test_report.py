"""The report: what it says of a day, a quiet one, one with data missing; in a real browser."""

from __future__ import annotations

import csv
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from events.gateway import Gateway
from pipelines.night.context import Night
from pipelines.night.plain import run_day
from tests.pipelines.browser import look
from tests.pipelines.kit import (
    DAY,
    TABLE,
    played,
    sent,
    settings_of,
    won_round,
)

NASTY = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """Three rounds: right, 5.00 too much, 10.00 too little to somebody with a nasty name."""
    home = tmp_path_factory.mktemp("report") / "home"
    rounds = [
        won_round(0),
        won_round(1, winnings=3000),
        won_round(2, winnings=1500, player=NASTY),
    ]
    sent(home, played(rounds))
    return run_day(settings_of(home), DAY, with_suites=False)


def page_of(night: Night) -> str:
    return night.folder.report("html").read_text("utf-8")


def text_of(page: str) -> str:
    """The page's words, without markup."""
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL).split())


def test_the_headline_figures(night: Night) -> None:
    text = text_of(page_of(night))
    assert "Tuesday 10 March 2026" in text
    assert "2 open 2 about money, 0 about the record" in text
    assert "3 rounds on 1 tables" in text
    assert "staked 75.00" in text  # three bets of 25.00
    assert "due by the rulebooks 150.00" in text  # each stake back, and as much again
    assert "paid out 145.00" in text  # 50.00 + 55.00 + 40.00
    assert "hold -70.00" in text
    assert "paid too much 5.00" in text
    assert "paid too little 10.00" in text


def test_every_finding_is_there_with_its_id_and_linked_to_the_desk(night: Night) -> None:
    page = page_of(night)
    desk = night.settings.desk_address
    listed = page[page.index('id="findings"') :]
    links = re.findall(rf'<a href="{desk}/(finding|round)/([\w-]+)">([\w-]+)</a>', listed)
    assert all(name == told for _, name, told in links)
    assert [n for kind, n, _ in links if kind == "round"] == [
        "RWS-PP-01-000004",
        "RWS-PP-01-000003",
    ], "worst first"
    rows = csv.DictReader(night.folder.report("csv").read_text("utf-8").splitlines())
    assert {n for kind, n, _ in links if kind == "finding"} == {row["id"] for row in rows}


def test_names_from_outside_are_text(night: Night) -> None:
    page = page_of(night)
    assert NASTY not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_the_table_has_every_finding_and_no_formula(night: Night) -> None:
    rows = list(csv.DictReader(night.folder.report("csv").read_text("utf-8").splitlines()))
    assert sorted((r["kind"], r["money"]) for r in rows) == [
        ("wrong_odds", "-1000"),
        ("wrong_odds", "500"),
    ]
    assert rows[0]["waiver"] == ""


def test_the_summary_is_for_machines(night: Night) -> None:
    found = json.loads(night.folder.report("json").read_text("utf-8"))
    assert found["day"] == "2026-03-10"
    assert found["findings"]["by_kind"] == {"wrong_odds": 2}
    assert found["findings"]["overpaid"] == 500
    assert found["findings"]["underpaid"] == 1000
    assert found["totals"]["rounds"] == 3
    assert [h["rounds"] for h in found["hours"]] == [3] + [0] * 23


def test_a_day_without_activity_says_so(night: Night) -> None:
    before = DAY - timedelta(days=3)  # after it the table, which was never closed, is silent
    quiet = run_day(night.settings, before, with_suites=True)
    text = text_of(page_of(quiet))
    assert "No activity no round was played" in text
    assert "The archive has nothing of this day: no table sent an event." in text
    assert "There is no record of this day." in text


def test_missing_data_stands_on_top(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    first = played([won_round(0)], gateway)
    lost = played([won_round(1)], gateway)
    rest = played([won_round(2)], gateway)
    sent(home, [*first, *lost[:4], *rest])
    page = page_of(run_day(settings_of(home), DAY, with_suites=False))
    top = text_of(page.split('<div class="grid')[0])
    assert "Events are missing from the record of 1 table (RWS-PP-01)." in top
    assert "sequence_gap" in page


def test_in_a_browser_nothing_complains_and_nothing_is_fetched(night: Night) -> None:
    seen = look(night.folder.report("html"))
    assert seen.console == []
    assert seen.fetched == []
    assert "Tuesday 10 March 2026" in seen.dom


def test_the_browser_would_have_told(tmp_path: Path) -> None:
    """The same look at a page with an error and a picture from outside."""
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><img src='http://127.0.0.1:9/x.png'><script>nothing.here()</script>"
    )
    seen = look(page)
    assert any("nothing is not defined" in line for line in seen.console)
    assert seen.fetched == ["http://127.0.0.1:9/x.png"]
