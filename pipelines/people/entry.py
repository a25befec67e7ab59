"""One entry of the log of what people do, and its line in the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from events.contract import parse_prev, parse_time, show
from events.errors import ContractError
from events.handed.text import parse_json

ZEROS = bytes(32)
LINE_BYTES = 1 << 20
"""The longest line; a bulk decision on five thousand findings has a fifth of it."""

_FIELDS = ("format", "number", "at", "who", "via", "what", "run", "subjects", "details", "prev")

VIA = ("desk", "command", "local")
"""How somebody came: with his account on the desk or on the command line; `local` is whoever sits
at the machine, with no account to prove who he is."""


class LogHead(NamedTuple):
    """Where a log ends: so many entries, and the SHA-256 of the last one's line."""

    number: int = 0
    hash: bytes = ZEROS


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that somebody does, before it has a place in the log."""

    who: str
    what: str
    via: str = "local"
    run: str | None = None
    subjects: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A deed in its place: `prev` is the SHA-256 of the line before, zeros for the first.

    subjects: ids of what it is about: findings, waivers, accounts, rounds, players, questions.
    run: the run of the warehouse that he had before him, where one matters.
    """

    number: int
    at: datetime
    deed: Deed
    prev: bytes

    @property
    def who(self) -> str:
        return self.deed.who

    @property
    def what(self) -> str:
        return self.deed.what

    @property
    def details(self) -> Mapping[str, Any]:
        return self.deed.details


def to_line(entry: LogEntry) -> bytes:
    """The line without its end; its hash is what the next entry holds."""
    deed = entry.deed
    flat = {
        "format": 1,
        "number": entry.number,
        "at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "who": deed.who,
        "via": deed.via,
        "what": deed.what,
        "run": deed.run,
        "subjects": list(deed.subjects),
        "details": dict(deed.details),
        "prev": entry.prev.hex(),
    }
    return json.dumps(flat, ensure_ascii=False, separators=(",", ":")).encode()


def hash_line(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()


def from_line(line: bytes) -> LogEntry:
    """The entry of a line, or a ContractError that says what is wrong with it."""
    flat = parse_json(line, LINE_BYTES)
    if not isinstance(flat, dict) or set(flat) != set(_FIELDS):
        raise ContractError(f"expected the fields {', '.join(_FIELDS)}")
    number, subjects, run = flat["number"], flat["subjects"], flat["run"]
    if flat["format"] != 1:
        raise ContractError(f"format: expected 1, found {show(flat['format'])}")
    if type(number) is not int or number < 1:
        raise ContractError(f"number: expected one from 1 on, found {show(number)}")
    for name in ("who", "what"):
        if not isinstance(flat[name], str) or not flat[name]:
            raise ContractError(f"{name}: expected text, found {show(flat[name])}")
    if flat["via"] not in VIA:
        raise ContractError(f"via: expected {', '.join(VIA)}, found {show(flat['via'])}")
    if not isinstance(subjects, list) or not all(isinstance(s, str) for s in subjects):
        raise ContractError("subjects: expected a list of ids")
    if not isinstance(run, str | None) or not isinstance(flat["details"], dict):
        raise ContractError("expected run as text or null and details as an object")
    deed = Deed(flat["who"], flat["what"], flat["via"], run, tuple(subjects), flat["details"])
    entry = LogEntry(number, parse_time(flat["at"]), deed, parse_prev(flat["prev"]))
    if to_line(entry) != line:
        raise ContractError("expected it as this program writes it: an entry has one way")
    return entry
