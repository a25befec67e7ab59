"""Bytes and JSON of a file that somebody hands in, within bounds."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from events.errors import ContractError, InputError
from events.handed import bounds

_SURROGATE = re.compile("[\ud800-\udfff]")
_CHUNK = 1 << 20


def size(number: int) -> str:
    """A number of bytes as a sentence says it."""
    for unit, name in ((bounds.MIB, "MiB"), (bounds.KIB, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit:,} {name}"
    return f"{number:,} bytes"


def open_handed(path: Path) -> BinaryIO:
    """The file open for reading, or an InputError; a folder is none."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: expected a file, found a folder") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {_why(error)}") from None


def _why(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def read_whole(path: Path, most: int) -> bytes:
    """All bytes of a file, or an InputError; nothing past the bound is ever read.

    Read piece by piece, because a pipe or a device does not know how long it is.
    """
    with open_handed(path) as file:
        return read_bounded(file, str(path), most)


def read_bounded(file: BinaryIO, name: str, most: int) -> bytes:
    """What is left of an open file, at most so many bytes."""
    refuse_larger(file, name, most)
    out = bytearray()
    try:
        while chunk := file.read(min(_CHUNK, most + 1 - len(out))):
            out += chunk
            if len(out) > most:
                raise InputError(f"{name}: expected at most {size(most)}, found more")
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {_why(error)}") from None
    return bytes(out)


def refuse_larger(file: BinaryIO, name: str, most: int) -> None:
    """An InputError for a regular file that is larger, before a byte of it is read."""
    found = os.fstat(file.fileno())
    if stat.S_ISREG(found.st_mode) and found.st_size > most:
        raise InputError(
            f"{name}: expected at most {size(most)}, found {found.st_size:,} bytes; hand it in in "
            "several files"
        )


def read_text_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines of an open file, each within the bound; an InputError names the one that is not."""
    total = 0
    for number in range(1, bounds.LINES + 2):
        line = file.readline(bounds.LINE_BYTES + 1)
        if not line:
            return
        total += len(line)
        if len(line) > bounds.LINE_BYTES:
            says = f"expected a line of at most {size(bounds.LINE_BYTES)}, found a longer one"
            raise InputError(f"{name}, line {number}: {says}")
        if number > bounds.LINES or total > bounds.FILE_BYTES:
            raise InputError(
                f"{name}, line {number}: expected at most {bounds.LINES:,} lines and "
                f"{size(bounds.FILE_BYTES)}, found more; hand it in in several files"
            )
        yield line


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise ContractError(f"field {twice[:60]} stands twice in one object")
    return out


def _no_constant(text: str) -> Any:
    raise ContractError(f"{text} is not a number of the contract")


def parse_json(text: str | bytes, most: int = bounds.LINE_BYTES) -> Any:
    """JSON within bounds, or a ContractError: its size, its depth, text that is no text.

    No object may name a field twice, because readers differ in which of the two counts.
    """
    if len(text) > most:
        raise ContractError(f"expected JSON of at most {size(most)}, found {size(len(text))}")
    try:
        # decoded here: given bytes, json would guess UTF-16 and let half characters pass
        plain = text if isinstance(text, str) else text.decode("utf-8")
        value = json.loads(plain, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except RecursionError:
        raise ContractError(_TOO_DEEP) from None
    except UnicodeDecodeError:
        raise ContractError("expected UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ContractError(f"not JSON: {error}") from None
    except ValueError:  # the interpreter's bound on digits
        raise ContractError("not JSON: a number of more digits than any count has") from None
    if "\\u" in plain or plain.count("{") + plain.count("[") > bounds.DEPTH:
        _refuse_odd(value)
    return value


_TOO_DEEP = f"expected JSON of at most {bounds.DEPTH} levels within each other, found more"


def _refuse_odd(value: Any) -> None:
    """Level by level, so that no depth can exhaust the stack."""
    level: list[Any] = [value]
    for _ in range(bounds.DEPTH + 1):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _refuse_surrogate(one)
            elif isinstance(one, dict):
                for name in one:
                    _refuse_surrogate(name)
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        if not inner:
            return
        level = inner
    raise ContractError(_TOO_DEEP)


def _refuse_surrogate(text: str) -> None:
    """Half of a character pair is no text: no encoding can write it down again."""
    if not text.isascii() and _SURROGATE.search(text):
        raise ContractError(f"expected text, found half a character in {text[:40]!a}")


def parse_toml(content: bytes) -> dict[str, Any]:
    """TOML within bounds, or a ContractError."""
    import tomllib

    try:
        found = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ContractError("expected UTF-8 text") from None
    except RecursionError:
        raise ContractError("expected fewer lists and tables within each other") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise ContractError(str(error)) from None
    _refuse_odd(found)
    return found
