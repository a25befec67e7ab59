"""The chain: any single changed, dropped, doubled or swapped event is noticed and named."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from events import model as m
from events.chain import (
    ChainLink,
    ChainReport,
    ChainVerdict,
    Head,
    TableChain,
)
from events.codec import GENESIS, body_of, decode, decode_record, encode, hash_body
from events.errors import EvenhandError
from events.gateway import Gateway, heads_of
from events.log.base import Message, Outgoing
from tests.events.chain_kit import link_of, verify_chain
from tests.strategies import events, table_messages

AT = datetime(2026, 11, 15, tzinfo=UTC)
V = ChainVerdict
INTACT = frozenset({V.INTACT})


def played(count: int, gateway: Gateway | None = None) -> list[bytes]:
    """A table's first events."""
    gateway = gateway or Gateway("T1")
    return [
        gateway.send(m.CardBurnt(n, None), at=AT, device="shoe", round_="R1").value
        for n in range(1, count + 1)
    ]


def links(messages: list[bytes]) -> list[ChainLink]:
    return [link_of(decode_record(message), message) for message in messages]


def verify(messages: list[bytes], **options: object) -> ChainReport:
    return verify_chain("T1", links(messages), **options)  # type: ignore[arg-type]


def said(report: ChainReport) -> list[tuple[ChainVerdict, int, int, str]]:
    return [(b.verdict, b.first, b.last, b.message) for b in report.breaks]


def named(report: ChainReport, verdict: ChainVerdict) -> set[int]:
    """The events that a verdict names."""
    found = [b for b in report.breaks if b.verdict is verdict]
    return {n for b in found for n in range(b.first, b.last + 1)}


@given(table_messages())
def test_a_tables_events_are_intact(messages: list[Outgoing]) -> None:
    report = verify([x.value for x in messages])
    assert (report.verdicts, report.events) == (INTACT, len(messages))
    assert report.head == Head(len(messages), hash_body(body_of(messages[-1].value)))


@given(table_messages(min_size=2), st.data())
def test_any_changed_event_is_named(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    hit = data.draw(st.integers(0, len(values) - 2))
    old = decode(values[hit])
    change = data.draw(
        st.one_of(
            events().map(lambda e: {"event": e}),
            st.binary(min_size=32, max_size=32).map(lambda p: {"prev": p}),
            st.text(min_size=1).map(lambda r: {"round": r}),
        )
    )
    new = dataclasses.replace(old, **change)
    assume(new != old)
    values[hit] = encode(new)
    report = verify(values)
    assert report.verdicts == {V.BROKEN}
    assert hit + 1 in named(report, V.BROKEN)
    assert len(report.breaks) == 1


@given(table_messages(min_size=2), st.data())
def test_any_changed_byte_is_noticed(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    hit = data.draw(st.integers(0, len(values) - 2))
    position = data.draw(st.integers(10, len(values[hit]) - 1))
    changed = bytearray(values[hit])
    changed[position] ^= data.draw(st.integers(1, 255))
    quarantined = []
    try:
        decode(bytes(changed))
        values[hit] = bytes(changed)
    except EvenhandError:
        quarantined.append(bytes(changed))
        del values[hit]
    report = verify(values, quarantined=quarantined)
    assert V.INTACT not in report.verdicts


@given(table_messages(min_size=2), st.data())
def test_any_dropped_event_is_named(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    hit = data.draw(st.integers(0, len(values) - 2))
    del values[hit]
    report = verify(values)
    assert said(report) == [
        (
            V.MISSING,
            hit + 1,
            hit + 1,
            f"event {hit + 1} is missing: the next one that came is {hit + 2}",
        )
    ]


@given(table_messages(), st.data())
def test_any_cut_is_known_from_a_checkpoint(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    length = len(values)
    known = {length: hash_body(body_of(values[-1]))}
    assert verify(values, known=known).verdicts == INTACT
    kept = data.draw(st.integers(0, length - 1))
    report = verify(values[:kept], known=known)
    assert said(report) == [
        (
            V.TRUNCATED,
            kept + 1,
            length,
            f"the chain ends at event {kept}, but a checkpoint knows event {length}",
        )
    ]


@given(table_messages(), st.data())
def test_any_doubled_event_is_named(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    hit = data.draw(st.integers(0, len(values) - 1))
    again = data.draw(st.integers(hit + 1, len(values)))
    values.insert(again, values[hit])
    report = verify(values)
    assert said(report) == [
        (V.DUPLICATED, hit + 1, hit + 1, f"event {hit + 1} came a second time, after event {again}")
    ]


@given(table_messages(min_size=2), st.data())
def test_any_two_swapped_events_are_named(messages: list[Outgoing], data: st.DataObject) -> None:
    values = [x.value for x in messages]
    one = data.draw(st.integers(0, len(values) - 2))
    other = data.draw(st.integers(one + 1, len(values) - 1))
    values[one], values[other] = values[other], values[one]
    report = verify(values)
    assert report.verdicts == {V.OUT_OF_ORDER}
    assert named(report, V.OUT_OF_ORDER) == set(range(one + 1, other + 1))
    assert report.head.seq == len(values)


@given(st.permutations(range(8)))
def test_any_order_of_whole_events_is_never_broken(order: list[int]) -> None:
    values = played(8)
    report = verify([values[n] for n in order])
    expected = {V.OUT_OF_ORDER} if order != list(range(8)) else INTACT
    assert report.verdicts == expected


def test_a_rewritten_chain_is_known_from_a_kept_checkpoint() -> None:
    values = played(6)
    known = {4: hash_body(body_of(values[3]))}
    gateway = Gateway("T1")
    forged = [
        gateway.send(m.CardBurnt(99, None), at=AT, device="shoe", round_="R1").value
        for _ in range(6)
    ]
    assert verify(forged).verdicts == INTACT
    report = verify(forged, known=known)
    assert [(b.verdict, b.first) for b in report.breaks] == [(V.BROKEN, 4)]
    assert "is not the one that the checkpoint knows" in report.breaks[0].message


def test_a_missing_start_is_missing() -> None:
    assert said(verify(played(5)[2:])) == [
        (V.MISSING, 1, 2, "events 1 to 2 are missing: the next one that came is 3")
    ]


def test_a_first_event_that_names_another_before_it_is_broken() -> None:
    values = played(3, Gateway("T1", Head(0, b"x" * 32)))
    assert [(b.verdict, b.first) for b in verify(values).breaks] == [(V.BROKEN, 1)]


def test_a_part_of_a_chain_is_taken_from_where_it_begins() -> None:
    chain = TableChain("T1", start=None)
    for link in links(played(9)[4:]):
        chain.feed(link)
    assert chain.report().verdicts == INTACT


def test_a_chain_goes_on_over_days_and_restarts() -> None:
    gateway = Gateway("T1")
    first = played(3, gateway)
    stored = [Message(0, n, b"T1", v) for n, v in enumerate(first)]
    stored.append(Message(0, 3, b"T1", b"rubbish"))
    resumed = Gateway("T1", heads_of(stored)["T1"])
    assert resumed.head == gateway.head
    chain = TableChain("T1")
    for link in links(first):
        chain.feed(link)
    assert chain.report().verdicts == INTACT
    for link in links(played(3, resumed)):
        chain.feed(link)
    assert (chain.report().verdicts, chain.report().head.seq) == (INTACT, 6)


def garbled_chain(garbled: list[int]) -> tuple[list[bytes], list[bytes]]:
    """Five events, some of which the gateway sent in a form that nobody can read."""
    readable, unreadable, prev = [], [], GENESIS
    for seq in range(1, 6):
        event = m.Envelope(m.BetsClosed(), "R1", "T1", seq, AT, "console", prev)
        value = encode(event)
        if seq in garbled:
            value += b"more than the schema knows"
            unreadable.append(value)
        else:
            readable.append(value)
        prev = hash_body(body_of(value))
    return readable, unreadable


@pytest.mark.parametrize("garbled", [[2], [2, 3], [1], [1, 2, 3], [2, 4]])
def test_what_is_in_quarantine_keeps_its_place(garbled: list[int]) -> None:
    readable, unreadable = garbled_chain(garbled)
    assert named(verify(readable), V.MISSING) == set(garbled)
    report = verify(readable, quarantined=unreadable)
    assert (report.verdicts, report.events) == (INTACT, 5)
    assert named(verify(readable, quarantined=unreadable[1:]), V.MISSING) == {garbled[0]}


def test_bytes_in_quarantine_that_were_changed_fill_nothing() -> None:
    readable, [unreadable] = garbled_chain([3])
    report = verify(readable, quarantined=[unreadable + b"!"])
    assert named(report, V.MISSING) == {3}


def test_a_change_before_a_quarantined_event_is_noticed() -> None:
    readable, unreadable = garbled_chain([3])
    old = decode(readable[1])
    readable[1] = encode(dataclasses.replace(old, event=m.RoundClosed()))
    report = verify(readable, quarantined=unreadable)
    assert named(report, V.BROKEN) == {2}


def test_a_number_out_of_this_world_costs_no_memory() -> None:
    values = played(6)
    forged = encode(dataclasses.replace(decode(values[2]), seq=2**62))
    report = verify([*values[:2], forged, *values[3:]])
    assert named_range(report, V.MISSING) == [(3, 3), (7, 2**62 - 1)]
    assert V.OUT_OF_ORDER in report.verdicts


def named_range(report: ChainReport, verdict: ChainVerdict) -> list[tuple[int, int]]:
    return [(b.first, b.last) for b in report.breaks if b.verdict is verdict]


def test_two_contents_for_one_number_are_told() -> None:
    values = played(3)
    other = encode(dataclasses.replace(decode(values[2]), event=m.RoundClosed()))
    report = verify([*values, other])
    (found,) = report.breaks
    assert (found.verdict, found.first, found.last) == (V.DUPLICATED, 3, 3)
    assert found.message == "event 3 came a second time, after event 3, with another content"
    assert found.shown_by == link_of(decode_record(other), other)
