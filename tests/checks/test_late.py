"""Rounds that run into each other: earlier rounds stand once the next has begun (5.6, 5.13)."""

from __future__ import annotations

from checks.audit import audit as audit_one
from checks.audit import audit_file
from checks.context import NextRound
from checks.in_day import DayContexts
from checks.late import decides
from events import codec
from replay.columns import rounds_of
from replay.facts import Round
from replay.rounds import facts_of
from tests.checks.kit import DAY, PlayedRecord, audit, columns, findings, kinds


def a_round_then_the_next() -> PlayedRecord:
    record = PlayedRecord()
    record.shoe()
    record.round("A")
    record.open("B")
    return record


def end_of_b(record: PlayedRecord) -> None:
    record.play("B", "end")


def test_an_error_noted_after_the_next_round_began_changes_nothing() -> None:
    record = a_round_then_the_next()
    record.play("A", "note card_shortage by pit_supervisor")
    end_of_b(record)
    rows = audit(record.sent)
    assert [row[4] for row in rows.rounds] == ["settled", "settled"]
    assert kinds(rows) == []


def test_an_error_noted_before_the_next_round_began_voids_the_round() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A")
    record.play("A", "note card_shortage by pit_supervisor")
    record.open("B")
    end_of_b(record)
    rows = audit(record.sent)
    assert [row[4] for row in rows.rounds] == ["void", "settled"]
    assert [kind for kind, _, _ in kinds(rows)] == ["missed_void"]


def test_a_round_declared_void_after_the_next_began_is_void_without_a_ground() -> None:
    record = a_round_then_the_next()
    record.play("A", "void 5.5.2 by pit_manager a card was missing")
    record.play("A", "correct 1 P1 initial 10.00 10.00 0 void")
    end_of_b(record)
    rows = audit(record.sent)
    assert rows.rounds[0][4] == "settled"
    (found,) = findings(rows)
    assert (found["kind"], found["round"], found["money"]) == ("wrong_void", "A", -1000)


def test_a_correction_after_the_next_round_began_still_says_what_was_paid() -> None:
    record = PlayedRecord()
    record.shoe()
    record.open("A")
    record.play("A", "bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QS", "stand 1 P1")
    record.play("A", "deal 0:KD", "settle 1 P1 initial 10.00 0 0", "end")
    record.open("B")
    record.play("A", "correct 1 P1 initial 10.00 10.00 10.00 misread")
    end_of_b(record)
    assert [kind for kind, _, _ in kinds(audit(record.sent))] == ["corrected"]


def test_a_round_that_was_closed_only_after_the_next_opened() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A", end=False)
    record.open("B")
    closed = record.add("RoundClosed", "A")
    end_of_b(record)
    rows = audit(record.sent)
    assert kinds(rows) == [("incomplete_round", "A", closed)]
    assert "round B of the table opened before" in findings(rows)[0]["message"]


def test_a_round_that_was_never_closed_is_told_once() -> None:
    record = PlayedRecord()
    record.shoe()
    record.round("A", end=False)
    record.open("B")
    end_of_b(record)
    assert [(kind, round_) for kind, round_, _ in kinds(audit(record.sent))] == [
        ("incomplete_round", "A")
    ]


def test_a_file_says_the_same() -> None:
    record = a_round_then_the_next()
    record.play("A", "note card_shortage by pit_supervisor")
    end_of_b(record)
    answers = audit_file([codec.decode(value) for value in record.sent])
    assert [(a.round, a.status, a.findings) for a in answers] == [
        ("A", "settled", []),
        ("B", "settled", []),
    ]


def test_a_file_of_rounds_that_follow_one_another_has_nothing_late() -> None:
    record = a_round_then_the_next()
    end_of_b(record)
    answers = audit_file([codec.decode(value) for value in record.sent])
    assert [(a.round, a.status, a.findings) for a in answers] == [
        ("A", "settled", []),
        ("B", "settled", []),
    ]


def test_when_the_next_round_opened_decides_from_its_first_late_event_on() -> None:
    """One late note decides; a correction alone does not, nor what came in time."""
    in_time = a_round_then_the_next()
    corrected = a_round_then_the_next()
    corrected.play("A", "correct 1 P1 initial 10.00 10.00 10.00 misread")
    noted = a_round_then_the_next()
    noted.play("A", "note card_shortage by pit_supervisor")
    for record, expected in ((in_time, False), (corrected, False), (noted, True)):
        events = [codec.decode(value) for value in record.sent]
        opened = [e.seq for e in events if e.type == "RoundOpened"]
        first = next(round_ for round_ in facts_of(events) if round_.id == "A")
        assert decides(first, NextRound("B", opened[1] or 0)) is expected


def test_whoever_audits_a_round_leaves_its_facts_as_they_are() -> None:
    """Looked at twice, it gives one answer; what came late is in its facts all the same."""
    record = a_round_then_the_next()
    record.play("A", "note card_shortage by pit_supervisor", "void 5.5.2 by pit_manager missing")
    end_of_b(record)
    contexts = DayContexts(DAY, columns(record.sent))
    first, _ = rounds_of(contexts.events)
    before = facts(first)
    answers = [audit_one(first, contexts.of(first)).to_json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert [f["kind"] for f in answers[0]["findings"]] == ["wrong_void"]
    assert facts(first) == before
    assert (len(first.notes), len(first.voids)) == (1, 1)


def facts(round_: Round) -> dict[str, str]:
    return {name: repr(getattr(round_, name)) for name in Round.__slots__}


def test_the_next_round_counts_from_its_first_opening() -> None:
    """A was opened before B and named again after it: A does not follow B."""
    record = a_round_then_the_next()
    record.open("A")
    record.play("B", "note card_shortage by pit_supervisor", "end")
    rows = audit(record.sent)
    assert [(row[2], row[4]) for row in rows.rounds] == [("A", "settled"), ("B", "void")]
