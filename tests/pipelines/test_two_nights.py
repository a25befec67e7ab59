"""What goes on over the end of a gaming day, over two real nights: meters and shoes."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from events.log.base import Outgoing
from pipelines.dagster_defs.sensors import stale_days
from pipelines.night.plain import run_day
from tests.checks.kit import PlayedRecord
from tests.checks.meter_kit import LinkedTables, MeterTable, two_winners
from tests.pipelines.kit import ask, sent, settings_of

FIRST, SECOND = date(2026, 11, 14), date(2026, 11, 15)
MORNING = datetime(2026, 11, 15, 2, tzinfo=UTC)
RESETS = {name: {"reset_cents": 5_000_000, "growth_cents": 100} for name in ("J", "K")}


def deliver(home: Path, *tables: PlayedRecord) -> None:
    """What the tables have sent so far; they go on from there."""
    messages = [Outgoing(t.table.encode(), value) for t in tables for value in t.sent]
    for table in tables:
        table.sent = []
    sent(home, messages)


def night(home: Path, day: date) -> list[tuple[str, str]]:
    """Run it, and what it found."""
    run_day(settings_of(home, jackpots=RESETS), day, with_suites=False)
    return ask(home, f"SELECT kind, round FROM findings WHERE day = DATE '{day}' ORDER BY round")


def alone(table: MeterTable, name: str, meter: int) -> None:
    """A round at the one table of meter K."""
    table.bets(name, 1)
    table.read(name, meter, "K")
    table.deal(name, 1)
    table.folds(name, 1)
    table.end(name)


def test_a_meter_and_a_shoe_go_on_from_the_day_before(tmp_path: Path) -> None:
    """Over the day's end J grows by its bets, K has jumped by 500.00 besides, and a draw of T-4's
    shoe is skipped. Where nobody audited the first day, the second takes the first readings as
    they are; the shoe's cards are in the archive all the same."""
    home, link, third = tmp_path / "home", LinkedTables(), MeterTable("T-3")
    fourth = PlayedRecord("T-4")
    fourth.shoe()
    fourth.round("P")
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 2, 6_000_200)
    alone(third, "X", 7_000_000)
    tables = (*link.tables.values(), third, fourth)
    deliver(home, *tables)
    assert night(home, FIRST) == []
    for table in tables:
        table.at = MORNING
    fourth.draw += 1
    fourth.round("Q")
    link.round("T-1", "C", 1, 6_000_300)
    link.round("T-2", "D", 1, 6_000_400)
    alone(third, "Y", 7_050_100)
    alone(third, "Z", 7_050_200)
    deliver(home, *tables)
    unknown = shutil.copytree(home, tmp_path / "unknown")
    shutil.rmtree(unknown / "warehouse")
    assert night(home, SECOND) == [("shoe_mismatch", "Q"), ("meter_mismatch", "Y")]
    (says,) = ask(home, "SELECT message FROM findings WHERE round = 'Y'")[0]
    assert "shows 70,501.00" in says
    assert "give 70,001.00 (500.00 more) (1.15)" in says
    assert night(unknown, SECOND) == [("shoe_mismatch", "Q")]
    assert stale_days(unknown) == []


def days_to_run(home: Path) -> list[date]:
    return [day for day, _ in stale_days(home)]


def test_a_day_is_run_again_when_the_day_before_has_changed(tmp_path: Path) -> None:
    """First nobody had audited the first day, so a jump over the night could not be seen; then a
    bet of the first day comes late, which explains a part of it."""
    home, third, other = tmp_path / "home", MeterTable("T-3"), MeterTable("T-5")
    alone(third, "X", 7_000_000)
    other.at = third.at + timedelta(hours=1)
    alone(other, "V", 7_000_100)
    late = [Outgoing(b"T-5", value) for value in other.sent]
    other.sent = []
    third.at = MORNING
    alone(third, "Y", 7_050_200)
    deliver(home, third)
    assert night(home, SECOND) == []
    assert days_to_run(home) == []
    assert night(home, FIRST) == []
    assert days_to_run(home) == [SECOND]
    assert night(home, SECOND) == [("meter_mismatch", "Y")]
    assert days_to_run(home) == []
    sent(home, late)
    assert days_to_run(home) == [FIRST, SECOND]
    assert night(home, FIRST) == []
    assert days_to_run(home) == [SECOND]
    silent = ("silent_table", None)  # T-5 is known by now, and was not closed
    assert night(home, SECOND) == [("meter_mismatch", "Y"), silent]
    assert days_to_run(home) == []
    (says,) = ask(home, f"SELECT changes FROM runs WHERE current AND day = DATE '{SECOND}'")[0]
    assert json.loads(says)["reasons"] == ["the day before, from which this one goes on, changed"]
    (shown,) = ask(home, "SELECT message FROM findings WHERE round = 'Y'")[0]
    assert "give 70,002.00 (500.00 more)" in shown


def test_4_9_1_a_second_winner_paid_by_the_text_is_for_a_person_and_no_loss(tmp_path: Path) -> None:
    home, link = tmp_path / "home", two_winners()
    assert link.own() == [("wrong_odds", "B")]  # by its own reading
    deliver(home, *link.tables.values())
    assert night(home, FIRST) == [("discretion", "B")]
    left = list((home / "warehouse").glob(f"day={FIRST}/run=*/*.parquet"))
    assert {p.name.split("-")[0] for p in left}.isdisjoint({"meters", "wins"})
