"""`evenhand nightly --due`: every day that is over and not audited as the archive now has it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg

from events.chain import Head
from events.checkpoints import write_checkpoints
from events.gateway import Gateway
from events.model import TableClosed, TableOpened
from pipelines.dagster_defs.home import open_instance
from pipelines.dagster_defs.schedule import night_schedule
from pipelines.night.due import due_days
from pipelines.night.plain import run_day
from tests.desk.conftest import desk_of
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import BOOK, MORNING, TABLE, ask, played, sent, settings_of, won_round

DAYS = [date(2026, 3, 10), date(2026, 3, 11)]


def two_days(home: Path) -> Gateway:
    gateway = Gateway(TABLE)
    first = played([won_round(0)], gateway)
    second = played([won_round(1)], gateway, MORNING + timedelta(days=1))
    sent(home, [*first, *second])
    return gateway


def due(home: Path) -> list[date]:
    return [day for day, _ in due_days(home)]


def test_every_day_that_is_due_is_run_once_in_order(tmp_path: Path) -> None:
    home = tmp_path / "home"
    gateway = two_days(home)
    assert due(home) == DAYS
    done = evenhand_here(tmp_path, "nightly", "--due", "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [day["day"] for day in told["days"]] == [str(day) for day in DAYS]
    assert (told["exit_code"], told["failed"]) == (0, [])
    assert due(home) == []
    again = evenhand_here(tmp_path, "nightly", "--due", EVENHAND_HOME=str(home))
    assert again.stdout.startswith("nothing is due")
    late = gateway.send(TableClosed(), at=MORNING + timedelta(hours=2), device="console")
    sent(home, [late])
    assert due(home) == DAYS  # the second goes on from the first
    with desk_of(home) as desk:
        assert all("due again" in desk.get(f"/day/{day}").text for day in DAYS)
    assert evenhand_here(tmp_path, "nightly", "--due", EVENHAND_HOME=str(home)).returncode == 1
    with desk_of(home) as desk:
        assert "due again" not in desk.get(f"/day/{DAYS[1]}").text
    assert due(home) == []  # what it found is an event that came out of the clock's order


def test_a_warning_about_a_day_goes_once_it_is_audited(tmp_path: Path) -> None:
    home = tmp_path / "home"
    two_days(home)
    settings = settings_of(home)
    second = run_day(settings, DAYS[1], with_suites=False)
    (warning,) = [w for w in second.state()["warnings"] if w.startswith("No run has audited")]
    assert "2026-03-10" in warning
    assert warning.endswith("evenhand nightly --due")
    first = run_day(settings, DAYS[0], with_suites=False)
    assert not [w for w in first.state()["warnings"] if "audited" in w]


def test_a_day_without_lines_is_published_where_no_line_is_due(tmp_path: Path) -> None:
    """A table that only opens and closes, with the suites."""
    home, gateway = tmp_path / "home", Gateway(TABLE)
    at = MORNING + timedelta(minutes=1)
    opened = gateway.send(TableOpened(BOOK, "SGD"), at=at, device="console")
    closed = gateway.send(TableClosed(), at=at, device="console")
    sent(home, [opened, closed])
    done = evenhand_here(tmp_path, "nightly", "--due", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stdout + done.stderr
    assert ask(home, "SELECT count(*) FROM data_quality WHERE NOT passed") == [(0,)]


def test_the_schedule_asks_for_what_is_due_and_for_the_last_day(tmp_path: Path) -> None:
    home = tmp_path / "home"
    two_days(home)
    settings = settings_of(home)
    now = datetime(2026, 3, 13, tzinfo=UTC)

    def asked() -> list[str | None]:
        with open_instance(home) as instance:
            context = dg.build_schedule_context(instance, scheduled_execution_time=now)
            requests = night_schedule(settings)(context)
        assert isinstance(requests, list)
        return [request.partition_key for request in requests]

    assert asked() == ["2026-03-10", "2026-03-11", "2026-03-12"]
    for day in DAYS:
        run_day(settings, day, with_suites=False)
    assert asked() == ["2026-03-12"]


def audited(home: Path) -> None:
    for day in DAYS:
        run_day(settings_of(home), day, with_suites=False)
    assert due(home) == []


def test_a_registry_that_says_otherwise_of_a_day_makes_it_due(tmp_path: Path) -> None:
    home = tmp_path / "home"
    two_days(home)
    audited(home)
    file = home / "tables.toml"
    file.write_text(f'[tables."{TABLE}"]\ncurrency = "SGD"\n')
    assert due(home) == DAYS
    audited(home)
    file.write_text("# another word\n" + file.read_text() + '[tables."RWS-BJ-09"]\n')
    assert due(home) == []  # a table that never played, and of which nobody expects it
    file.write_text(f'[tables."{TABLE}"]\ncurrency = "SGD"\n[tables."X"]\ndays = ["wed"]\n')
    assert due(home) == [DAYS[1]]  # a Wednesday: X is silent
    audited_again = run_day(settings_of(home), DAYS[1], with_suites=False)
    assert audited_again.state()["changes"]["reasons"] != []
    assert due(home) == []


def test_keys_revoked_since_make_the_days_due_that_they_signed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    two_days(home)
    key = f'id = "k", public = "{"ab" * 32}"'
    file = home / "tables.toml"
    file.write_text(f'[tables."{TABLE}"]\nkeys = [{{ {key}, from = 2026-03-01 }}]\n')
    audited(home)
    file.write_text(
        f'[tables."{TABLE}"]\nkeys = [{{ {key}, from = 2026-03-01, revoked = 2026-03-13 }}]\n'
    )
    assert due(home) == []
    file.write_text(
        f'[tables."{TABLE}"]\nkeys = [{{ {key}, from = 2026-03-01, revoked = 2026-03-12 }}]\n'
    )
    assert due(home) == [DAYS[1]]  # whose last events may be signed on the twelfth


def test_a_checkpoint_that_knows_more_makes_its_day_due(tmp_path: Path) -> None:
    home = tmp_path / "home"
    gateway = two_days(home)
    audited(home)
    write_checkpoints(home / "checkpoints.jsonl", {TABLE: gateway.head}, "asked for")
    assert due(home) == [DAYS[1]]  # it fits, and nobody has held it against the day yet
    audited(home)
    lost = Head(gateway.head.seq + 3, bytes(32))
    write_checkpoints(home / "checkpoints.jsonl", {TABLE: lost}, "asked for")
    assert due(home) == [DAYS[1]]
    run_day(settings_of(home), DAYS[1], with_suites=False)
    assert ask(home, "SELECT kind FROM findings") == [("truncated",)]
    assert due(home) == []


def test_a_reading_turned_since_makes_every_day_due(tmp_path: Path) -> None:
    home = tmp_path / "home"
    two_days(home)
    audited(home)
    (home / "evenhand.toml").write_text('[readings]\nsuper-bonus-share = "other"\n')
    assert due(home) == DAYS
    audited(home)


def test_a_day_without_a_word_between_two_others_is_due(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    first = played([won_round(0)], gateway)
    third = played([won_round(1)], gateway, MORNING + timedelta(days=2))
    sent(home, [*first, *third])
    silent = DAYS[1]
    assert due(home) == [DAYS[0], silent, DAYS[1] + timedelta(days=1)]
    for day in due(home):
        run_day(settings_of(home), day, with_suites=False)
    assert ask(home, "SELECT day, kind FROM findings") == [(silent, "silent_table")]
    assert due(home) == []
