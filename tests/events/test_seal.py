"""Seals: a line per event, one hash over the lines, and nothing that can change without it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.archive.entries import TableEntries
from events.archive.heads import sealed_day
from events.archive.reader import Archive
from events.chain import Head
from events.codec import body_of, current_schema, decode, encode, schemas
from events.gateway import Gateway
from events.log.base import Message, Outgoing
from events.model import BetSettled, Envelope, JackpotRead
from events.seal import Entry, Sealed, entry_of, seal_messages, seal_of, tag_of
from tests.events.archive_kit import DAY, MORNING, ListLog, listed, play, take
from tests.strategies import envelopes

TABLE = "RWS-PP-01"


def line(message: Outgoing) -> str:
    """The line of an event, as ADR 8 describes it."""
    event = decode(message.value)
    digest = hashlib.sha256(message.value[10:]).hexdigest()
    tag = "-" if event.round is None else hashlib.sha256(event.round.encode()).hexdigest()[:16]
    return f"{event.seq} {digest} {tag}\n"


def by_hand(messages: Sequence[Outgoing]) -> bytes:
    return hashlib.sha256("".join(map(line, messages)).encode()).digest()


def head(message: Outgoing) -> Head:
    return Head(decode(message.value).seq or 0, hashlib.sha256(message.value[10:]).digest())


def seal(messages: Sequence[Outgoing], after: int = 0) -> Head | Sealed:
    return seal_messages(lambda: listed(messages), {TABLE: after})[TABLE]


@given(envelopes())
def test_an_entry_says_what_the_whole_event_says(envelope: Envelope) -> None:
    message = encode(envelope)
    digest = hashlib.sha256(message[10:]).digest()
    entry = Entry(envelope.seq or 0, digest, tag_of(envelope.round))
    assert entry_of(message) == (envelope.table, entry)


@given(st.binary(max_size=60))
def test_other_bytes_have_an_entry_or_none(body: bytes) -> None:
    for message in (body, current_schema().header + body):
        found = entry_of(message)
        assert found is None or (found[0] and found[1].seq > 0)


@pytest.mark.parametrize("version", schemas())
def test_every_version_of_the_schema_begins_with_what_an_entry_needs(version: int) -> None:
    fields = [(f["name"], f["type"]) for f in json.loads(schemas()[version].source)["fields"]]
    assert fields[:3] == [("table", "string"), ("round", ["null", "string"]), ("seq", "long")]


def test_the_seal_is_the_hash_of_the_lines_by_number_then_hash_each_once() -> None:
    one, two, other = Entry(9, b"\x01" * 32, "-"), Entry(10, b"\xff" * 32, "-"), b"\x0a" * 32
    text = f"9 {'01' * 32} -\n10 {'0a' * 32} {'ab' * 8}\n10 {'ff' * 32} -\n"
    entries = [two, Entry(10, other, "ab" * 8), one, two]
    assert seal_of(entries) == hashlib.sha256(text.encode()).digest()


def test_messages_in_order_are_sealed_from_the_first_to_the_last() -> None:
    sent = play(TABLE, 3)
    assert seal(sent) == Sealed(1, head(sent[-1]), by_hand(sent))
    assert seal(sent[5:], after=9) == Sealed(10, head(sent[-1]), by_hand(sent[9:]))
    assert seal(sent, after=25) == head(sent[-1])


def test_several_tables_have_a_seal_each() -> None:
    one, two = play(TABLE, 2), play("RWS-PP-02", 1)
    mixed = [*one[:4], *two, *one[4:]]
    found = seal_messages(lambda: listed(mixed))
    assert found == {
        TABLE: Sealed(1, head(one[-1]), by_hand(one)),
        "RWS-PP-02": Sealed(1, head(two[-1]), by_hand(two)),
    }


def test_behind_a_gap_only_what_follows_is_sealed() -> None:
    """What is missing may still come: then a seal over both sides would not fit any more."""
    sent = play(TABLE, 3)
    assert seal([*sent[:10], *sent[11:]]) == Sealed(12, head(sent[-1]), by_hand(sent[11:]))


def test_messages_out_of_order_and_twice_are_sealed_as_if_they_had_come_well() -> None:
    sent = play(TABLE, 3)
    whole = Sealed(1, head(sent[-1]), by_hand(sent))
    assert seal([*sent[:10], sent[11], sent[10], *sent[12:]]) == whole
    assert seal([*sent[:10], *sent[5:]]) == whole
    again = [*sent[:2], *sent[15:], sent[1]]  # old ones sent again by a gateway that restarted
    assert seal(again) == Sealed(16, head(sent[-1]), by_hand(sent[15:]))


def test_a_second_claim_to_a_number_is_sealed_with_the_first() -> None:
    sent = play(TABLE, 2)
    other = _other(sent[8])
    both = sorted([sent[8], other], key=lambda m: hashlib.sha256(m.value[10:]).digest())
    expected = Sealed(1, head(sent[-1]), by_hand([*sent[:8], *both, *sent[9:]]))
    assert seal([*sent[:9], other, *sent[9:]]) == expected


def _other(message: Outgoing) -> Outgoing:
    event = dataclasses.replace(decode(message.value), device="shoe")
    return Outgoing(message.key, encode(event))


def test_damage_and_rubbish_do_not_reach_the_seal() -> None:
    """Bytes that only look like an event at first claim any number; they never become the end."""
    sent = play(TABLE, 2)
    far = encode(Envelope(JackpotRead(1), None, TABLE, 10**9, MORNING, "jackpot", bytes(32)))
    rubbish = Outgoing(sent[0].key, far[:-1])
    messages = listed([*sent[:4], rubbish, Outgoing(b"x", b"\xc3\x01?"), *sent[4:]])
    messages.insert(3, Message(0, 99, None, b"", "a block is damaged"))
    found = seal_messages(lambda: messages)
    assert found == {TABLE: Sealed(1, head(sent[-1]), by_hand(sent))}


def test_a_day_is_sealed_from_its_first_event_to_its_last(tmp_path: Path) -> None:
    sent = play(TABLE, 3)
    take(ListLog(listed([*sent, *play("RWS-PP-02", 1)])), tmp_path)
    found = sealed_day(tmp_path, DAY)
    assert found[TABLE] == Sealed(1, head(sent[-1]), by_hand(sent))
    assert list(found) == [TABLE, "RWS-PP-02"]


def test_a_day_s_seal_knows_what_is_missing_and_what_is_twice(tmp_path: Path) -> None:
    sent = play(TABLE, 3)
    other = _other(sent[20])
    came = [*sent[:10], *sent[11:], other, sent[3]]
    take(ListLog(listed(came)), tmp_path)
    both = sorted([sent[20], other], key=lambda m: hashlib.sha256(m.value[10:]).digest())
    counted = [*sent[:10], *sent[11:20], *both, *sent[21:]]
    assert sealed_day(tmp_path, DAY)[TABLE] == Sealed(1, head(sent[-1]), by_hand(counted))


def test_a_day_s_seal_has_what_other_days_hold_of_its_numbers(tmp_path: Path) -> None:
    """A round over the turn of the day stays with its day, an event between rounds does not."""
    gateway = Gateway(TABLE)
    sent = play(TABLE, 2, gateway=gateway)
    turn = MORNING + timedelta(days=1)
    last = [
        gateway.send(JackpotRead(1), at=turn, device="jackpot"),
        gateway.send(JackpotRead(2), at=turn, device="jackpot", round_=f"{TABLE}-000002"),
        gateway.send(JackpotRead(3), at=turn, device="jackpot"),
    ]
    take(ListLog(listed([*sent, *last])), tmp_path)
    whole = [*sent, *last]
    first, second = sealed_day(tmp_path, DAY), sealed_day(tmp_path, DAY + timedelta(days=1))
    assert first[TABLE] == Sealed(1, head(whole[18]), by_hand(whole[:19]))
    assert second[TABLE] == Sealed(18, head(whole[19]), by_hand(whole[17:]))


def test_what_lies_in_quarantine_has_its_place_in_the_seals(tmp_path: Path) -> None:
    """The log seals what it has without judging it; the archive must come to the same."""
    sent = play(TABLE, 3)
    settled = next(n for n, m in enumerate(sent) if isinstance(decode(m.value).event, BetSettled))
    bad = Outgoing(sent[settled].key, sent[settled].value[:-1])  # cut short: no event
    came = [*sent[:settled], bad, *sent[settled + 1 :]]
    take(ListLog(listed(came)), tmp_path)
    with Archive(tmp_path) as archive:
        entries = TableEntries(archive, TABLE)
        assert [one.message.value for one in entries.unread] == [bad.value]
        assert len(entries.between(1, 25)) == 25
        assert len(entries.first_claims(1, 25)) == 24
        assert entries.last == 25
        digest = hashlib.sha256(body_of(bad.value)).digest()
        assert entries.between(settled + 1, settled + 1)[0].hash == digest
    of_day = sealed_day(tmp_path, DAY)[TABLE]
    assert of_day == seal(came)
    assert isinstance(of_day, Sealed)
    assert of_day.first == 1
