"""How often each paragraph fired in play, as a rulebook's page tells it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pipelines.clause_coverage import CAN_FIRE, in_play
from pipelines.night.plain import run_day
from pipelines.warehouse.read import open_readonly
from replay.registry import IDS, rulebook
from tests.desk.conftest import NEXT, desk_of
from tests.desk.test_pages import words
from tests.pipelines.kit import DAY, copied, settings_of


def cells(page: str, number: str) -> list[str]:
    """The figures of one paragraph's row: lines, findings, voids, and the day."""
    row = page[page.index(f'<tr id="{number}">') :]
    found = [words(cell) for cell in re.findall(r"<td[^>]*>.*?</td>", row[: row.index("</tr>")])]
    return found[-4:]


@pytest.mark.parametrize("book", IDS)
def test_the_page_counts_what_the_published_rows_cite(
    desk: TestClient, two_days: Path, book: str
) -> None:
    """Against lines, findings and rounds themselves, asked by `rulebooks --coverage`."""
    page = desk.get(f"/rulebook/{book}").text
    with open_readonly(two_days) as db:
        play = in_play(db, [DAY, NEXT])
    fired = 0
    for clause in rulebook(book).clauses:
        counts = [play.fired[name][book, clause.number] for name in ("lines", "findings", "voids")]
        told = cells(page, clause.number)
        assert told[:3] == [f"{n:,}" if n else "·" for n in counts], clause.number
        assert bool(told[3]) == any(counts)
        fired += clause.held in CAN_FIRE and any(counts)
    assert fired > 5
    assert f"{fired} have fired" in words(page)


def test_a_day_of_an_earlier_version_was_not_counted_and_that_is_said(
    two_days: Path, tmp_path: Path
) -> None:
    home = copied(two_days, tmp_path / "home")
    for path in (home / "warehouse").glob(f"day={DAY}/run=*/fired.parquet"):
        path.unlink()
    run_day(settings_of(home), NEXT, with_suites=False)
    with desk_of(home) as desk:
        told = words(desk.get("/rulebook/pontoon-plus-rws-v5").text)
    assert "counted on 1 of these days, the runs of the others are of an earlier version" in told
