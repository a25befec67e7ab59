"""Rows as files to take away: CSV and xlsx, in which no text is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from starlette.responses import Response

from pipelines.ask.answers import to_plain
from pipelines.ask.workbook import put_workbook
from pipelines.safe_text import for_cell, for_json

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_ROWS = 100_000
"""Rows of one file; a sheet has room for some more than a million, memory has not."""


def csv_file(names: Sequence[str], rows: Iterable[Sequence[Any]], file: str) -> Response:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([for_cell(name) for name in names])
    for row in rows:
        writer.writerow(["" if v is None else _cell(v) for v in row])
    return attachment(out.getvalue().encode(errors="backslashreplace"), "text/csv", file)


def xlsx_file(names: Sequence[str], rows: Iterable[Sequence[Any]], file: str) -> Response:
    """One sheet, as `evenhand sql --format xlsx` writes it."""
    out = io.BytesIO()
    put_workbook(out, [(names, rows)])
    return attachment(out.getvalue(), XLSX, file)


def _cell(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return for_cell(" ".join(value))
    plain = to_plain(value) if not isinstance(value, date) or isinstance(value, datetime) else None
    if plain is None:
        plain = str(value)
    return for_cell(for_json(plain) if isinstance(plain, list | dict) else plain)


def attachment(content: bytes, kind: str, file: str) -> Response:
    """A file to keep. file: a name of ours, never one that somebody typed."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in file)[:120]
    headers = {"content-disposition": f'attachment; filename="{safe}"'}
    return Response(content, media_type=kind, headers=headers)
