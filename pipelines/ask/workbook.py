"""Answers as a workbook for Excel: a sheet for each, cells with types, no text as a formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from events.runtime.durable import draft_of
from pipelines.safe_text import for_json, for_sheet
from pipelines.warehouse.errors import WarehouseError

Workbook = Any  # xlsxwriter tells no types
Worksheet = Any
ROWS = 1_048_575
"""What a sheet holds under its headings."""
_EXACT = 2**53
"""A spreadsheet reckons in floats: a larger number is written as text, which loses nothing."""
_LONGEST = 32_767
Sheet = tuple[Sequence[str], Iterable[Sequence[Any]]]


def write_workbook(path: Path, sheets: Iterable[Sheet]) -> None:
    """Headings and rows of each answer, whole or not at all."""
    with draft_of(path) as draft, draft.open("wb") as file:
        put_workbook(file, sheets)


def put_workbook(file: IO[bytes], sheets: Iterable[Sheet]) -> None:
    """The same into a file that is open."""
    import xlsxwriter  # type: ignore[import-untyped]

    # rows go to the disk one by one; no text of a stranger becomes a formula, link or number
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(file, options) as book:
        for names, rows in sheets:
            _fill(book, book.add_worksheet(), names, rows)


def _fill(
    book: Workbook, sheet: Worksheet, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    bold = book.add_format({"bold": True})
    styles = {
        datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        date: book.add_format({"num_format": "yyyy-mm-dd"}),
        Decimal: book.add_format({"num_format": "#,##0.00"}),
    }
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(names):
        sheet.write_string(0, column, for_sheet(name)[:_LONGEST], bold)
        sheet.set_column(column, column, max(12, min(len(name) + 2, 40)))
    for number, row in enumerate(rows, start=1):
        if number > ROWS:
            raise WarehouseError(
                f"SQL: a sheet holds {ROWS:,} rows and the answer has more; ask for less, or take "
                f"CSV or Parquet"
            )
        for column, value in enumerate(row):
            _put(sheet, number, column, value, styles)


def _put(sheet: Worksheet, row: int, column: int, value: Any, styles: dict[type, Any]) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, datetime):
        plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        sheet.write_datetime(row, column, plain, styles[datetime])
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value, styles[date])
    elif isinstance(value, int | float | Decimal) and -_EXACT < value < _EXACT:
        style = styles[Decimal] if isinstance(value, Decimal) else None
        sheet.write_number(row, column, value, style)
    else:
        text = for_sheet(value if isinstance(value, str) else _told(value))
        if len(text) > _LONGEST:
            raise WarehouseError(
                f"SQL: a cell holds {_LONGEST:,} characters, found {len(text):,}; take CSV instead"
            )
        sheet.write_string(row, column, text)


def _told(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return for_json(value, default=str) if isinstance(value, list | dict) else str(value)
