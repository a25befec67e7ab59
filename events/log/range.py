"""The events of one gaming day, or of one table on it, out of a log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from events.codec import decode_record
from events.days import GamingDay
from events.errors import DecodeError
from events.log.base import Log, Message

Found = tuple[Message, dict[str, Any]]


def read_day(log: Log, days: GamingDay, day: date, *, table: str | None = None) -> Iterator[Found]:
    """Messages and their records, in the log's order.

    A round belongs to the day in which it opened, an event between rounds to the day of its time.
    What can't be decoded has no day and is passed over; ingest is where it is kept.
    """
    key = None if table is None else table.encode()
    # a round that opened the day before can reach into this one; older ones can't matter
    opened: dict[str, date] = {}
    for message in log.read({}):
        if message.damage is not None or (key is not None and message.key != key):
            continue
        try:
            record = decode_record(message.value)
        except DecodeError:
            continue
        if _day_of(record, days, day, opened) == day:
            yield message, record


def _day_of(record: dict[str, Any], days: GamingDay, wanted: date, opened: dict[str, date]) -> date:
    round_ = record["round"]
    if round_ in opened:
        return opened[round_]
    found = days.day_of(record["at"])
    if record["event"][0] == "RoundOpened" and wanted - timedelta(days=1) <= found <= wanted:
        opened[round_] = found
    return found
