"""What tables send as a record: the same bytes for the same seed, numbered, chained, in time."""

from __future__ import annotations

import ast
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

import events.devices
from events.chain import ChainVerdict, Head
from events.codec import decode, decode_record
from events.devices.cards import DECK_48, DECK_52
from events.devices.sender import DEVICE_OF, Sender
from events.gateway import Gateway
from events.model import (
    EVENT_TYPES,
    CardBurnt,
    CardDealt,
    RoundOpened,
    ShoeEnded,
    ShoeStarted,
    TableClosed,
    TableOpened,
)
from tests.devices.kit import an_order, envelopes, hours, values
from tests.events.chain_kit import link_of, verify_chain


def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_processes() -> None:
    order = an_order(tables=11, rounds=12, seed=3, irregularities=0.1, faults=0.1)
    one, two = hours(order), hours(order, processes=2)
    assert [h.messages for h in one] == [h.messages for h in two]
    assert [h.truths for h in one] == [h.truths for h in two]
    assert one[-1].tallies == two[-1].tallies


def test_another_seed_gives_another_day() -> None:
    assert values(hours(an_order(seed=1))) != values(hours(an_order(seed=2)))


def test_a_table_does_not_depend_on_the_others() -> None:
    few, many = values(hours(an_order(tables=4))), values(hours(an_order(tables=9)))
    assert few["RWS-PP-01"] == many["RWS-PP-01"]


def test_the_sender_writes_what_the_gateway_writes() -> None:
    table, sent = next(iter(envelopes(an_order(tables=1)).items()))
    gateway, sender = Gateway(table), Sender(table, Head())
    original = values(hours(an_order(tables=1)))[table]
    for envelope, value in zip(sent, original, strict=True):
        assert envelope.at is not None
        assert envelope.device is not None
        message = gateway.send(
            envelope.event, at=envelope.at, device=envelope.device, round_=envelope.round
        )
        assert message.value == value
    assert sender.seq == 0


def test_every_event_has_a_device() -> None:
    assert set(DEVICE_OF) == set(EVENT_TYPES)


@pytest.fixture(scope="module")
def busy_day() -> dict[str, list[bytes]]:
    return values(hours(an_order(tables=10, rounds=60, seed=5, irregularities=0.2)))


def test_chains_are_intact(busy_day: dict[str, list[bytes]]) -> None:
    for table, messages in busy_day.items():
        links = [link_of(decode_record(value), value) for value in messages]
        assert verify_chain(table, links).verdicts == {ChainVerdict.INTACT}


def test_times_go_forward_within_the_gaming_day(busy_day: dict[str, list[bytes]]) -> None:
    order = an_order()
    start = datetime.fromtimestamp(order.start_us / 1e6, UTC)
    end = datetime.fromtimestamp(order.end_us / 1e6, UTC)
    for messages in busy_day.values():
        times = [decode_record(value)["at"] for value in messages]
        assert times == sorted(times)
        assert start <= times[0]
        assert times[-1] < end


def test_a_day_opens_and_closes(busy_day: dict[str, list[bytes]]) -> None:
    for messages in busy_day.values():
        events = [decode(value) for value in messages]
        assert isinstance(events[0].event, TableOpened)
        assert isinstance(events[-1].event, TableClosed)
        opened = [e.round for e in events if isinstance(e.event, RoundOpened)]
        assert len(opened) == len(set(opened)) == 60


def test_no_shoe_deals_a_card_it_does_not_have(busy_day: dict[str, list[bytes]]) -> None:
    for table, messages in busy_day.items():
        deck = DECK_52 if "-BJ-" in table or "-3C-" in table else DECK_48
        shoe, seen, draws = ShoeStarted("", 1, True), Counter[str](), 0
        foreign = doubled = 0
        for envelope in map(decode, messages):
            event = envelope.event
            if isinstance(event, ShoeStarted):
                shoe, seen, draws = event, Counter(), 0
            elif isinstance(event, CardDealt | CardBurnt):
                draws += 1
                assert event.draw == draws
                if event.card in deck:
                    seen[event.card] += 1
                else:
                    foreign += 1
            elif isinstance(event, ShoeEnded):
                assert event.shoe == shoe.shoe
                assert event.cards_left == shoe.decks * len(deck) - draws
                doubled += sum(1 for n in seen.values() if n > shoe.decks)
        # only an irregularity shows a card that should not be there
        notes = Counter(
            decode_record(v)["event"][1]["kind"]
            for v in messages
            if decode_record(v)["event"][0] == "IrregularityNoted"
        )
        assert foreign == notes["foreign_card"]
        assert doubled <= notes["card_excess"]


def test_a_full_day_lasts_as_long_as_the_table_is_open() -> None:
    sent = values(hours(an_order(tables=1, rounds=None)))["RWS-PP-01"]
    times = [decode_record(value)["at"] for value in sent]
    assert (times[-1] - times[0]).total_seconds() > 23.5 * 3600


def test_many_rounds_fit_into_the_day() -> None:
    sent = values(hours(an_order(tables=1, rounds=3_000, rulebook="blackjack-rws-v5")))
    times = [decode_record(v)["at"] for v in sent["RWS-BJ-01"]]
    assert (times[-1] - times[0]).total_seconds() < 24 * 3600


def test_nothing_here_imports_the_audit() -> None:
    for path in Path(events.devices.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert name.split(".")[0] not in {"replay", "checks", "pipelines"}, path
