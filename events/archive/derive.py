"""Columns of messages as the evidence has them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pyarrow as pa

from events.archive.columns import records_to_table
from events.archive.evidence import StoredMessage
from events.codec import body_of, decode_record, hash_body


def columns_of(day: date, messages: Sequence[StoredMessage]) -> pa.Table:
    """The columns of messages that ingest took for events."""
    return records_to_table(
        day,
        [decode_record(m.value) for m in messages],
        [hash_body(body_of(m.value)) for m in messages],
        messages,
    )
