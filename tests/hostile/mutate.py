"""Good files made bad: bytes turned, cut and doubled, fields given values that nobody would send.

Everything is drawn from the random generator that is handed in, so a seed gives the same file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

TOKENS = (
    b"\x00", b"\xff" * 9, b"\x80" * 10, b"Obj\x01", b"PK\x03\x04", b"[" * 600, b"{" * 600,
    b'"', b"\\ud800", b"\\u0000", b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"\n", b"\r",
    b"null", b"true", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[2J", b"=cmd|", b"[/red]",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 7, 8, 13, 21, 99, 100, 2**31 - 1, 2**31, 2**63 - 1,
    2**63, -(2**63), 10**30, 0.5, 1e300, "", " ", "0", "x" * 3000, "AS", "??", "JOKER", "TS",
    "KH", "KD", "initial", "ante", "play", "double", "split", "insurance", "progressive", "hit",
    "stand", "surrender", "dealer", "gateway", "system", "interim", "final", "continue",
    "take_back", "\x00", "\x1b[31m", "\u202e", "[/red]", "=1+1", "\ud800", "é" * 500,
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-02-30T00:00:00Z",
    "2026-11-15T23:41:07.123456+08:00", [], [[]], {}, {"a": {}}, [None], ["x"], [1, 2],
    [{"draw": 1, "box": 0, "hand": 0}], [{"draw": 2**31 - 1, "box": 99, "hand": 9}],
    {"initial": {"min": 0, "max": 2**63 - 1}}, {"ante": {"min": 5, "max": 1}},
    {"initial": {"min": 1}}, "00" * 32, "ff" * 32, "a" * 63,
    "pontoon-plus-rws-v5", "blackjack-rws-v5", "three-card-poker-rws-v3",
    "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5", "../../etc/passwd", "America", "Asia/Tokyo",
)  # fmt: skip

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def _flip(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    out = bytearray(data)
    for _turn in range(rng.choice((1, 1, 2, 8))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _cut(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _drop(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 2, 16, 300)) :]


def _insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def _overwrite(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, token = rng.randrange(len(data) + 1), rng.choice(TOKENS)
    return data[:at] + token + data[at + len(token) :]


def _double(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 16, 200, 4000))
    return data[: at + length] + data[at : at + length] * rng.choice((1, 1, 20)) + data[at:]


def _splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


_BYTES: tuple[Mutation, ...] = (_flip, _flip, _cut, _drop, _insert, _overwrite, _double, _splice)


def mutate_bytes(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """One to three changes that know nothing of what the bytes mean."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(_BYTES)(rng, data, others)
    return data


def mutate_value(rng: random.Random, value: Any) -> Any:
    """A value changed anywhere in it: a leaf, a field's name, a field more or less."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _mutate_object(rng, value)
    if isinstance(value, list) and value and rng.random() < 0.7:
        out = list(value)
        at = rng.randrange(len(out))
        out[at] = mutate_value(rng, out[at])
        return rng.choice((out, out, [*out, out[at]], out[:at] + out[at + 1 :]))
    return rng.choice(VALUES)


def _mutate_object(rng: random.Random, value: dict[str, Any]) -> dict[str, Any]:
    out, name = dict(value), rng.choice(list(value))
    match rng.randrange(10):
        case 0:
            del out[name]
        case 1:
            out[rng.choice(("type", "round", "colour", "x" * 200, "seq"))] = rng.choice(VALUES)
        case 2:
            out[name] = out[rng.choice(list(value))]
        case _:
            out[name] = mutate_value(rng, out[name])
    return out


def mutate_lines(rng: random.Random, events: list[Any], others: Sequence[list[Any]]) -> list[Any]:
    """JSON lines changed by somebody who knows what they mean."""
    out = list(events)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if not out:
            break
        at = rng.randrange(len(out))
        match rng.randrange(12):
            case 0:
                del out[at]
            case 1:
                out.insert(rng.randrange(len(out) + 1), out[at])
            case 2:
                other = rng.randrange(len(out))
                out[at], out[other] = out[other], out[at]
            case 3:
                out = out[: at + 1] + rng.choice(others)
            case 4:
                out += [e | {"round": "second"} if isinstance(e, dict) else e for e in out[:at]]
            case 5:
                out.insert(at, rng.choice(rng.choice(others)))
            case _:
                out[at] = mutate_value(rng, out[at])
    return out


def to_lines(events: list[Any]) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()
