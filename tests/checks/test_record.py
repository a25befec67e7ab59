"""The record: each kind of damage is named at its event, and what is whole raises nothing.

Two rounds after a shoe's start: event 1, then 2 to 11 for A and 12 to 21 for B. Within a round:
opening, bet, close, three cards, stand, card, settled, closed (tests/checks/kit.py).
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from checks.around import Around
from checks.audit import audit_file
from checks.record.columns import is_whole
from checks.record.links import RecordLink
from checks.table_day import Rows
from events import codec
from events.archive.quarantine import Quarantined
from events.chain import Head
from tests.checks.kit import DAY, PlayedRecord, audit, columns, findings, kinds


def two_rounds() -> PlayedRecord:
    record = PlayedRecord()
    record.shoe()
    record.round("A")
    record.round("B")
    assert len(record.sent) == 21
    return record


def test_a_whole_record_raises_nothing() -> None:
    record = two_rounds()
    assert is_whole(columns(record.sent))
    assert kinds(audit(record.sent)) == []


def test_a_missing_event_is_a_gap_before_the_next() -> None:
    sent = two_rounds().sent
    del sent[14 - 1]  # the close of B's bets, which the first card stands in for
    rows = audit(sent)
    assert kinds(rows) == [("sequence_gap", "B", 15)]
    assert "event 14 of the table missing" in findings(rows)[0]["message"]


def test_an_event_that_came_twice_counts_once() -> None:
    sent = two_rounds().sent
    sent.insert(10, sent[9])  # A's settlement, event 10
    assert kinds(audit(sent)) == [("duplicate_event", "A", 10)]  # and no second payment


def test_a_stretch_that_came_twice_is_told_once_per_round() -> None:
    sent = two_rounds().sent
    rows = audit([*sent, *sent[4:7], *sent[14:16]])
    assert kinds(rows) == [("duplicate_event", "A", 5), ("duplicate_event", "B", 15)]
    assert "events 5 to 7 came a second time" in findings(rows)[0]["message"]


def test_of_two_events_with_one_number_the_chain_says_which_counts() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A", end=False)
    forged = PlayedRecord()
    forged.gateway.head = Head(9, codec.decode_record(record.sent[9])["prev"])
    forged.play("A", "settle 1 P1 initial 10.00 10.00 90.00")
    record.add("RoundClosed", "A")
    sent = [*record.sent[:9], forged.sent[0], *record.sent[9:]]
    rows = audit(sent)
    assert kinds(rows) == [("duplicate_event", "A", 10)]
    assert "with another content" in findings(rows)[0]["message"]


def test_events_in_the_wrong_order_are_put_in_order() -> None:
    sent = two_rounds().sent
    sent[4], sent[5] = sent[5], sent[4]
    assert kinds(audit(sent)) == [("out_of_order", "A", 5)]


def test_a_changed_event_breaks_the_chain_where_the_next_one_names_it() -> None:
    record = two_rounds()
    other = PlayedRecord()
    other.shoe()
    other.round("A", "KS", "9H", "QH", "KD")  # another suit, and the same money
    assert kinds(audit([*record.sent[:6], other.sent[6], *record.sent[7:]])) == [
        ("broken_chain", "A", 8)
    ]


def test_an_event_that_was_replaced_with_a_wrong_hash_is_one_finding() -> None:
    record = two_rounds()
    other = PlayedRecord()
    other.gateway.head = Head(6, b"x" * 32)
    other.draw = 2
    other.at += timedelta(seconds=6)
    other.play("A", "deal 1:QH")
    assert kinds(audit([*record.sent[:6], other.sent[0], *record.sent[7:]])) == [
        ("broken_chain", "A", 7)
    ]


def test_a_first_event_that_names_one_before_it() -> None:
    record = PlayedRecord()
    record.gateway.head = Head(0, b"x" * 32)
    record.shoe()
    record.round("A")
    assert kinds(audit(record.sent)) == [("broken_chain", None, 1)]


def test_a_clock_that_goes_back() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A", end=False)
    record.at -= timedelta(seconds=4)
    record.add("RoundClosed", "A")
    assert kinds(audit(record.sent)) == [("clock_backwards", "A", 11)]


def test_two_events_at_the_same_moment_are_in_order() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A", end=False)
    record.at -= timedelta(seconds=1)
    record.add("RoundClosed", "A")
    assert kinds(audit(record.sent)) == []


# the day before


def a_day_before(sent: list[bytes], seq: int) -> RecordLink:
    value = sent[seq - 1]
    return RecordLink(seq, None, None, None, codec.hash_body(codec.body_of(value)))


def test_a_day_goes_on_from_the_day_before() -> None:
    sent = two_rounds().sent
    around = Around(others=(a_day_before(sent, 11),))
    assert is_whole(columns(sent[11:]), around)
    assert kinds(audit(sent[11:], around)) == []


def test_a_day_that_does_not_go_on_from_the_day_before() -> None:
    sent = two_rounds().sent
    changed = a_day_before(sent, 11)._replace(hash=b"x" * 32)
    assert kinds(audit(sent[11:], Around(others=(changed,)))) == [("broken_chain", "B", 12)]
    assert kinds(audit(sent[11:], Around(others=(a_day_before(sent, 9),)))) == [
        ("sequence_gap", "B", 12)
    ]


def test_without_the_day_before_the_first_event_is_taken_as_it_is() -> None:
    assert kinds(audit(two_rounds().sent[11:])) == []


def test_what_another_day_holds_is_not_missing() -> None:
    sent = two_rounds().sent
    gone = sent.pop(11 - 1)  # A's close went into another day
    link = RecordLink(11, None, "A", None, codec.hash_body(codec.body_of(gone)))
    assert ("sequence_gap", "B", 12) not in kinds(audit(sent, Around(others=(link,))))
    assert ("sequence_gap", "B", 12) in kinds(audit(sent))


# checkpoints


def head(sent: list[bytes], seq: int) -> dict[int, bytes]:
    return {seq: codec.hash_body(codec.body_of(sent[seq - 1]))}


def test_a_record_that_ends_before_its_checkpoint_was_cut_off() -> None:
    sent = two_rounds().sent
    around = Around(known=head(sent, 21))
    assert kinds(audit(sent, around)) == []
    rows = audit(sent[:11], around)
    assert kinds(rows) == [("truncated", "A", 11)]
    assert "a checkpoint knows event 21" in findings(rows)[0]["message"]


def test_a_record_that_is_another_than_the_checkpoint_saw() -> None:
    sent = two_rounds().sent
    assert kinds(audit(sent, Around(known={11: b"x" * 32}))) == [("broken_chain", "A", 11)]
    assert kinds(audit(sent, Around(known=head(sent, 11)))) == []


# quarantine


def quarantined(value: bytes, **more: object) -> Quarantined:
    told: dict[str, object] = {"table": "T-1", "day": DAY} | more
    return Quarantined(
        source="file:test", partition=0, offset=99, key=b"T-1", raw=value,
        reason="no Avro", kind="undecodable", **told,  # type: ignore[arg-type]
    )  # fmt: skip


def test_an_unreadable_message_keeps_its_place_and_is_no_gap() -> None:
    sent = two_rounds().sent
    bad = quarantined(b"\xff\xff" + sent.pop(14 - 1)[2:])
    rows = audit(sent, Around(quarantined=(bad,)))
    assert kinds(rows) == [("undecodable", "B", 14)]


def test_an_unreadable_message_of_nobody_knows_where_fills_no_gap() -> None:
    sent = two_rounds().sent
    del sent[14 - 1]
    rows = audit(sent, Around(quarantined=(quarantined(b"rubbish"),)))
    assert kinds(rows) == [("sequence_gap", "B", 15), ("undecodable", None, None)]


def test_quarantine_of_another_day_is_told_there() -> None:
    sent = two_rounds().sent
    bad = quarantined(b"rubbish", day=DAY - timedelta(days=1))
    assert kinds(audit(sent, Around(quarantined=(bad,)))) == []


def test_unreadable_messages_without_a_place_have_ids_of_their_own() -> None:
    sent = two_rounds().sent
    some = (quarantined(b"one"), quarantined(b"two").__class__(
        "file:test", 0, 100, b"T-1", b"two", "no Avro", "undecodable", DAY, "T-1",
    ))  # fmt: skip
    ids = [f["id"] for f in findings(audit(sent, Around(quarantined=some)))]
    assert len(set(ids)) == 2


# the same ids in every run, and in a file


@pytest.mark.parametrize("damage", ["gap", "twice", "swapped"])
def test_a_file_gives_the_same_findings_as_the_archive(damage: str) -> None:
    sent = two_rounds().sent
    if damage == "gap":
        del sent[13]
    elif damage == "twice":
        sent.insert(14, sent[13])
    else:
        sent[13], sent[14] = sent[14], sent[13]
    from_archive = {f["id"]: f["kind"] for f in findings(audit(sent))}
    answers = audit_file([codec.decode(value) for value in sent])
    from_file = {f.id: f.kind for answer in answers for f in answer.findings}
    assert from_file == from_archive
    assert len(from_file) == 1


def test_a_file_tells_what_is_wrong_between_rounds_with_the_round_that_follows() -> None:
    record = PlayedRecord()
    record.round("A")
    record.add("TableClosed")
    record.add("TableOpened", rulebook="blackjack-rws-v5", currency="SGD")
    record.round("B")
    del record.sent[10]  # the closing of the table
    answers = {a.round: a for a in audit_file([codec.decode(value) for value in record.sent])}
    assert [f.kind for f in answers["A"].findings] == []
    (found,) = answers["B"].findings
    assert (found.kind, found.round, found.seq) == ("sequence_gap", None, 12)


# ids


def ids(rows: Rows) -> dict[tuple[object, ...], object]:
    return {(f["kind"], f["round"], f["seq"]): f["id"] for f in findings(rows)}


def test_an_event_that_comes_late_changes_no_id_of_what_comes_after_it() -> None:
    """P1 stands after he has surrendered, and the round has a gap before that: the missing events
    come later, and every finding that stays has the id it had."""
    record = PlayedRecord()
    record.shoe()
    record.open("A")
    record.play(
        "A",
        "bet 1 P1 initial 10.00",
        "bet 2 P2 initial 10.00",
        "close",
        "deal 1:KS 2:QH 0:9H 1:6S 2:9C",
        "surrender 1 P1",
        "stand 1 P1",
        "stand 2 P2",
        "deal 0:KD",
        "bet 2 P2 initial 5.00",
        "settle 1 P1 initial 10.00 5.00 0.00",
        "settle 2 P2 initial 10.00 0.00 0.00",
        "end",
    )
    whole, cut = ids(audit(record.sent)), ids(audit(record.sent[:3] + record.sent[4:]))
    both = whole.keys() & cut.keys()
    assert {kind for kind, _, _ in both} >= {"late_bet"}
    assert {key: whole[key] for key in both} == {key: cut[key] for key in both}


def test_the_file_and_the_night_give_one_id() -> None:
    """Of everything that both can see: a file has no bytes as they were sent, so no chain."""
    record = two_rounds()
    sent = [*record.sent[:5], *record.sent[6:9], record.sent[8], *record.sent[9:]]
    night = {str(f["id"]) for f in findings(audit(sent))}
    answers = audit_file([codec.decode(value) for value in sent])
    told = {f.id for answer in answers for f in answer.findings}
    assert told
    assert told <= night
