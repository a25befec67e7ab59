"""Writing gateways' keys into the registry of tables: one list changes, everything else stays.

The file is people's own, with their comments and their order. So its text is edited, not written
anew, and what came of it is read back: only the keys that were meant may differ.
"""

from __future__ import annotations

import fcntl
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path

from events.contract import did_you_mean
from events.errors import EvenhandError, InputError
from events.registry import (
    RegisteredTable,
    TableKey,
    TableRegistry,
    key_entry,
    load_registry,
    parse_registry,
)
from events.runtime.durable import write_whole

_HEADER = re.compile(r"\s*\[")
_INDENT = "    "


def add_key(path: Path, table: str, key: TableKey) -> None:
    """Give a table one more key."""
    with _alone(path):
        keys = table_of(path, table).keys
        if any(key.id == other.id for other in keys):
            raise InputError(f"table {table}: there is a key {key.id} already; give another --id")
        _write(path, table, (*keys, key))


def change_key(
    path: Path,
    table: str,
    name: str,
    *,
    until: date | None = None,
    revoked: date | None = None,
) -> TableKey:
    """Retire or revoke a key; a date that is not given stays as it was."""
    with _alone(path):
        keys = table_of(path, table).keys
        found = next((key for key in keys if key.id == name), None)
        if found is None:
            hint = did_you_mean(name, [key.id for key in keys])
            raise InputError(f"table {table}: the registry has no key {name}{hint}")
        new = replace(found, until=until or found.until, revoked=revoked or found.revoked)
        _write(path, table, [new if key is found else key for key in keys])
        return new


def table_of(path: Path, table: str) -> RegisteredTable:
    """A table of the registry, or an InputError that says what to do."""
    registry = load_registry(path) or TableRegistry()
    if table not in registry.tables:
        hint = did_you_mean(table, registry.tables)
        raise InputError(
            f'{path}: the registry has no table {table}{hint}; add [tables."{table}"] first'
        )
    return registry.tables[table]


def _write(path: Path, table: str, keys: Sequence[TableKey]) -> None:
    content = path.read_bytes()
    wanted = parse_registry(path, content).tables
    wanted = {**wanted, table: replace(wanted[table], keys=tuple(keys))}
    for edited in _edits(content.decode("utf-8"), table, keys):
        try:
            found = parse_registry(path, edited.encode()).tables
        except InputError:
            continue
        if found == wanted:
            write_whole(path.resolve(), edited.encode())
            return
    raise EvenhandError(
        f"{path}: the keys of table {table} can't be written by us; write the table as [tables.\""
        f'{table}"] with a list keys = [...], and the new list is: [{_inline(keys)}]'
    )


def _edits(text: str, table: str, keys: Sequence[TableKey]) -> Iterator[str]:
    """The text with the table's new keys, the most careful way first."""
    lines = text.splitlines(keepends=True)
    section = _section(lines, table)
    if section is None:
        return
    first, end = section
    place = _assignment(lines, first, end)
    if place is None:
        while end > first and lines[end - 1].strip()[:1] in {"", "#"}:
            end -= 1  # what stands before the next header belongs to that one
        if not lines[end - 1].endswith("\n"):
            lines[end - 1] += "\n"
        yield "".join([*lines[:end], *_list(keys), *lines[end:]])
        return
    begin, stop = place
    for changed in (_line_by_line(lines[begin:stop], keys), _list(keys)):
        yield "".join([*lines[:begin], *changed, *lines[stop:]])


def _section(lines: Sequence[str], table: str) -> tuple[int, int] | None:
    """The lines of a table's section, without its header."""
    headers = [n for n, line in enumerate(lines) if _is_header(line)]
    for at, after in pairwise([*headers, len(lines)]):
        if tomllib.loads(lines[at]) == {"tables": {table: {}}}:
            return at + 1, after
    return None


def _is_header(line: str) -> bool:
    if not _HEADER.match(line):
        return False
    try:
        return bool(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return False


def _assignment(lines: Sequence[str], first: int, end: int) -> tuple[int, int] | None:
    """From where to where the list of keys is written."""
    for begin in range(first, end):
        if re.match(r'\s*("keys"|keys)\s*=', lines[begin]):
            for stop in range(begin + 1, end + 1):
                try:
                    tomllib.loads("".join(lines[begin:stop]))
                except tomllib.TOMLDecodeError:
                    continue
                return begin, stop
    return None


def _list(keys: Sequence[TableKey]) -> list[str]:
    return ["keys = [\n", *(f"{_INDENT}{key_entry(key)},\n" for key in keys), "]\n"]


def _inline(keys: Sequence[TableKey]) -> str:
    return ", ".join(map(key_entry, keys))


def _line_by_line(lines: Sequence[str], keys: Sequence[TableKey]) -> list[str]:
    """A list of one key a line: only the lines of keys that are other now change, and a new one
    stands at the end; comments stay where they are."""
    out, left = list(lines), {key.id: key for key in keys}
    for n, line in enumerate(out):
        found = re.search(r"\{.*\}", line)
        if found is None:
            continue
        try:
            name = tomllib.loads(f"key = {found[0]}")["key"].get("id")
        except tomllib.TOMLDecodeError:
            continue
        key = left.pop(name, None)
        if key is not None and _differs(found[0], key):
            out[n] = line[: found.start()] + key_entry(key) + line[found.end() :]
    if left and out[-1].strip().startswith("]"):
        out[-1:-1] = [f"{_INDENT}{key_entry(key)},\n" for key in left.values()]
    return out


def _differs(text: str, key: TableKey) -> bool:
    return bool(
        tomllib.loads(f"key = {text}")["key"] != tomllib.loads(f"key = {key_entry(key)}")["key"]
    )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One change at a time, also where two commands run at once."""
    try:
        fd = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
