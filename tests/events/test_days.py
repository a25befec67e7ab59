"""The gaming day: six to six in Singapore, and on any other clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.days import GamingDay, parse_day
from events.errors import EvenhandError

# clocks that are put forward and back, by an hour and by half of one, at two and at midnight
ZONES = ("Asia/Singapore", "Europe/Vienna", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC")
moments = st.datetimes(
    datetime(2000, 1, 2),
    datetime(2037, 1, 1),
    timezones=st.just(UTC),
)


def test_six_in_the_morning_turns_the_day() -> None:
    days = GamingDay()
    six = datetime(2026, 11, 14, 22, tzinfo=UTC)
    assert days.start_of(date(2026, 11, 15)) == six
    assert days.end_of(date(2026, 11, 15)) == six + timedelta(days=1)
    assert days.day_of(six) == date(2026, 11, 15)
    assert days.day_of(six - timedelta(microseconds=1)) == date(2026, 11, 14)


@given(moments, st.sampled_from(ZONES), st.times())
def test_a_moment_lies_within_its_day(at: datetime, zone: str, start: time) -> None:
    days = GamingDay(start.replace(microsecond=0, fold=0), ZoneInfo(zone))
    day = days.day_of(at)
    assert days.start_of(day) <= at < days.end_of(day)


@given(moments, st.sampled_from(ZONES), st.times())
def test_days_touch(at: datetime, zone: str, start: time) -> None:
    days = GamingDay(start.replace(fold=0), ZoneInfo(zone))
    day = at.date()
    assert days.end_of(day) == days.start_of(day + timedelta(days=1))
    assert days.day_of(days.start_of(day)) == day


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(
        ValueError, match="expected a time with its zone, found 2026-11-15T00:00:00"
    ):
        GamingDay().day_of(datetime(2026, 11, 15))


@pytest.mark.parametrize("text", ["", "2026-13-01", "15.11.2026", "20261115", "2026-W01-1"])
def test_a_day_that_is_none(text: str) -> None:
    assert parse_day("2026-11-15") == date(2026, 11, 15)
    with pytest.raises(EvenhandError) as caught:
        parse_day(text)
    assert str(caught.value) == f"day: expected a date like 2026-11-15, found {text!r}"
