"""The life of a shoe: what no single round shows. Blackjack's decks have 52 cards, Pontoon's 48."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from checks.audit import audit_file
from checks.shoes.columns import adds_up, check_shoes
from checks.shoes.walk import TYPES, ShoeStep, deck_size, shoe_problems, shoe_step
from events import codec
from replay.registry import IDS
from tests.checks.kit import PlayedRecord, audit, columns, findings, kinds

DECKS = {
    "pontoon-plus-rws-v5": 48,
    "blackjack-rws-v5": 52,
    "three-card-poker-rws-v3": 52,
    "pontoon-pandemonium-rws-v4": 48,
    "pontoon-mbs-v5": 48,
}


def test_every_rulebook_says_how_many_cards_its_deck_has() -> None:
    assert {book: deck_size(book) for book in IDS} == DECKS


def a_shoe(decks: int = 6) -> PlayedRecord:
    record = PlayedRecord()
    record.shoe(decks=decks)
    record.round("A")
    record.round("B")
    return record


def test_a_shoe_that_adds_up() -> None:
    record = a_shoe()
    record.end_shoe(6 * 52 - 8)
    assert adds_up(columns(record.sent))
    assert kinds(audit(record.sent)) == []


@pytest.mark.parametrize("off", [-1, 1])
def test_a_count_at_the_end_that_is_off(off: int) -> None:
    record = a_shoe()
    seq = record.end_shoe(6 * 52 - 8 + off)
    rows = audit(record.sent)
    assert kinds(rows) == [("shoe_mismatch", "B", seq)]
    assert f"{6 * 52 - 8 + off} cards left" in findings(rows)[0]["message"]


def test_one_card_and_one_deck_are_not_said_as_many() -> None:
    book = "blackjack-rws-v5"
    steps = [
        ShoeStep("ShoeStarted", 1, None, "S1", 1),
        ShoeStep("RoundOpened", 2, "A", "S1", 1, book),
        ShoeStep("ShoeEnded", 3, None, "S1", cards_left=1),
        ShoeStep("ShoeStarted", 4, None, "S2", 2),
        ShoeStep("RoundOpened", 5, "B", "S2", 1, book),
    ]
    assert [found.says for found in shoe_problems(steps)] == [
        "shoe S1 ended with 1 card left; 1 deck of 52 less 0 drawn leave 52",
        "says 1 deck, but shoe S2 was started with 2",
    ]


def test_a_count_that_is_known_to_be_off_is_no_news() -> None:
    record = PlayedRecord()
    record.shoe()
    record.open("A")
    record.play("A", "bet 1 P1 initial 10.00", "close", "note card_shortage", "void 5.5.2")
    record.play("A", "settle 1 P1 initial 10.00 10.00 0", "end")
    record.end_shoe(6 * 52 - 1)
    assert "shoe_mismatch" not in {kind for kind, _, _ in kinds(audit(record.sent))}


def four_decks(*thirds: str) -> PlayedRecord:
    """Rounds whose first card is always the king of spades, as many as are named."""
    record = PlayedRecord()
    record.shoe(decks=4)
    for number in range(len(thirds)):
        name = "ABCDEFG"[number]
        record.open(name, decks=4)
        record.play(
            name,
            "bet 1 P1 initial 10.00",
            "close",
            f"deal 1:KS 0:9H 1:{thirds[number]}",
            "stand 1 P1",
            "deal 0:KD" if number % 2 else "deal 0:KC",
            "settle 1 P1 initial 10.00 10.00 10.00",
            "end",
        )
    return record


def test_a_card_that_came_as_often_as_there_are_decks() -> None:
    assert kinds(audit(four_decks("QS", "QH", "QD", "QC").sent)) == []


def test_a_card_that_came_once_too_often_over_the_rounds_of_a_shoe() -> None:
    record = four_decks("QS", "QH", "QD", "QC", "JS")
    rows = audit(record.sent)
    found = [(f["kind"], f["round"]) for f in findings(rows)]
    assert found == [("shoe_mismatch", "E"), ("shoe_mismatch", "E")]  # KS, and the dealer's 9H
    messages = " ".join(f["message"] for f in findings(rows))
    assert "KS came out of shoe S1 5 times" in messages
    assert "9H came out of shoe S1 5 times" in messages


def test_a_card_too_many_within_one_round_is_that_round_s_own_void() -> None:
    record = PlayedRecord()
    record.shoe(decks=4)
    record.open("A", decks=4)
    record.play("A", *[f"bet {box} P{box} initial 10.00" for box in range(1, 6)], "close")
    record.play("A", "deal 1:KS 2:KS 3:KS 4:KS 5:KS 0:9H", "end")
    assert "shoe_mismatch" not in {kind for kind, _, _ in kinds(audit(record.sent))}


def test_a_draw_that_was_skipped() -> None:
    record = a_shoe()
    record.draw += 1
    record.round("C")
    rows = audit(record.sent)
    assert kinds(rows) == [("shoe_mismatch", "C", 25)]  # C's first card
    assert "draw 9 of shoe S1 never came" in findings(rows)[0]["message"]


def test_a_draw_that_came_again() -> None:
    record = a_shoe()
    record.draw -= 1
    record.round("C")
    rows = audit(record.sent)
    assert [(f["kind"], f["round"]) for f in findings(rows)] == [("shoe_mismatch", "C")]
    assert "draw 8 of shoe S1 came again" in findings(rows)[0]["message"]


def test_a_shoe_that_does_not_begin_at_its_first_card() -> None:
    record = PlayedRecord()
    record.shoe()
    record.draw = 3
    record.round("A")
    assert kinds(audit(record.sent)) == [("shoe_mismatch", "A", 5)]


def test_a_shoe_that_was_in_play_before_may_begin_anywhere() -> None:
    record = PlayedRecord()
    record.draw = 100
    record.round("A")
    record.end_shoe(6 * 52 - 104)
    assert kinds(audit(record.sent)) == []


def test_a_skip_is_explained_by_events_that_are_missing() -> None:
    record = a_shoe()
    del record.sent[16 - 1]  # B's second card
    assert "shoe_mismatch" not in {kind for kind, _, _ in kinds(audit(record.sent))}


def test_a_round_that_says_another_number_of_decks() -> None:
    record = PlayedRecord()
    record.shoe(decks=6)
    record.open("A", decks=8)
    record.play("A", "end")
    assert ("shoe_mismatch", "A", 2) in kinds(audit(record.sent))


def test_two_shoes_in_turn_do_not_mix() -> None:
    record = PlayedRecord()
    record.shoe("S1")
    record.round("A")
    record.end_shoe(6 * 52 - 4, "S1")
    record.shoe("S2")
    record.open("B", shoe="S2")
    record.play("B", "bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QS", "stand 1 P1")
    record.play("B", "deal 0:KD", "settle 1 P1 initial 10.00 10.00 10.00", "end")
    record.end_shoe(6 * 52 - 4, "S2")
    assert kinds(audit(record.sent)) == []


def test_a_file_gives_the_same_finding() -> None:
    record = a_shoe()
    record.draw += 1
    record.round("C")
    answers = audit_file([codec.decode(value) for value in record.sent])
    in_file = [f.id for answer in answers for f in answer.findings]
    assert in_file == [f["id"] for f in findings(audit(record.sent))]


def test_hand_written_rounds_without_numbers_are_not_held_to_a_shoe() -> None:
    record = a_shoe()
    record.draw -= 3
    record.round("C")
    events = [codec.decode(value) for value in record.sent]
    for event in events:
        object.__setattr__(event, "seq", None)
    assert [f.kind for answer in audit_file(events) for f in answer.findings] == []


def _shoes_by_chance(rng: Random) -> list[bytes]:
    """Six shoes of three rounds, some of them wrong in one way or another."""
    record = PlayedRecord()
    for n in range(6):
        name, wrong = f"S{n}", rng.choice(("", "", "", "end", "skip", "again", "decks", "noted"))
        if rng.random() < 0.06:
            name = "S0"  # a shoe that comes back
        record.rulebook = "blackjack-rws-v99" if rng.random() < 0.1 else "blackjack-rws-v5"
        record.shoe(name, decks=2)
        for m in range(3):
            id_ = f"{n}{m}"
            record.draw += {"skip": 2, "again": -1}.get(wrong, 0) if m == 1 else 0
            record.open(id_, shoe=name, decks=3 if wrong == "decks" and m == 2 else 2)
            record.play(id_, "bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H")
            if wrong == "noted" and m == 1:
                record.play(id_, "note card_shortage")
            if rng.random() < 0.05:
                record.end_shoe(9, name)  # the round goes on past the end of its shoe
            record.play(id_, "deal 1:QS", "stand 1 P1", "deal 0:KD", "end")
        left = 2 * 52 - record.draw + (wrong == "end") - (wrong == "noted")
        record.end_shoe(left, name)
    sent = record.sent
    for _ in range(rng.choice((0, 0, 1, 2))):
        del sent[rng.randrange(len(sent))]
    return sent


def test_the_shoes_in_doubt_are_told_as_the_walk_along_all_of_them_tells_it() -> None:
    told = 0
    for seed in range(120):
        sent = _shoes_by_chance(Random(seed))
        events = [codec.decode(value) for value in sent]
        steps = [shoe_step(e, e.seq or 0) for e in events if e.type in TYPES]
        seqs = [e.seq or 0 for e in events]
        gaps = [b for a, b in pairwise(seqs) if b > a + 1]
        expected = shoe_problems(steps, gaps)
        assert check_shoes(columns(sent)) == expected, seed
        told += bool(expected)
    assert told > 60
