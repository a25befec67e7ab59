"""Text from devices, files and people, made safe for where it goes.

A terminal obeys escape sequences, a table drawer its markup, a spreadsheet formulas; and all of
them draw text from right to left when a character tells them to. What is unsafe is shown as the
escape that a programmer would write, so that it can still be told apart: `\\x1b[31m`.
Whatever a stranger wrote reaches people through this module only.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

LONGEST = 4_000
"""Characters of one text on a terminal; the rest is counted. No sentence of ours is as long."""

_HIDDEN = (
    "\x7f-\x9f\xad"  # C1: one character that begins an escape sequence
    "\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # direction, width
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e0fff"  # halves of characters, none, and tags
)
_FOR_TERMINAL = re.compile(f"[\0-\x1f{_HIDDEN}]")
_FOR_CELL = re.compile(f"[\0-\x09\x0b-\x1f{_HIDDEN}]")
_FOR_JSON = re.compile(f"[{_HIDDEN}]")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?%?")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _shown(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return _SHORT.get(char) or (f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}")


def for_terminal(text: object) -> str:
    """A text on one line, in which nothing is obeyed."""
    whole = str(text)
    if len(whole) > LONGEST:
        whole = f"{whole[:LONGEST]}... ({len(whole):,} characters)"
    return unsteered(whole)


def unsteered(text: str) -> str:
    """A text of any length on one line, in which nothing is obeyed: a row of such texts."""
    return _FOR_TERMINAL.sub(_shown, text)


def lines_unsteered(text: str) -> str:
    """A text that is meant to have lines; nothing else in it is obeyed."""
    return "\n".join(map(unsteered, text.split("\n")))


def for_cell(value: Any) -> Any:
    """A value as a cell of CSV or a spreadsheet: numbers stay numbers, no text is a formula.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, which is what
    a person would type.
    """
    if not isinstance(value, str):
        return value
    text = for_sheet(value)
    if _FORMULA.match(value) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def for_sheet(text: str) -> str:
    """A text as a cell that knows it is text, so that it can be no formula."""
    return _FOR_CELL.sub(_shown, text)


def for_json(value: Any, **options: Any) -> str:
    """JSON with the same content, in which no character steers a terminal."""
    options = {"ensure_ascii": False} | options
    return safe_json(json.dumps(value, **options))


def safe_json(text: str) -> str:
    """The same for JSON that is written already."""
    return _FOR_JSON.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def say(text: object, *, err: bool = False) -> None:
    """One line of a command's output."""
    click.echo(for_terminal(text), err=err)


NO_WIDTH = 1_000_000
"""The width of a pipe: there is nobody whose screen a line has to fit."""


def terminal(*, width: int | None = None) -> Console:
    """A console for tables and colours that takes no text for markup and lets nothing through.

    In a pipe it has no width, whatever COLUMNS says: a line is never broken for a screen.
    """
    from pipelines.safe_console import SafeConsole

    if width is None and not sys.stdout.isatty():
        width = NO_WIDTH
    return SafeConsole(unsteered, width=width, highlight=False)
