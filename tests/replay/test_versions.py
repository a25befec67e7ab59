"""Rulebooks by id and date; rounds that cannot be replayed say why and are never guessed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from checks.audit import audit_file
from events.model import Envelope, RoundOpened
from replay.answer import Answer
from replay.fingerprint import fingerprint
from replay.registry import IDS, rulebooks
from tests.golden import load_all

GOLDEN = {golden.rulebook: golden for golden in reversed(load_all()) if golden.status == "settled"}
DATED = [book for book in rulebooks() if book.in_force_from is not None]


def answer(events: list[Envelope]) -> Answer:
    (found,) = audit_file(events)
    return found


def at(events: list[Envelope], moment: datetime) -> list[Envelope]:
    return [
        replace(event, at=moment + timedelta(seconds=n), table="T", seq=n + 1, device="console")
        for n, event in enumerate(events)
    ]


@pytest.mark.parametrize("book", DATED, ids=[book.id for book in DATED])
def test_in_force_from_the_hour_on(book) -> None:  # type: ignore[no-untyped-def]
    events = GOLDEN[book.id].events
    begins = book.in_force_from
    assert answer(at(events, begins)).status == "settled"
    early = answer(at(events, begins - timedelta(microseconds=1)))
    assert early.status == "unreplayable"
    assert early.lines == []
    assert [f.kind for f in early.findings] == ["rulebook_not_in_force"]


def test_a_rulebook_without_a_date_is_always_in_force() -> None:
    events = GOLDEN["blackjack-rws-v5"].events
    assert answer(at(events, datetime(2001, 1, 1, tzinfo=UTC))).status == "settled"


def test_an_unknown_rulebook_is_named_with_the_nearest() -> None:
    events = GOLDEN["blackjack-rws-v5"].events
    opened = events[0].event
    assert isinstance(opened, RoundOpened)
    changed = [replace(events[0], event=replace(opened, rulebook="blackjack-rws-v6")), *events[1:]]
    found = answer(changed)
    assert found.status == "unreplayable"
    (finding,) = found.findings
    assert finding.kind == "unknown_rulebook"
    assert "did you mean blackjack-rws-v5?" in finding.message


def test_a_round_without_its_opening_is_not_guessed() -> None:
    found = answer(GOLDEN["blackjack-rws-v5"].events[1:])
    assert found.status == "unreplayable"
    assert [f.kind for f in found.findings] == ["incomplete_round"]


def test_a_log_that_stops_is_incomplete() -> None:
    found = answer(GOLDEN["pontoon-plus-rws-v5"].events[:-1])
    assert found.status == "incomplete"
    assert "incomplete_round" in [f.kind for f in found.findings]


def test_each_rulebook_has_its_own_fingerprint() -> None:
    prints = [fingerprint(book_id) for book_id in IDS]
    assert len(set(prints)) == len(IDS)
    assert fingerprint("no-such-book") is None
