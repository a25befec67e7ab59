"""DuckDB's errors as one sentence: its own words and its candidates, without the drawing."""

from __future__ import annotations

import re

import duckdb

_DRAWING = re.compile(r"\n\s*LINE (?P<line>\d+): (?P<text>[^\n]*)(?:\n(?P<caret> *\^))?")


def clear(error: duckdb.Error, *, place: bool = True) -> str:
    """What DuckDB says, on one line, with the place that it points at."""
    text = str(error)
    drawing = _DRAWING.search(text)
    words = " ".join((text[: drawing.start()] if drawing else text).split())
    if drawing is None or not place:
        return words
    where = f"line {drawing['line']}"
    before = len(f"LINE {drawing['line']}: ")
    if drawing["caret"] and not drawing["text"].startswith("..."):
        where += f", column {len(drawing['caret']) - before}"
    return f"{words} ({where})"
