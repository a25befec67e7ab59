"""The contract's JSON: any event there and back, and a sentence for each way to break it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.contract import ENVELOPE_FIELDS
from events.errors import ContractError, EvenhandError, InputError
from events.jsonl import dumps, from_flat, loads, read_lines, to_flat
from events.model import Envelope, RoundClosed
from tests.strategies import envelopes


@given(envelopes())
def test_any_event_goes_to_json_and_back(envelope: Envelope) -> None:
    assert loads(dumps(envelope)) == envelope


@given(envelopes())
def test_nulls_may_be_left_out(envelope: Envelope) -> None:
    flat = {name: value for name, value in to_flat(envelope).items() if value is not None}
    assert from_flat(flat) == envelope


@given(envelopes(), st.sets(st.sampled_from(sorted(set(ENVELOPE_FIELDS) - {"round"}))))
def test_a_written_round_may_leave_out_the_envelope(envelope: Envelope, out: set[str]) -> None:
    flat = {name: value for name, value in to_flat(envelope).items() if name not in out}
    found = from_flat(flat)
    assert found.event == envelope.event
    assert all(getattr(found, name) is None for name in out)


@given(st.text(max_size=60))
def test_any_text_is_an_event_or_one_sentence(text: str) -> None:
    with pytest.raises(EvenhandError):
        loads(text)


BET = {
    "type": "BetPlaced",
    "round": "R1",
    "box": 2,
    "hand": 1,
    "player": "P1",
    "bet": "initial",
    "amount": 2500,
    "seated": True,
}
OPENED = {
    "type": "RoundOpened",
    "round": "R1",
    "rulebook": "blackjack-rws-v5",
    "shoe": "S1",
    "decks": 8,
    "boxes": 7,
    "limits": {"initial": {"min": 100, "max": 10000}},
}
MOVED = {"type": "CardsMoved", "round": "R1", "moves": [{"draw": 3, "box": 1, "hand": 1}]}
DEALT = {
    "type": "CardDealt",
    "round": "R1",
    "draw": 1,
    "box": 1,
    "hand": 1,
    "card": "AS",
    "face_up": True,
}
GONE = object()
BETS = (
    "ante, bonus, double, initial, insurance, over_13, pair_plus, pandemonium, play, player_pair, "
    "progressive, split, under_13"
)
PLACE = "expected both 0 for the dealer or both from 1 on"
EVERY = "expected one of the contract's events"

# (an event, what is changed in it, the sentence)
BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (BET, {"type": GONE}, "field type is missing: expected the name of an event"),
    (BET, {"type": 7}, f"unknown event type 7: {EVERY}"),
    (
        BET,
        {"type": "BetPlace"},
        f'unknown event type "BetPlace": {EVERY} (did you mean BetPlaced?)',
    ),
    (BET, {"amount": GONE}, "BetPlaced: field amount is missing"),
    (BET, {"amount": None}, "BetPlaced, amount: expected a value, found null"),
    (BET, {"amount": 0}, "BetPlaced, amount: expected an integer of at least 1, found 0"),
    (BET, {"amount": -5}, "BetPlaced, amount: expected an integer of at least 1, found -5"),
    (BET, {"amount": 25.0}, "BetPlaced, amount: expected an integer of at least 1, found 25.0"),
    (BET, {"amount": "25"}, 'BetPlaced, amount: expected an integer of at least 1, found "25"'),
    (BET, {"amount": True}, "BetPlaced, amount: expected an integer of at least 1, found true"),
    (
        BET,
        {"amount": 2**63},
        "BetPlaced, amount: expected at most 9223372036854775807, found 9223372036854775808",
    ),
    (
        BET,
        {"bet": "insurence"},
        f'BetPlaced, unknown bet "insurence": expected one of {BETS} (did you mean insurance?)',
    ),
    (BET, {"bet": "super_bonus"}, f'BetPlaced, unknown bet "super_bonus": expected one of {BETS}'),
    (BET, {"bet": [1]}, f"BetPlaced, unknown bet [1]: expected one of {BETS}"),
    (BET, {"box": 0}, "BetPlaced, box: expected an integer 1 to 99, found 0"),
    (BET, {"box": 100}, "BetPlaced, box: expected an integer 1 to 99, found 100"),
    (BET, {"hand": 10}, "BetPlaced, hand: expected an integer 1 to 9, found 10"),
    (BET, {"seated": 1}, "BetPlaced, seated: expected a boolean, found 1"),
    (BET, {"player": ""}, 'BetPlaced, player: expected text that is not empty, found ""'),
    (BET, {"player": 5}, "BetPlaced, player: expected text that is not empty, found 5"),
    (
        BET,
        {"amout": 5},
        "BetPlaced: field amout is not in the contract (did you mean amount?)",
    ),
    (BET, {"colour": "red"}, "BetPlaced: field colour is not in the contract"),
    (
        BET,
        {"round": GONE},
        "BetPlaced: field round is missing; only events between rounds have none",
    ),
    (BET, {"round": 9}, "BetPlaced, round: expected text that is not empty, found 9"),
    (BET, {"table": ""}, 'BetPlaced, table: expected text that is not empty, found ""'),
    (BET, {"seq": 0}, "BetPlaced, seq: expected an integer of at least 1, found 0"),
    (
        BET,
        {"device": "tablet"},
        'BetPlaced, unknown device "tablet": expected one of console, gateway, jackpot, '
        "layout, shoe",
    ),
    (
        BET,
        {"at": "2026-11-15 23:41:07"},
        'at: expected UTC like 2026-11-15T23:41:07.123456Z, found "2026-11-15 23:41:07"',
    ),
    (
        BET,
        {"at": "2026-02-30T00:00:00Z"},
        'at: expected UTC like 2026-11-15T23:41:07.123456Z, found "2026-02-30T00:00:00Z"',
    ),
    (BET, {"at": 5}, "at: expected UTC like 2026-11-15T23:41:07.123456Z, found 5"),
    (BET, {"prev": "ab"}, 'prev: expected 64 lower-case hex digits, found "ab"'),
    (
        {"type": "DecisionMade", "round": "R1", "box": 1, "hand": 1, "player": "P1"},
        {"decision": "hitt"},
        'DecisionMade, unknown decision "hitt": expected one of double, even_money, fold, hit, '
        "play, split, stand, surrender, withdraw_double (did you mean hit?)",
    ),
    (
        {"type": "IrregularityNoted", "round": "R1", "by": "dealer"},
        {"kind": "earthquake"},
        'IrregularityNoted, unknown kind "earthquake": expected one of bet_error, card_excess, '
        "card_exposed, card_face_up_in_shoe, card_shortage, cards_to_empty_box, dealing_error, "
        "extra_hand_examined, foreign_card, insufficient_cards, jackpot_malfunction, "
        "missing_burn, not_shuffled, player_left, simultaneous_cards, technical_interruption, "
        "wrong_card_count",
    ),
    (
        {"type": "RoundVoided", "round": "R1", "clause": "5.1", "reason": ""},
        {"by": "boss"},
        'RoundVoided, unknown by "boss": expected one of dealer, pit_manager, pit_supervisor, '
        "shift_manager, surveillance, system",
    ),
    (
        {"type": "OptionTaken", "round": "R1", "box": 1, "player": "P1"},
        {"option": "leave"},
        'OptionTaken, unknown option "leave": expected one of continue, take_back',
    ),
    (
        {"type": "RulingMade", "round": "R1", "by": "pit_manager", "clause": "5"},
        {"ruling": "maybe"},
        'RulingMade, unknown ruling "maybe": expected one of card_order, '
        "intentional_examination, not_reconstructable, other, reconstructable, "
        "unintentional_examination",
    ),
    (
        BET,
        {
            "type": "BetSettled",
            "amount": GONE,
            "seated": GONE,
            "stake": 1,
            "stake_returned": 0,
            "winnings": 0,
            "phase": "last",
        },
        'BetSettled, unknown phase "last": expected one of final, interim',
    ),
    (DEALT, {"box": 0}, f"CardDealt, box 0, hand 1: {PLACE}"),
    (DEALT, {"card": ""}, 'CardDealt, card: expected text that is not empty, found ""'),
    (DEALT, {"draw": 2**31}, f"CardDealt, draw: expected at most {2**31 - 1}, found {2**31}"),
    (
        OPENED,
        {"limits": {}},
        "RoundOpened, limits: expected a map from bet to min and max, found {}",
    ),
    (
        OPENED,
        {"limits": [1]},
        "RoundOpened, limits: expected a map from bet to min and max, found [1]",
    ),
    (
        OPENED,
        {"limits": {"initial": 5}},
        "RoundOpened, limits.initial: expected min, max, found 5",
    ),
    (
        OPENED,
        {"limits": {"initial": {"min": 1}}},
        "RoundOpened, limits.initial: field max is missing",
    ),
    (
        OPENED,
        {"limits": {"initial": {"min": 1, "max": -1}}},
        "RoundOpened, limits.initial: max: expected an integer of at least 0, found -1",
    ),
    (
        OPENED,
        {"limits": {"initial": {"min": 1, "max": 2, "step": 1}}},
        "RoundOpened, limits.initial: field step is not in the contract",
    ),
    (
        OPENED,
        {"limits": {"first": {"min": 1, "max": 2}}},
        f'RoundOpened, limits: unknown bet "first": expected one of {BETS}',
    ),
    (
        OPENED,
        {"dealt_from": "bag"},
        'RoundOpened, unknown dealt_from "bag": expected one of shoe, shuffler',
    ),
    (
        MOVED,
        {"moves": []},
        "CardsMoved, moves: expected a list of moved cards that is not empty, found []",
    ),
    (
        MOVED,
        {"moves": [{"draw": 1, "box": 1, "hand": 1}, 5]},
        "CardsMoved, moves, entry 2: expected draw, box, hand, found 5",
    ),
    (
        MOVED,
        {"moves": [{"draw": 1, "box": 0, "hand": 2}]},
        f"CardsMoved, moves, entry 1: box 0, hand 2: {PLACE}",
    ),
]


@pytest.mark.parametrize(("event", "change", "sentence"), BAD, ids=lambda v: None)
def test_each_way_to_break_the_contract(
    event: dict[str, Any], change: dict[str, Any], sentence: str
) -> None:
    flat = {name: value for name, value in (event | change).items() if value is not GONE}
    with pytest.raises(ContractError) as caught:
        from_flat(flat)
    assert str(caught.value) == sentence


BAD_LINES = {
    "a list": ("[]", "expected a JSON object, found []"),
    "a number": ("7", "expected a JSON object, found 7"),
    "no JSON": ("{", "not JSON: Expecting property name enclosed in double quotes: "
                "line 1 column 2 (char 1)"),
    "twice": ('{"type": "RoundClosed", "type": "x"}', "field type stands twice in one object"),
    "not a number": ('{"type": NaN}', "NaN is not a number of the contract"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), BAD_LINES.values(), ids=BAD_LINES)
def test_lines_that_are_no_event(text: str, sentence: str) -> None:
    with pytest.raises(ContractError) as caught:
        loads(text)
    assert str(caught.value) == sentence


def test_a_deeply_nested_line_is_refused() -> None:
    with pytest.raises(ContractError, match=r"^expected JSON of at most 32 levels"):
        loads("[" * 100_000)


def test_a_file_names_the_line() -> None:
    good = json.dumps({"type": "RoundClosed", "round": "R1"}).encode()
    assert [e.event for e in read_lines([good, b"\n", good], "f")] == [RoundClosed()] * 2
    with pytest.raises(InputError) as caught:
        list(read_lines([good, b"\n", b"nonsense"], "rounds.jsonl"))
    assert str(caught.value) == (
        "rounds.jsonl, line 3: not JSON: Expecting value: line 1 column 1 (char 0)"
    )
    with pytest.raises(InputError) as caught:
        list(read_lines([good, b"\xff\xfe"], "rounds.jsonl"))
    assert str(caught.value) == "rounds.jsonl, line 2: expected UTF-8 text"
