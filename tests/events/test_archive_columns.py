"""Any event goes to columns and back unchanged."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from events.archive.columns import (
    ARROW_SCHEMA,
    in_order,
    records_to_table,
)
from events.archive.evidence import StoredMessage
from events.archive.parquet import read_columns, write_columns
from events.codec import body_of, decode_record, encode, hash_body
from events.contract import EVENT_FIELDS
from events.model import Envelope
from tests.events.columns_kit import table_to_envelopes
from tests.strategies import envelopes

DAY = date(2026, 3, 10)


def to_table(events: list[Envelope]) -> pa.Table:
    messages = [encode(e) for e in events]
    return records_to_table(
        DAY,
        [decode_record(m) for m in messages],
        [hash_body(body_of(m)) for m in messages],
        [StoredMessage("file:x", 0, n, None, m) for n, m in enumerate(messages)],
    )


@given(st.lists(envelopes(), max_size=8))
def test_events_go_to_columns_and_back_unchanged(events: list[Envelope]) -> None:
    table = to_table(events)
    assert table.schema == ARROW_SCHEMA
    assert list(table_to_envelopes(table)) == events


@settings(max_examples=30)
@given(st.lists(envelopes(), min_size=1, max_size=30))
def test_a_column_file_holds_them_in_order_of_table_and_seq(
    tmp_path_factory: object, events: list[Envelope]
) -> None:
    events = [replace(e, table=f"T-{n % 3}", seq=n + 1) for n, e in enumerate(reversed(events))]
    path = Path(str(tmp_path_factory.mktemp("columns"))) / "columns-1.parquet"  # type: ignore[attr-defined]
    table = in_order(to_table(events))
    assert write_columns(path, [table]) == len(events)
    expected = sorted(events, key=lambda e: (e.table or "", e.seq or 0))
    assert list(table_to_envelopes(read_columns([path], None))) == expected
    only = [e for e in expected if e.table == "T-0"]
    assert list(table_to_envelopes(read_columns([path], ["T-0"]))) == only
    assert read_columns([path], ["T-0"], ["seq"]).column_names == ["seq"]


@settings(max_examples=30)
@given(
    st.lists(envelopes(), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=20, max_size=20),
    st.integers(0, 20),
)
def test_several_files_are_read_as_one(
    tmp_path_factory: object,
    events: list[Envelope],
    places: list[tuple[int, int]],
    cut: int,
) -> None:
    """Also where a number comes twice, or late: what shares one keeps the order of the log."""
    folder = Path(str(tmp_path_factory.mktemp("columns")))  # type: ignore[attr-defined]
    events = [
        replace(e, table=f"T-{t}", seq=seq) for e, (t, seq) in zip(events, places, strict=False)
    ]
    whole = to_table(events)
    paths = [folder / "columns-1.parquet", folder / "columns-2.parquet"]
    write_columns(paths[0], [in_order(whole.slice(0, cut))])
    write_columns(paths[1], [in_order(whole.slice(cut))])
    expected = sorted(events, key=lambda e: (e.table or "", e.seq or 0))
    assert list(table_to_envelopes(read_columns(paths, None))) == expected
    some = [e for e in expected if e.table in {"T-0", "T-2"}]
    assert list(table_to_envelopes(read_columns(paths, ["T-0", "T-2"]))) == some


def test_every_field_of_the_contract_has_a_column() -> None:
    renamed = {"table": "table_id", "at": "seen_at", "by": "noted_by"}
    for fields in EVENT_FIELDS.values():
        for field in fields:
            assert renamed.get(field.name, field.name) in ARROW_SCHEMA.names


def test_amounts_are_long_and_places_int() -> None:
    types = {f.name: f.type for f in ARROW_SCHEMA}
    for name in "seq amount stake stake_returned winnings jackpot_bet offset".split():
        assert types[name] == pa.int64()
    for name in "box hand decks boxes draw multiplier cards_left new_hand partition".split():
        assert types[name] == pa.int32()
    assert types["seen_at"] == pa.timestamp("us", tz="UTC")
    assert types["prev"] == types["hash"] == pa.binary(32)
