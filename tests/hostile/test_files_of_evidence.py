"""`evenhand evidence --verify` on files that were made to hurt it: exit 1 and a reason."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from events.codec import decode
from events.handed import bounds
from events.log.container import varint
from events.model import RoundOpened
from events.seal import Entry
from pipelines.evidence.material import given_members, to_json
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import verify
from tests.hostile import bombs, forge
from tests.hostile.confined import confined, one_sentence
from tests.hostile.seeds import Seeds, make_seeds


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return make_seeds(tmp_path_factory.mktemp("seeds"))


def _with(seeds: Seeds, **changed: bytes) -> bytes:
    """Honest evidence with members changed and their checksums put right; `_` stands for `.`."""
    members = unpack(seeds.pieces[0][1])
    return forge.resealed(members | {k.replace("_", "."): v for k, v in changed.items()})


def _manifest(seeds: Seeds, **changed: Any) -> bytes:
    head = json.loads(unpack(seeds.pieces[0][1])["manifest.json"])
    return _with(seeds, manifest_json=to_json(head | changed))


def _avro(seeds: Seeds, count: int, data: bytes) -> bytes:
    """The honest header, then a block that says what it likes."""
    honest = unpack(seeds.pieces[0][1])["round.avro"]
    header = honest[: honest.index(b"evenhandevidence") + 16]
    return header + varint(count) + varint(len(data)) + data + b"evenhandevidence"


def _chain(count: int) -> bytes:
    return b"".join(b"%d %064x -\n" % (n, n) for n in range(1, count + 1))


FILES: dict[str, tuple[Callable[[Seeds], bytes], str]] = {
    "nothing": (lambda _: b"", "not a whole zip file"),
    "60,000 members": (lambda _: bombs.many_members(), "it holds more than 64 members"),
    "a zip bomb": (lambda _: bombs.zip_bomb("answer.json"), '"answer.json" is compressed'),
    "a member twice": (lambda s: _twice(s.pieces[0][1]), "it holds README.txt twice"),
    "a member longer than the file": (lambda s: _long(s.pieces[0][1]), "goes on past its end"),
    "a schema of its own": (
        lambda s: _with(s, round_avro=bombs.recursive_schema()),
        "round.avro: it does not begin as messages in evidence do",
    ),
    "messages of nothing": (
        lambda s: _with(s, round_avro=_avro(s, 2**40, b"")),
        "round.avro: expected at most 1,000 messages, found 1,099,511,627,776",
    ),
    "a message of an exabyte": (
        lambda s: _with(s, round_avro=_avro(s, 1, varint(2**60))),
        "round.avro: it can't be read as Avro",
    ),
    "deep JSON": (
        lambda s: _with(s, manifest_json=bombs.deep_json()),
        "manifest.json: expected JSON of at most 32 levels",
    ),
    "a manifest of ten megabytes": (
        lambda s: _with(s, manifest_json=b'"' + b"x" * (10 << 20) + b'"'),
        "manifest.json: expected JSON of at most 8 MiB",
    ),
    "a folder as a time zone": (lambda s: _manifest(s, zone="America"), "zone: expected a time"),
    "a path as a time zone": (lambda s: _manifest(s, zone="../../etc/passwd"), "zone: expected"),
    "a long time zone": (lambda s: _manifest(s, zone="é" * 5000), "zone: expected a time zone"),
    "half a character": (
        lambda s: _with(s, manifest_json=b'{"round": "\\ud800"}'),
        "manifest.json: expected text, found half a character",
    ),
    "a chain of a million and one": (
        lambda s: _with(s, chain_txt=_chain(bounds.CHAIN_LINES + 1)),
        "chain.txt: expected at most 1,000,000 lines",
    ),
    "checkpoints without end": (
        lambda s: _with(s, checkpoints_jsonl=s.checkpoints.splitlines()[0] + b"\n" * 2000),
        "checkpoints.jsonl: expected at most 1,000",
    ),
    "an answer that is a list": (lambda s: _with(s, answer_json=b"[]\n"), "answer: "),
}


def _twice(content: bytes) -> bytes:
    first = content[: content.index(b"PK\x03\x04", 4)]
    return first + content


def _long(content: bytes) -> bytes:
    return content[:18] + (2**31).to_bytes(4, "little") * 2 + content[26:]


@pytest.mark.parametrize("name", FILES)
def test_evidence_that_is_made_to_hurt_is_not_sound(
    name: str, seeds: Seeds, tmp_path: Path
) -> None:
    make, says = FILES[name]
    path = tmp_path / "hostile.zip"
    path.write_bytes(make(seeds))
    done = confined(tmp_path, "evidence", "--verify", str(path))
    assert (done.returncode, done.stderr) == (1, ""), done.stderr[-500:]
    assert says in done.stdout
    assert "did not come to its end" not in done.stdout


def test_an_answer_of_another_shape_from_other_software(
    seeds: Seeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.evidence.verify.software_fingerprint", lambda: "0" * 64)
    for answer in (b"[]\n", b"7\n", b"{", b'{"lines": {}}\n', bombs.deep_json()):
        kinds = [one.kind for one in verify(_with(seeds, answer_json=answer)).wrong]
        assert kinds == ["answer"]


def test_the_same_events_sealed_over_and_over(seeds: Seeds) -> None:
    material, content = seeds.pieces[0]
    c = material.checkpoints[0]
    many = tuple(
        replace(c, first=1, seq=n + 1, seal=c.head) for n in range(bounds.CHAIN_LINES, 0, -200)
    )
    m = replace(
        material,
        chain=tuple(Entry(n, b"h" * 32, "-") for n in range(1, 200_000)),
        checkpoints=many[:1000],
    )
    verdict = verify(forge.resealed(unpack(content) | given_members(m)))
    assert [one.message for one in verdict.wrong] == [
        "checkpoints.jsonl: they seal the same events over and over"
    ]


def test_a_layout_of_two_billion_boxes_is_drawn_as_far_as_boxes_go(seeds: Seeds) -> None:
    material, content = seeds.pieces[0]
    events = [decode(message.value) for message in material.messages]
    wide = [
        replace(e, event=replace(e.event, boxes=2**31 - 1))
        if isinstance(e.event, RoundOpened)
        else e
        for e in events
    ]
    given = given_members(forge.forged_round(material, wide))
    verdict = verify(forge.resealed(unpack(content) | given))
    assert "page" in [one.kind for one in verdict.wrong]


def test_times_at_both_ends_of_the_calendar(seeds: Seeds) -> None:
    """Turned into a time zone they would leave it."""
    material, content = seeds.pieces[0]
    events = [decode(message.value) for message in material.messages]
    for year in (1, 9999):
        at = datetime(year, 12 if year > 1 else 1, 31 if year > 1 else 1, 23, tzinfo=UTC)
        m = forge.forged_round(material, [replace(e, at=at) for e in events])
        verdict = verify(forge.resealed(unpack(content) | given_members(m)))
        assert not verdict.sound
        assert "unchecked" not in [one.kind for one in verdict.wrong], verdict.wrong


def test_a_file_larger_than_any_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    path.touch()
    os.truncate(path, bounds.EVIDENCE_BYTES + 1)
    done = confined(tmp_path, "evidence", "--verify", str(path))
    assert done.returncode == 1
    assert "expected at most 256 MiB, found 268,435,457 bytes" in done.stdout


def test_an_error_of_the_check_itself_is_a_verdict_too(
    seeds: Seeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("midway")

    monkeypatch.setattr("pipelines.evidence.verify.all_members", fails)
    (wrong,) = verify(seeds.pieces[0][1]).wrong
    assert wrong.kind == "unchecked"
    assert "the check itself did not come to its end (RuntimeError: midway)" in wrong.message


KEPT: dict[str, tuple[bytes, str]] = {
    "deep": (bombs.deep_json(), "line 1: expected a checkpoint as JSON"),
    "a number without an end": (b'{"table": "T", "seq": ' + b"9" * 5000 + b"}", "line 1: "),
    "a seq past every number": (
        b'{"table": "T", "seq": 9223372036854775808, "head": "", "at": "", "reason": ""}',
        "line 1: expected a table's name and a seq",
    ),
    "a reason that is a list": (
        b'{"table": "T", "seq": 1, "head": "' + b"0" * 64
        + b'", "at": "2026-11-15T00:00:00Z", "reason": []}',
        "line 1: reason: expected text, found []",
    ),
    "half a character": (b'{"table": "\\ud800"}', "line 1: expected a checkpoint as JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_copy_that_is_none(name: str, seeds: Seeds, tmp_path: Path) -> None:
    content, says = KEPT[name]
    (tmp_path / "kept").write_bytes(content)
    (tmp_path / "piece.zip").write_bytes(seeds.pieces[0][1])
    done = confined(tmp_path, "evidence", "--verify", "piece.zip", "--checkpoints", "kept")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in one_sentence(done)


def test_settings_and_waivers_that_are_made_to_hurt(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    home.mkdir()
    (home / "evenhand.toml").write_bytes(b"topic = " + b"[" * 100_000)
    done = confined(tmp_path, "config")
    assert done.returncode == 2
    assert "evenhand.toml: expected a TOML file" in one_sentence(done)
    os.truncate(home / "evenhand.toml", bounds.SETTINGS_BYTES + 1)
    assert "expected at most 1 MiB" in one_sentence(confined(tmp_path, "config"))
    (home / "evenhand.toml").unlink()
    (home / "waivers.jsonl").write_bytes(bombs.deep_json() + b"}\n")
    done = confined(tmp_path, "waivers", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "waivers.jsonl, line 1: expected a waiver" in one_sentence(done)


def test_a_zip_is_what_pack_makes_and_nothing_else(seeds: Seeds) -> None:
    members = unpack(seeds.pieces[0][1])
    assert pack(members) == seeds.pieces[0][1]
    extra = bytearray(seeds.pieces[0][1])
    extra[-2:] = b"\x03\x00"
    assert [one.kind for one in verify(bytes(extra) + b"abc").wrong] == ["repacked"]
