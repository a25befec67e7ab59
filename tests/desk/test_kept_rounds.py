"""A round that is opened again: made from what was kept, and anew as soon as something came."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from events.archive.reader import Archive
from events.gateway import Gateway
from events.model import RoundClosed
from pipelines.investigate import table_days
from pipelines.investigate.locate import in_archive
from pipelines.investigate.neighbours import premises_of
from pipelines.investigate.table_days import TableDays
from tests.desk.conftest import desk_of
from tests.pipelines.kit import (
    DAY,
    MORNING,
    TABLE,
    correction,
    played,
    sent,
    settings_of,
    won_round,
)

ROUND = f"{TABLE}-000002"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables whose day was made, each time."""
    made: list[str] = []
    really = table_days.look_at

    def counted(premises: object, day: object, table: str) -> table_days.TableDay:
        made.append(table)
        return really(premises, day, table)  # type: ignore[arg-type]

    monkeypatch.setattr(table_days, "look_at", counted)
    return made


def test_late_events_of_its_day_are_seen_and_play_of_the_next_day_costs_nothing(
    tmp_path: Path, looks: list[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    gateway = Gateway(TABLE)
    sent(home, played([won_round(0, winnings=3000), won_round(1)], gateway))
    with desk_of(home) as desk:
        first = desk.get(f"/round/{ROUND}").text
        assert "wrong odds" in first
        assert desk.get(f"/round/{ROUND}").text.count("wrong odds") == first.count("wrong odds")
        assert desk.get(f"/round/{TABLE}-000003").status_code == 200
        assert looks == [TABLE], "one day of a table, made once"
        tomorrow = MORNING + timedelta(days=1)
        sent(home, played([won_round(2)], gateway, start=tomorrow))
        assert desk.get(f"/round/{ROUND}").status_code == 200
        assert looks == [TABLE, TABLE], "the next day began"
        sent(home, played([won_round(3)], gateway, start=tomorrow + timedelta(hours=1)))
        assert desk.get(f"/round/{ROUND}").status_code == 200
        assert looks == [TABLE, TABLE], "and goes on"
        late = gateway.send(
            correction(), at=tomorrow + timedelta(hours=2), device="console", round_=ROUND
        )
        sent(home, [late])
        put_right = desk.get(f"/round/{ROUND}").text
        assert "corrected" in put_right
        assert len(looks) == 3


def test_a_round_that_is_closed_later_is_shown_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    gateway = Gateway(TABLE)
    sent(home, played([won_round(0)[:-1]], gateway))
    with desk_of(home) as desk:
        assert "incomplete" in desk.get(f"/round/{ROUND}").text
        end = gateway.send(
            RoundClosed(), at=MORNING + timedelta(minutes=1), device="console", round_=ROUND
        )
        sent(home, [end])
        assert "incomplete" not in desk.get(f"/round/{ROUND}").text


def test_what_is_kept_gives_what_is_made_anew(two_days: Path) -> None:
    settings, kept = settings_of(two_days), TableDays()
    with Archive(two_days / "archive") as archive:
        named = archive.read_tables(DAY, sorted(archive.tables_of(DAY)), ["round"])["round"]
        rounds = sorted({name for name in named.to_pylist() if name is not None})[::9]
        for name in rounds * 2:
            plain = in_archive(premises_of(settings, archive), name)
            again = in_archive(premises_of(settings, archive, kept), name)
            assert (plain.events, plain.context) == (again.events, again.context)


def test_only_so_many_are_kept(two_days: Path, looks: list[str]) -> None:
    kept, settings = TableDays(most=2), settings_of(two_days)
    with Archive(two_days / "archive") as archive:
        premises = premises_of(settings, archive, kept)
        tables = sorted(archive.tables_of(DAY))[:3]
        for table in (*tables, *tables):
            kept.of(premises, DAY, table)
    assert len(looks) == 6
