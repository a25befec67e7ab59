"""The watcher by itself: messages in, words out."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from events.archive.ingest import source_of
from events.gateway import Gateway
from events.log.base import Message
from events.log.files.log import FileLog
from events.model import HeadSigned, RoundClosed, RoundVoided
from pipelines.watch.table import KEEP_ROUNDS, MOST_EVENTS, SLACK_ROUNDS
from pipelines.watch.watcher import Watcher
from tests.pipelines.kit import (
    BOOK,
    MORNING,
    TABLE,
    ask,
    correction,
    opening,
    played,
    won_round,
)
from tests.watch.kit import Heard, as_night, messages, of_night


def test_what_it_told_in_the_end_is_what_the_night_finds(floor: Path) -> None:
    """Every round has a planted fault, each kind in turn."""
    log = FileLog(floor / "log")
    heard, watcher = Heard(), Watcher(source_of(log))
    for message in log.read({}):
        heard.hear(watcher.take(message))
    heard.hear(watcher.day_over(lambda opened_us: True))
    night = of_night(floor)
    assert as_night(heard.stands) == night
    kinds = {kind for kind, _, _ in night.values()}
    assert {"broken_chain", "sequence_gap", "undecodable", "incomplete_round"} <= kinds
    assert {"out_of_order", "duplicate_event", "clock_backwards", "shoe_mismatch"} <= kinds


def test_a_finding_is_told_when_its_round_closes_and_withdrawn_when_it_was_put_right() -> None:
    gateway = Gateway(TABLE)
    sent = messages(played([won_round(0, winnings=3000)], gateway))
    heard, watcher = Heard(), Watcher("file:x")
    for message in sent[:-1]:
        assert heard.hear(watcher.take(message)) == []
    heard.hear(watcher.take(sent[-1]))
    assert heard.kinds == [("finding", "wrong_odds")]
    name = f"{TABLE}-000002"
    at = MORNING + timedelta(minutes=5)
    fixed = gateway.send(correction(), at=at, device="console", round_=name)
    heard.hear(watcher.take(Message(0, 99, fixed.key, fixed.value)))
    assert heard.kinds[1:] == [("withdrawn", "wrong_odds"), ("finding", "corrected")]


def test_events_that_come_in_any_order_and_twice_end_in_the_same_findings() -> None:
    """A round's end comes before its middle, and everything comes a second time."""
    sent = messages(played([won_round(0, winnings=3000), won_round(1)]))
    ordered, mixed = Heard(), Heard()
    first, second = Watcher("file:x"), Watcher("file:x")
    for message in sent:
        ordered.hear(first.take(message))
    for message in [*sent[:4], *sent[7:], *sent[4:7], *sent]:
        mixed.hear(second.take(message))
    wanted = set(ordered.stands)
    assert wanted < set(mixed.stands)
    rest = {mixed.stands[id_]["kind"] for id_ in set(mixed.stands) - wanted}
    assert rest == {"out_of_order", "duplicate_event"}
    assert ("withdrawn", "sequence_gap") in mixed.kinds


def test_a_round_that_never_ends_is_judged_when_others_have_closed() -> None:
    rounds = [won_round(0)[:-1], *(won_round(n + 1) for n in range(2))]
    heard, watcher = Heard(), Watcher("file:x")
    for message in messages(played(rounds)):
        heard.hear(watcher.take(message))
    assert heard.kinds == [("finding", "incomplete_round")]


def test_a_table_that_opens_a_round_and_falls_silent_is_told_when_its_day_is_over() -> None:
    heard, watcher = Heard(), Watcher("file:x")
    for message in messages(played([won_round(0)[:5]])):
        heard.hear(watcher.take(message))
    assert heard.hear(watcher.day_over(lambda opened_us: False)) == []
    heard.hear(watcher.day_over(lambda opened_us: True))
    assert ("finding", "incomplete_round") in heard.kinds
    assert heard.hear(watcher.day_over(lambda opened_us: True)) == []


def test_the_window_has_a_bound_in_rounds_and_in_events() -> None:
    gateway = Gateway(TABLE)
    watcher = Watcher("file:x")
    many = [won_round(n % 3) for n in range(3 * KEEP_ROUNDS)]
    endless = [opening("SH-2"), *[won_round(0)[1]] * (2 * MOST_EVENTS)]
    for message in messages(played([*many, endless], gateway)):
        watcher.take(message)
        table = watcher.tables[TABLE]
        assert len(table.rounds) <= KEEP_ROUNDS + SLACK_ROUNDS
        assert len(table.events) <= MOST_EVENTS
    assert watcher.late, "the archive is asked about the round that was too long"


def test_no_message_stops_it() -> None:
    """Bytes that are no event, keys that name nobody, an event of nowhere, clocks that jump."""
    sent = messages(played([won_round(0), won_round(1), won_round(2)]))
    gateway = Gateway("RWS-PP-99")
    odd = [
        Message(0, 500, None, b"\xff\xff"),
        Message(0, 501, TABLE.encode(), b""),
        Message(0, 502, b"\xff", sent[0].value),
        Message(0, 503, None, b"", damage="a part of the log is damaged"),
    ]
    for n, year in enumerate((1, 9999, 2026, 1970)):
        at = MORNING.replace(year=year)
        out = gateway.send(RoundClosed(), at=at, device="console", round_=f"lost-{n}")
        odd.append(Message(0, 600 + n, out.key, out.value))
    heard, watcher = Heard(), Watcher("file:x")
    for at, message in enumerate(sent):
        heard.hear(watcher.take(message))
        if at < len(odd):
            heard.hear(watcher.take(odd[at]))
    heard.hear(watcher.day_over(lambda opened_us: True))
    assert heard.kinds.count(("finding", "undecodable")) == 4
    assert sum(w.what == "round" and w.table == TABLE for w in heard.words) == 3


def test_a_void_that_comes_after_the_close_is_judged_again() -> None:
    gateway = Gateway(TABLE)
    heard, watcher = Heard(), Watcher("file:x")
    for message in messages(played([won_round(0)], gateway)):
        heard.hear(watcher.take(message))
    assert heard.kinds == []
    void = RoundVoided("pit_manager", "5.5.1", "by mistake")
    at, name = MORNING + timedelta(minutes=3), f"{TABLE}-000002"
    out = gateway.send(void, at=at, device="console", round_=name)
    heard.hear(watcher.take(Message(0, 70, out.key, out.value)))
    assert ("finding", "discretion") in heard.kinds or ("finding", "wrong_void") in heard.kinds


def test_a_signature_is_no_play() -> None:
    gateway = Gateway(TABLE)
    heard, watcher = Heard(), Watcher("file:x")
    sent = [*played([won_round(0)], gateway)]
    at = MORNING + timedelta(minutes=2)
    sent.append(gateway.send(HeadSigned("K1", bytes(64)), at=at, device="gateway"))
    sent += played([won_round(1)], gateway, at)
    for message in messages(sent):
        heard.hear(watcher.take(message))
    assert heard.kinds == []
    assert [w.what for w in heard.words] == ["round", "round"]
    assert BOOK in watcher.tables[TABLE].events[0].event.event.rulebook  # type: ignore[attr-defined]


def test_what_only_the_night_finds_is_of_rounds_that_were_marked_open(floor: Path) -> None:
    """Tables that share a meter: the night adds what they show together, and withdraws nothing."""
    log = FileLog(floor / "log")
    heard, watcher = Heard(), Watcher(source_of(log))
    for message in log.read({}):
        heard.hear(watcher.take(message))
    heard.hear(watcher.day_over(lambda opened_us: True))
    night = {id_: (kind, r) for id_, kind, r in ask(floor, "SELECT id, kind, round FROM findings")}
    late = {id_: night[id_] for id_ in night.keys() - heard.stands.keys()}
    assert heard.stands.keys() <= night.keys()
    assert {kind for kind, _ in late.values()} == {"meter_mismatch"}
    marked = {w.round: json.loads(w.body)["open"] for w in heard.words if w.what == "round"}
    assert all("meter" in marked[round_] for _, round_ in late.values() if round_ is not None)


CONTRACT = {
    *("id", "kind", "severity", "table", "round", "seq", "box", "hand", "player", "bet"),
    *("expected", "recorded", "money", "clauses", "message", "too_much", "too_little"),
}


def test_a_line_is_read_by_somebody_who_knows_only_the_contract(floor: Path) -> None:
    """A finding stands under `finding` with the fields of section 6, a round's end as id and
    status; what else is told has neither name."""
    log = FileLog(floor / "log")
    watcher = Watcher(source_of(log))
    words = [word for message in log.read({}) for word in watcher.take(message)]
    lines = [json.loads(json.dumps(word.to_json())) for word in words]
    found = [line["finding"] for line in lines if "finding" in line]
    assert found
    assert all(CONTRACT >= one.keys() >= CONTRACT - {"too_much", "too_little"} for one in found)
    ended = [line for line in lines if "round" in line]
    assert {line["status"] for line in ended} <= {"settled", "void", "incomplete", "unreplayable"}
    assert all(isinstance(line["round"], str) for line in ended)
    rest = [line for line in lines if "finding" not in line and "round" not in line]
    assert all("withdrawn" in line for line in rest)
