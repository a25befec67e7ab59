"""`evenhand rulebooks --coverage`: which paragraphs fired, in play and in golden rounds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from events.model import BetPlaced, BetsClosed, CardDealt, Event, IrregularityNoted, RoundVoided
from pipelines.night.plain import run_day
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import BOOK, DAY, opening, played, sent, settings_of, won_round

GOLDEN = """
rulebook: pontoon-plus-rws-v5
rounds:
  - name: a double on a 5 and a 6 busts nobody and wins
    play:
      - bet 1 P1 initial 20.00
      - close
      - deal 1:5S 0:9D 1:6H
      - double 1 P1
      - bet 1 P1 double 20.00
      - deal 1:9C 0:9H
    lines: []
"""


def void_round() -> list[Event]:
    """A 10 turns up in a game without 10s; the bet goes back."""
    return [
        opening(),
        BetPlaced(1, 1, "P1", "initial", 2500, True),
        BetsClosed(),
        CardDealt(11, 1, 1, "TH", True),
        IrregularityNoted("foreign_card", "pit_supervisor"),
        RoundVoided("pit_supervisor", "5.5.1", "a 10 of hearts"),
        won_round()[-1],
    ]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day of one table: a win, a win paid half, and a void round."""
    folder = tmp_path_factory.mktemp("coverage")
    home = folder / ".evenhand"
    sent(home, played([won_round(0), won_round(1, winnings=1250), void_round()]))
    run_day(settings_of(home), DAY, with_suites=False)
    (folder / "golden").mkdir()
    (folder / "golden" / "double.yaml").write_text(GOLDEN, "utf-8")
    return folder


def coverage(
    house: Path, *args: str, period: str = f"{DAY}..{DAY}"
) -> subprocess.CompletedProcess[str]:
    return evenhand_here(house, "rulebooks", "--coverage", period, "--golden", "golden", *args)


def book_of(answer: dict[str, Any], name: str = BOOK) -> dict[str, Any]:
    (book,) = [book for book in answer["rulebooks"] if book["id"] == name]
    return dict(book)


def test_a_paragraph_counts_with_its_lines_findings_voids_and_golden_rounds(house: Path) -> None:
    answer = json.loads(coverage(house, "--json").stdout)
    assert list(answer) == ["days", "missing_days", "golden_folder", "rulebooks"]
    assert (answer["days"], answer["missing_days"]) == ([str(DAY)], [])
    book = book_of(answer)
    assert (book["rounds"], book["golden_rounds"]) == (3, 1)
    counts = {
        clause["number"]: tuple(clause[n] for n in ("lines", "findings", "voids", "golden"))
        for clause in book["clauses"]
    }
    assert counts["4.1.1"] == (2, 1, 0, 1)  # the odds of every win; one was paid half of them
    assert counts["5.5.1"][2] == 1
    assert counts["3.25.5"] == (0, 0, 0, 1)  # only the golden round doubles
    assert counts["5.10.1"] == (0, 0, 0, 0)
    never = book["never_in_play"], book["never_in_golden"], book["never"]
    assert [("5.5.1" in n, "3.25.5" in n, "5.10.1" in n) for n in never] == [
        (False, True, True),
        (True, False, True),
        (False, False, True),
    ]
    held = {clause["number"]: clause["held"] for clause in book["clauses"]}
    assert {held[number] for number in never[0]} <= {"settles", "checks", "voids"}
    assert book["unlisted"] == []
    other = book_of(answer, "blackjack-rws-v5")
    assert other["rounds"] == 0
    assert other["never"] == other["never_in_play"]


def test_one_rulebook_for_a_person_and_nothing_is_cut(house: Path) -> None:
    done = coverage(house, BOOK)
    lines = done.stdout.splitlines()
    assert "…" not in done.stdout
    (row,) = [line.split() for line in lines if line.startswith("4.1.1 ")]
    assert row[:6] == ["4.1.1", "settles", "2", "1", "0", "1"]
    whole = coverage(house)
    asked = json.loads(coverage(house, "--json").stdout)
    said = whole.stdout.replace(",\n    ", ", ")
    for book in asked["rulebooks"]:
        assert f"  never fired at all: {', '.join(book['never'])}\n" in said


@pytest.mark.parametrize(
    ("period", "says"),
    [
        ("2026-03-11", "day 2026-03-11 is not in the warehouse: evenhand nightly --day 2026-03-11"),
        ("2026-03-10..2026-03-12", "day 2026-03-12 is not in the warehouse"),
        ("2026-03-12..2026-03-10", "the first day is after the last"),
        ("2026-03-10..", "expected a date like 2026-11-15, found ''"),
        ("march", "expected a date like 2026-11-15, found 'march'"),
    ],
)
def test_periods_that_cannot_be_counted(house: Path, period: str, says: str) -> None:
    done = coverage(house, period=period)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_days_between_that_were_never_published_are_named(tmp_path: Path) -> None:
    from datetime import timedelta

    from tests.pipelines.kit import MORNING

    home = tmp_path / ".evenhand"
    later = timedelta(days=2)
    first = played([won_round(0)])
    sent(home, first)
    run_day(settings_of(home), DAY, with_suites=False)
    from events.gateway import Gateway

    sent(home, played([won_round(0)], Gateway("RWS-PP-02"), MORNING + later))
    run_day(settings_of(home), DAY + later, with_suites=False)
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden" / "double.yaml").write_text(GOLDEN, "utf-8")
    answer = json.loads(coverage(tmp_path, "--json", period=f"{DAY}..{DAY + later}").stdout)
    assert answer["days"] == ["2026-03-10", "2026-03-12"]
    assert answer["missing_days"] == ["2026-03-11"]
    assert book_of(answer)["rounds"] == 2


def test_without_a_warehouse_or_golden_rounds(house: Path, tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "rulebooks", "--coverage", str(DAY))
    assert done.returncode == 2
    assert "there is no warehouse here yet; evenhand nightly makes one" in done.stderr
    done = evenhand_here(house, "rulebooks", "--coverage", str(DAY), "--golden", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere: expected a folder with golden rounds, found no .yaml file" in done.stderr
    done = evenhand_here(house, "rulebooks", "--golden", "golden")
    assert done.returncode == 2
    assert "--golden DIR goes with --coverage" in done.stderr


def test_where_there_are_no_golden_rounds_the_answer_says_so(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines import clause_coverage

    monkeypatch.setattr(clause_coverage, "shipped", lambda *places: house / "nothing")
    answer = json.loads(evenhand_here(house, "rulebooks", "--coverage", str(DAY), "--json").stdout)
    book = book_of(answer)
    assert (answer["golden_folder"], book["golden_rounds"], book["never_in_golden"]) == (None,) * 3
    said = evenhand_here(house, "rulebooks", "--coverage", str(DAY)).stdout
    assert "No golden rounds here: --golden DIR counts those of a folder." in said
