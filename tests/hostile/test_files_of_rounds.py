"""`evenhand replay` on files that were made to hurt it: exit 2 and a sentence, never more."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastavro import reader, writer
from fastavro.schema import to_parsing_canonical_form

from events.codec import body_of, current_schema
from events.files import read_events
from events.gateway import Gateway
from events.handed import bounds
from events.handed.avro import known_schemas
from events.handed.canonical import canonical_form, sha256_fingerprint
from events.model import TableClosed
from tests.command import ROOT
from tests.hostile import bombs
from tests.hostile.confined import confined, one_sentence

ROUND = ROOT / "examples" / "rounds" / "pontoon-plus-rws-v5.jsonl"
OLD = ROOT / "tests" / "events" / "data" / "v1.avro"

FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "a schema that holds itself": (bombs.recursive_schema, "is none of ours"),
    "a schema that holds itself in a union": (bombs.recursive_union, "is none of ours"),
    "a schema 5,000 levels deep": (bombs.deep_schema, "at most 32 levels"),
    "four gigabytes of nulls in 109 bytes": (bombs.nulls, "is none of ours"),
    "a text of an exabyte": (bombs.long_string, "record 1"),
    "a map of an exabyte": (bombs.many_limits, "record 1"),
    "a deflate bomb": (bombs.deflate_bomb, "a block unpacks to more than 32 MiB"),
    "a zstandard bomb": (bombs.zstd_bomb, "a block unpacks to more than 32 MiB"),
    "a zstandard window": (bombs.zstd_window, "the block can't be unpacked"),
    "a bzip2 bomb": (bombs.bzip2_bomb, "a block unpacks to more than 32 MiB"),
    "an xz bomb": (bombs.xz_bomb, "a block unpacks to more than 32 MiB"),
    "a block that names more than it has": (
        lambda: bombs.container(bombs.EVENTS, "null", (2**40, b"abc")),
        "a block of 3 bytes names 1,099,511,627,776 records",
    ),
    "empty blocks": (
        lambda: bombs.container(bombs.EVENTS, "null", (0, b"")),
        "a block of 0 bytes names 0 records",
    ),
    "a codec nobody knows": (
        lambda: bombs.container(bombs.EVENTS, "snappy", (1, b"x")),
        "its blocks are packed by 'snappy', expected one of null, deflate, zstandard, bzip2, xz",
    ),
    "a header of a gigabyte": (
        lambda: b"Obj\x01" + b"\x02" + b"\x02a" + b"\x80\x80\x80\x80\x08",
        "a header of 1,073,741,824 bytes",
    ),
    "a header of many entries": (
        lambda: b"Obj\x01" + b"\x80\x80\x80\x80\x08",
        "expected at most 64 entries in its header",
    ),
    "a number without an end": (lambda: b"Obj\x01" + b"\xff" * 40, "more than ten bytes"),
    "deep JSON": (bombs.deep_json, "line 1: expected JSON of at most 32 levels"),
    "JSON that is deep enough to parse": (
        lambda: b'{"type": ' + bombs.deep_json(500) + b"}",
        "line 1: expected JSON of at most 32 levels",
    ),
    "a field twice among many": (bombs.wide_json, "stands twice in one object"),
    "a line of two megabytes": (
        lambda: b'{"type": "' + b"x" * (2 << 20) + b'"}',
        "line 1: expected a line of at most 1 MiB",
    ),
    "an event type of a megabyte": (
        lambda: b'{"type": "' + b"RoundClosed" * 90_000 + b'"}',
        "unknown event type",
    ),
    "a number of a million digits": (
        lambda: b'{"type": "RoundClosed", "seq": ' + b"9" * 1_000_000 + b"}",
        "line 1: not JSON: a number of more digits than any count has",
    ),
    "half a character": (
        lambda: b'{"type": "RoundClosed", "round": "\\ud800"}',
        "line 1: expected text, found half a character",
    ),
    "UTF-16": (lambda: '{"type": "RoundClosed"}'.encode("utf-16-le"), "line 1: "),
    "empty lines without end": (lambda: b"\n" * (bounds.LINES + 9), "at most 4,000,000 lines"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_made_to_hurt_gets_one_sentence(name: str, tmp_path: Path) -> None:
    make, says = FILES[name]
    path = tmp_path / "hostile"
    path.write_bytes(make())
    done = confined(tmp_path, "replay", str(path), "--json")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr[-500:]
    assert says in one_sentence(done)


def test_more_events_than_a_file_may_hold(tmp_path: Path) -> None:
    """A small file of equal blocks: each is within its bound, all of them are not."""
    sent = Gateway("T").send(TableClosed(), at=datetime(2026, 1, 1, tzinfo=UTC), device="console")
    body = body_of(sent.value)
    path = tmp_path / "many.avro"
    path.write_bytes(bombs.many_blocks(body * 100_000, 100_000, 11))
    assert path.stat().st_size < 100_000
    done = confined(tmp_path, "replay", str(path), "--json")
    assert done.returncode == 2
    assert "expected at most 1,000,000 events, found more" in one_sentence(done)


def test_a_file_larger_than_any_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(bounds.FILE_BYTES + 1)
    done = confined(tmp_path, "replay", str(path), "--json")
    assert done.returncode == 2
    assert "expected at most 512 MiB, found 536,870,913 bytes" in one_sentence(done)


def test_the_schema_is_chosen_by_its_fingerprint_and_not_by_its_text(tmp_path: Path) -> None:
    """Documentation, defaults and order of keys say nothing; a changed type does."""
    schema = json.loads(bombs.EVENTS)
    told = {"doc": "in other words", **schema, "aliases": ["Other"]}
    assert sha256_fingerprint(told) == sha256_fingerprint(schema)
    assert sha256_fingerprint(schema) in known_schemas()
    told["fields"] = told["fields"][1:]
    assert sha256_fingerprint(told) not in known_schemas()


def test_the_canonical_form_is_avro_s() -> None:
    nested = {
        "type": "record",
        "name": "a.b.Outer",
        "fields": [
            {"name": "again", "type": ["null", "Outer"]},
            {"name": "map", "type": {"type": "map", "values": {"type": "long", "x": 1}}},
            {"name": "one", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
            {"name": "hash", "type": {"type": "fixed", "name": "c.H", "size": 4}},
        ],
    }
    for schema in (json.loads(bombs.EVENTS), nested):
        assert canonical_form(schema) == to_parsing_canonical_form(schema)
    assert canonical_form({"type": {"type": "array", "items": "int"}}) == (
        '{"type":"array","items":"int"}'
    )


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard", "bzip2", "xz"])
def test_every_codec_of_ours_is_read(codec: str, tmp_path: Path) -> None:
    with OLD.open("rb") as file:
        records = list(reader(file, return_record_name=True))
    path = tmp_path / "events.avro"
    with path.open("wb") as out:
        writer(out, current_schema().parsed, records, codec=codec)
    assert read_events(path) == read_events(OLD)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feeding = threading.Thread(target=lambda: pipe.write_bytes(ROUND.read_bytes()))
    feeding.start()
    done = confined(tmp_path, "replay", str(pipe), "--json")
    feeding.join()
    plain = confined(tmp_path, "replay", str(ROUND), "--json")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
