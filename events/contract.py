"""The contract of sections 1 to 3 as checks: each way of breaking it has one sentence.

Kinds and ranges hang on a field's name, because a name means the same in every event; which
fields an event has, their types and which may be null is read off the classes in events/model.py.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from events.errors import ContractError
from events.model import EVENT_TYPES, Event, Limit, Move

BETS = frozenset(
    "initial player_pair bonus under_13 over_13 pandemonium insurance double split "
    "ante pair_plus play progressive".split()
)
PAYMENTS = frozenset("super_bonus super_bonus_share ante_bonus envy_bonus".split())
DECISIONS = frozenset(
    "hit stand split double surrender even_money withdraw_double fold play".split()
)
DEVICES = frozenset("console shoe layout jackpot gateway".split())
IRREGULARITIES = frozenset(
    "foreign_card card_shortage card_excess insufficient_cards not_shuffled "
    "technical_interruption dealing_error simultaneous_cards card_face_up_in_shoe "
    "cards_to_empty_box missing_burn card_exposed wrong_card_count jackpot_malfunction "
    "extra_hand_examined player_left bet_error".split()
)
OPTIONS = frozenset({"continue", "take_back"})
RULINGS = frozenset(
    "reconstructable not_reconstructable intentional_examination unintentional_examination "
    "card_order other".split()
)
PEOPLE = frozenset("dealer pit_supervisor pit_manager shift_manager surveillance system".split())
PHASES = frozenset({"interim", "final"})
DEALT_FROM = frozenset({"shoe", "shuffler"})

ENVELOPE_FIELDS = ("table", "round", "seq", "at", "device", "prev")
MAX_BOX, MAX_HAND = 99, 9
SIGNATURE_SIZE = 64
INT_MAX, LONG_MAX = 2**31 - 1, 2**63 - 1

_WORDS: dict[str, frozenset[str]] = {
    "bet": BETS,
    "decision": DECISIONS,
    "device": DEVICES,
    "kind": IRREGULARITIES,
    "option": OPTIONS,
    "ruling": RULINGS,
    "by": PEOPLE,
    "phase": PHASES,
    "dealt_from": DEALT_FROM,
}
_SETTLEMENTS = frozenset({"BetSettled", "SettlementCorrected"})
DEALER_MAY = frozenset(
    {"CardDealt", "HandExamined", "HandRevealed", "IrregularityNoted", "RulingMade"}
)
_LONGS = frozenset("seq amount stake stake_returned winnings min max jackpot_bet".split())
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_LONGEST_WORD = 100
_HEX64, _HEX128 = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one event: what it holds, and whether it may be null."""

    name: str
    base: type[Any]
    nullable: bool
    required: bool


def _fields_of(cls: type[Any]) -> tuple[Field, ...]:
    hints = typing.get_type_hints(cls)
    out = []
    for f in fields(cls):
        hint, nullable = hints[f.name], False
        if isinstance(hint, types.UnionType):
            nullable = True
            hint = next(a for a in typing.get_args(hint) if a is not type(None))
        required = f.default is MISSING and f.default_factory is MISSING
        out.append(Field(f.name, typing.get_origin(hint) or hint, nullable, required))
    return tuple(out)


EVENT_FIELDS: dict[str, tuple[Field, ...]] = {n: _fields_of(c) for n, c in EVENT_TYPES.items()}
_FIELD_NAMES = {n: frozenset(f.name for f in fs) for n, fs in EVENT_FIELDS.items()}


def show(value: object) -> str:
    """A found value as it stands in a sentence: as JSON writes it, cut where it is long."""
    if value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    else:
        text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def words(allowed: Iterable[str]) -> str:
    """The allowed words as a sentence lists them."""
    return ", ".join(sorted(allowed))


def did_you_mean(found: object, allowed: Iterable[str]) -> str:
    """` (did you mean x?)` where a word is near, else nothing."""
    text = str(found)
    if len(text) > _LONGEST_WORD:
        return ""  # near nothing, and comparing would take as long as the text is
    near = get_close_matches(text, list(allowed), n=1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


Problem = str | None
Check = Callable[[Any], Problem]


def _integer(name: str, low: int, high: int) -> Check:
    what = f"an integer of at least {low}" if high >= INT_MAX else f"an integer {low} to {high}"

    def check(value: Any) -> Problem:
        if type(value) is int and low <= value <= high:
            return None
        if type(value) is int and value > high >= INT_MAX:
            return f"{name}: expected at most {high}, found {show(value)}"
        return f"{name}: expected {what}, found {show(value)}"

    return check


def _text(name: str, *, empty: bool) -> Check:
    def check(value: Any) -> Problem:
        if isinstance(value, str) and (value or empty):
            return None
        return f"{name}: expected text{'' if empty else ' that is not empty'}, found {show(value)}"

    return check


def _word(name: str, allowed: frozenset[str]) -> Check:
    def check(value: Any) -> Problem:
        if value.__class__ is str and value in allowed:
            return None
        hint = did_you_mean(value, allowed)
        return f"unknown {name} {show(value)}: expected one of {words(allowed)}{hint}"

    return check


def _flag(name: str) -> Check:
    def check(value: Any) -> Problem:
        return (
            None if value.__class__ is bool else f"{name}: expected a boolean, found {show(value)}"
        )

    return check


def _signature(value: Any) -> Problem:
    if isinstance(value, bytes) and len(value) == SIGNATURE_SIZE:
        return None
    return f"signature: expected {SIGNATURE_SIZE} bytes, found {show(value)}"


def _limits(value: Any) -> Problem:
    if not isinstance(value, Mapping) or not value:
        return f"limits: expected a map from bet to min and max, found {show(value)}"
    for bet, limit in value.items():
        if problem := _word("bet", BETS)(bet):
            return f"limits: {problem}"
        if problem := _record("limits." + bet, limit, {"min": 0, "max": 0}):
            return problem
    return None


def _moves(value: Any) -> Problem:
    if not isinstance(value, list | tuple) or not value:
        return f"moves: expected a list of moved cards that is not empty, found {show(value)}"
    for n, move in enumerate(value, start=1):
        where = f"moves, entry {n}"
        if problem := _record(where, move, {"draw": 1, "box": 0, "hand": 0}):
            return problem
        if problem := place_problem(move["box"], move["hand"], dealer=True):
            return f"{where}: {problem}"
    return None


def _record(where: str, value: Any, lows: dict[str, int]) -> Problem:
    if not isinstance(value, Mapping):
        return f"{where}: expected {', '.join(lows)}, found {show(value)}"
    if extra := sorted(set(value) - set(lows)):
        return f"{where}: field {extra[0][:60]} is not in the contract"
    for name, low in lows.items():
        if name not in value:
            return f"{where}: field {name} is missing"
        high = LONG_MAX if name in _LONGS else INT_MAX
        if problem := _integer(name, low, high)(value[name]):
            return f"{where}: {problem}"
    return None


def place_problem(box: Any, hand: Any, *, dealer: bool) -> Problem:
    """Box 0 with hand 0 is the dealer; a player's place has both from 1 on."""
    if box == 0 and hand == 0:
        return None if dealer else "box 0: expected a player's box from 1 on, found the dealer's"
    if box == 0 or hand == 0:
        return f"box {box}, hand {hand}: expected both 0 for the dealer or both from 1 on"
    return None


def _check_of(event: str, f: Field) -> Check:
    name = f.name
    if name == "bet" and event in _SETTLEMENTS:
        return _word("bet", BETS | PAYMENTS)
    if name in _WORDS:
        return _word(name, _WORDS[name])
    if name == "limits":
        return _limits
    if name == "moves":
        return _moves
    if f.base is bool:
        return _flag(name)
    if f.base is bytes:
        return _signature
    if f.base is int:
        return _integer(name, *_range(event, name))
    return _text(name, empty=name in {"reason", "detail", "clause"})


def _range(event: str, name: str) -> tuple[int, int]:
    if name == "box":
        return (0 if event in DEALER_MAY else 1), MAX_BOX
    if name in {"hand", "new_hand"}:
        return (0 if event in DEALER_MAY and name == "hand" else 1), MAX_HAND
    if name == "amount":
        return (0 if event == "JackpotRead" else 1), LONG_MAX
    if name in {"stake", "stake_returned", "winnings", "cards_left"}:
        return 0, LONG_MAX if name in _LONGS else INT_MAX
    return 1, LONG_MAX if name in _LONGS else INT_MAX


CHECKS: dict[str, tuple[tuple[Field, Check], ...]] = {
    event: tuple((f, _check_of(event, f)) for f in fs) for event, fs in EVENT_FIELDS.items()
}
AMOUNTS_OF: dict[str, tuple[str, ...]] = {
    event: tuple(f.name for f in fs if f.name in _LONGS or f.name == "limits")
    for event, fs in EVENT_FIELDS.items()
}
"""The fields of an event that hold money."""

_SEQ = _integer("seq", 1, LONG_MAX)
_TABLE, _ROUND = _text("table", empty=False), _text("round", empty=False)
_DEVICE = _word("device", DEVICES)
HAS_PLACE = frozenset(n for n, names in _FIELD_NAMES.items() if {"box", "hand"} <= names)


def event_problem(event: str, record: Mapping[str, Any]) -> Problem:
    """What is wrong with an event's own fields, or None. `record` has no envelope fields."""
    checks = CHECKS.get(event)
    if checks is None:
        hint = did_you_mean(event, EVENT_TYPES)
        return f"unknown event type {show(event)}: expected one of the contract's events{hint}"
    for f, check in checks:
        value = record.get(f.name)
        if value is None:
            if f.nullable:
                continue
            if f.name in record:
                return f"{event}, {f.name}: expected a value, found null"
            return f"{event}: field {f.name} is missing"
        problem = check(value)
        if problem is not None:
            return f"{event}, {problem}"
    if len(record) > len(checks) or not (_FIELD_NAMES[event] >= record.keys()):
        extra = min(record.keys() - _FIELD_NAMES[event])
        hint = did_you_mean(extra, _FIELD_NAMES[event] | set(ENVELOPE_FIELDS))
        return f"{event}: field {extra[:60]} is not in the contract{hint}"
    if event in HAS_PLACE and record.get("box") is not None and record.get("hand") is not None:
        problem = place_problem(record["box"], record["hand"], dealer=event in DEALER_MAY)
        if problem is not None:
            return f"{event}, {problem}"
    return None


BETWEEN_ROUNDS = frozenset({"TableOpened", "TableClosed", "ShoeStarted", "ShoeEnded", "HeadSigned"})
"""Events that may stand without a round; every other one belongs to a round."""

_BETWEEN_TOO = BETWEEN_ROUNDS | {"IrregularityNoted", "RulingMade", "JackpotRead", "CardBurnt"}


def envelope_problem(
    event: str, table: Any, round_: Any, seq: Any, device: Any, *, sent: bool
) -> Problem:
    """What is wrong with the envelope. `sent`: it came from a table, so nothing may be left out."""
    for check, value in ((_TABLE, table), (_SEQ, seq), (_DEVICE, device)):
        if value is None and not sent:
            continue
        problem = check(value)
        if problem is not None:
            return f"{event}, {problem}"
    if event == "HeadSigned" and (problem := _of_the_gateway(round_, device)) is not None:
        return f"{event}, {problem}"
    if round_ is None:
        if event in _BETWEEN_TOO:
            return None
        return f"{event}: field round is missing; only events between rounds have none"
    problem = _ROUND(round_)
    return None if problem is None else f"{event}, {problem}"


def _of_the_gateway(round_: Any, device: Any) -> Problem:
    """A signature is no event of play: the gateway itself says it, between rounds."""
    if round_ is not None:
        return f"round: expected null, found {show(round_)}"
    if device not in {None, "gateway"}:
        return f"device: expected gateway, found {show(device)}"
    return None


def build(event: str, record: Mapping[str, Any]) -> Event:
    """The typed event from fields that event_problem() found nothing wrong with."""
    cls = EVENT_TYPES[event]
    if event == "RoundOpened":
        limits = {bet: Limit(v["min"], v["max"]) for bet, v in record["limits"].items()}
        record = {**record, "limits": limits}
    elif event == "CardsMoved":
        moves = tuple(Move(m["draw"], m["box"], m["hand"]) for m in record["moves"])
        record = {**record, "moves": moves}
    return cls(**record)


def parse_time(text: Any) -> datetime:
    """`2026-11-15T23:41:07.123456Z` as a time, or a ContractError."""
    if isinstance(text, str) and _TIME.fullmatch(text):
        try:
            return datetime.fromisoformat(text[:-1]).replace(tzinfo=UTC)
        except ValueError:
            pass
    raise ContractError(f"at: expected UTC like 2026-11-15T23:41:07.123456Z, found {show(text)}")


def parse_prev(text: Any) -> bytes:
    """The hash of the previous event from its 64 hex digits, or a ContractError."""
    if isinstance(text, str) and _HEX64.fullmatch(text):
        return bytes.fromhex(text)
    raise ContractError(f"prev: expected 64 lower-case hex digits, found {show(text)}")


def parse_signature(text: Any) -> bytes:
    """A signature from its 128 hex digits, or a ContractError."""
    if isinstance(text, str) and _HEX128.fullmatch(text):
        return bytes.fromhex(text)
    raise ContractError(f"signature: expected 128 lower-case hex digits, found {show(text)}")
