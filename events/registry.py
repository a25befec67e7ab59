"""The registry of tables: which there are, from when to when, what is expected of them, whose keys.

`tables.toml` in the home folder; the setting `tables` names another place. Without the file nothing
is known of the house's tables but what they sent.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from events.contract import did_you_mean, show
from events.errors import EvenhandError, InputError
from events.runtime.durable import write_whole
from events.vocabulary import refusal

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES = ("rulebooks", "property", "currency", "since", "until", "days", "keys")
_KEY_NAMES = ("id", "public", "from", "until", "revoked")


class _RefusedError(ValueError):
    """An entry that does not fit; the file's name is put before it."""


@dataclass(frozen=True, slots=True)
class TableKey:
    """A gateway's Ed25519 key: from when to when it signs; `revoked` from that day on."""

    id: str
    public: bytes
    since: date | None = None
    until: date | None = None
    revoked: date | None = None


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """One table. `days`: the weekdays on which it must play; none: it opens when it is needed."""

    rulebooks: tuple[str, ...] = ()
    property: str | None = None
    currency: str | None = None
    since: date | None = None
    until: date | None = None
    days: tuple[str, ...] = ()
    keys: tuple[TableKey, ...] = ()

    def stands(self, day: date) -> bool:
        """Whether the table is on the floor that day."""
        begun = self.since is None or self.since <= day
        return begun and (self.until is None or day <= self.until)

    def expected(self, day: date) -> bool:
        """Whether it must play that day."""
        return self.stands(day) and WEEKDAYS[day.weekday()] in self.days


@dataclass(frozen=True, slots=True)
class TableRegistry:
    """All tables of the house, and the SHA-256 of the file."""

    tables: Mapping[str, RegisteredTable] = field(default_factory=dict)
    sha256: str = ""


def load_registry(path: Path) -> TableRegistry | None:
    """The registry; None where there is no file."""
    content = _content(path)
    return None if content is None else parse_registry(path, content)


def add_tables(path: Path, tables: Mapping[str, RegisteredTable]) -> list[str]:
    """Write those tables at the end that the file lacks, and answer which they are.

    What is there stays byte for byte as somebody wrote it. Weekdays are not written.
    """
    content = _content(path) or b""
    known = parse_registry(path, content).tables
    new = {name: table for name, table in tables.items() if name not in known}
    if not new:
        return []
    text = "\n".join(_section(name, table) for name, table in new.items())
    gap = b"" if not content else b"\n" if content.endswith(b"\n") else b"\n\n"
    content += gap + text.encode()
    try:
        tomllib.loads(content.decode("utf-8"))
    except tomllib.TOMLDecodeError:
        raise InputError(
            f"{path}: no table can be added at its end; write those that are there as sections "
            f'like [tables."{next(iter(known), "RWS-PP-07")}"]'
        ) from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path.resolve(), content)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    return list(new)


def _section(name: str, table: RegisteredTable) -> str:
    lines = [f"[tables.{quoted(name)}]"]
    if table.rulebooks:
        lines.append(f"rulebooks = [{', '.join(map(quoted, table.rulebooks))}]")
    for what, word in (("property", table.property), ("currency", table.currency)):
        if word is not None:
            lines.append(f"{what} = {quoted(word)}")
    for what, day in (("since", table.since), ("until", table.until)):
        if day is not None:
            lines.append(f"{what} = {day.isoformat()}")
    if table.keys:
        lines += ["keys = [", *(f"    {key_entry(key)}," for key in table.keys), "]"]
    return "\n".join(lines) + "\n"


def key_entry(key: TableKey) -> str:
    """A key as it stands in the list of its table."""
    parts = [f"id = {quoted(key.id)}", f'public = "{base64.b64encode(key.public).decode()}"']
    for name, day in (("from", key.since), ("until", key.until), ("revoked", key.revoked)):
        if day is not None:
            parts.append(f"{name} = {day.isoformat()}")
    return f"{{ {', '.join(parts)} }}"


def quoted(text: str) -> str:
    """A TOML string; of what JSON leaves as it is TOML refuses only DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from None


def parse_registry(path: Path, content: bytes) -> TableRegistry:
    """The registry in a file's bytes."""
    try:
        flat = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected a TOML file: {error}") from None
    if set(flat) - {"tables"} or not isinstance(flat.get("tables", {}), dict):
        raise InputError(f'{path}: expected only tables like [tables."RWS-PP-07"], found others')
    try:
        tables = {name: _table(name, given) for name, given in flat.get("tables", {}).items()}
    except _RefusedError as error:
        raise InputError(f"{path}: {error}") from None
    return TableRegistry(tables, hashlib.sha256(content).hexdigest())


def _table(name: str, given: Any) -> RegisteredTable:
    where = f"table {name}"
    _check_names(where, given, _NAMES)
    rulebooks = _words(f"{where}: rulebooks", given.get("rulebooks", []))
    for book in rulebooks:
        if (why := refusal("rulebook", book)) is not None:
            raise _RefusedError(f"{where}: {why}")
    days = _words(f"{where}: days", given.get("days", []))
    for day in days:
        if day not in WEEKDAYS:
            raise _RefusedError(f"{where}: days: expected {', '.join(WEEKDAYS)}, found {show(day)}")
    keys = given.get("keys", [])
    if not isinstance(keys, list):
        raise _RefusedError(f"{where}: keys: expected a list, found {show(keys)}")
    made = tuple(_key(f"{where}: keys", key) for key in keys)
    if len({key.id for key in made}) != len(made):
        raise _RefusedError(f"{where}: keys: expected each id once, found one twice")
    since, until = (_date(f"{where}: {n}", given.get(n)) for n in ("since", "until"))
    if since is not None and until is not None and until < since:
        raise _RefusedError(f"{where}: until: expected a day from {since} on, found {until}")
    return RegisteredTable(
        rulebooks=rulebooks,
        property=_word(f"{where}: property", given.get("property")),
        currency=_word(f"{where}: currency", given.get("currency")),
        since=since,
        until=until,
        days=days,
        keys=made,
    )


def _key(where: str, given: Any) -> TableKey:
    _check_names(where, given, _KEY_NAMES)
    name, public = _word(f"{where}: id", given.get("id")), given.get("public")
    if name is None or not isinstance(public, str):
        raise _RefusedError(f"{where}: expected an id and a public key, found {show(given)}")
    dates = [_date(f"{where}: {n}", given.get(n)) for n in ("from", "until", "revoked")]
    return TableKey(name, _public(f"{where}: {name}", public), *dates)


def _public(where: str, text: str) -> bytes:
    """An Ed25519 key as 64 hex digits or as base64."""
    raw = b""
    with contextlib.suppress(ValueError, binascii.Error):
        raw = bytes.fromhex(text) if len(text) == 64 else base64.b64decode(text, validate=True)
    if len(raw) != 32:
        raise _RefusedError(
            f"{where}: public: expected the 32 bytes of an Ed25519 key as 64 hex digits or base64, "
            f"found {show(text)}"
        )
    return raw


def _check_names(where: str, given: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(given, dict):
        raise _RefusedError(
            f"{where}: expected a table of {', '.join(allowed)}, found {show(given)}"
        )
    for name in given:
        if name not in allowed:
            raise _RefusedError(f"{where}: unknown entry {show(name)}{did_you_mean(name, allowed)}")


def _words(where: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(w, str) and w for w in given):
        raise _RefusedError(f"{where}: expected a list of texts, found {show(given)}")
    return tuple(given)


def _word(where: str, given: Any) -> str | None:
    if given is None or (isinstance(given, str) and given.strip()):
        return given
    raise _RefusedError(f"{where}: expected text that is not empty, found {show(given)}")


def _date(where: str, given: Any) -> date | None:
    if given is None or (isinstance(given, date) and not isinstance(given, datetime)):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError):
        raise _RefusedError(
            f"{where}: expected a date like 2026-11-15, found {show(given)}"
        ) from None
