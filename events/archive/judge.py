"""Whether a message is an event: decoded once, held against the contract, the bounds and its key.

Ingest and whoever follows the log beside it judge alike.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from events.bounds import Bounds
from events.codec import decode_record, record_problem
from events.contract import show
from events.errors import DecodeError
from events.log.base import Message


class RefusedMessage(NamedTuple):
    """Why a message is no event: one word, a sentence, and the record as far as there is one."""

    kind: str
    reason: str
    record: dict[str, Any] | None = None


def judge(message: Message, bounds: Bounds) -> tuple[dict[str, Any], RefusedMessage | None]:
    """The record of a message, or why it is none. A damaged part of the log is none either."""
    if message.damage is not None:
        return {}, RefusedMessage("damage", message.damage)
    try:
        record = decode_record(message.value)
    except DecodeError as error:
        return {}, RefusedMessage("undecodable", str(error))
    problem = record_problem(record) or bounds.amount_problem(*record["event"])
    if problem is not None:
        return {}, RefusedMessage("contract", problem, record)
    if message.key != record["table"].encode():
        reason = f"wrong key: expected the table {record['table']}, found {_show(message.key)}"
        return {}, RefusedMessage("key", reason, record)
    return record, None


def told_by(
    record: dict[str, Any] | None,
) -> tuple[str | None, str | None, int | None, datetime | None]:
    """Table, round, seq and time of a record that breaks the contract, where they are usable."""
    if record is None:
        return None, None, None, None
    at, seq = record["at"], record["seq"]
    return record["table"] or None, record["round"] or None, seq if seq > 0 else None, at


def table_of_key(key: bytes | None) -> str | None:
    """The table that a key names, where it is short text as table ids are."""
    if not key or len(key) > 64:
        return None
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _show(key: bytes | None) -> str:
    return "none" if key is None else show(key.decode("utf-8", "backslashreplace"))
