"""Every ready question on a day whose truth is known, on one without activity, and the views."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.ask.ready import ready_questions
from pipelines.night.plain import run_day
from pipelines.warehouse.read import open_readonly
from tests.investigate.conftest import KnownHouse
from tests.investigate.here import evenhand_here
from tests.investigate.known_answers import ANSWERS, Row, r
from tests.investigate.known_plan import BJ, PP, TC
from tests.pipelines.kit import DAY, sent, settings_of

EMPTY_HERE = {"quality-failures"}
"""Every check of the known day holds. tests/pipelines/test_nightly.py asks it on a day on which one
does not: the suites take too long to run them once more here."""
OF_THE_RUN = {"run", "started_at", "finished_at", "code_version"}


def ask(home: Path, name: str) -> tuple[list[str], list[Row]]:
    with open_readonly(home) as db:
        answer = db.execute(ready_questions()[name].sql)
        columns = [column[0] for column in answer.description or ()]
        return columns, answer.fetchall()


def test_every_question_has_a_known_answer() -> None:
    assert sorted(ANSWERS) == sorted(ready_questions())


@pytest.mark.parametrize("name", ready_questions())
def test_a_question_is_answered_as_the_known_day_was(known: KnownHouse, name: str) -> None:
    columns, answer = ANSWERS[name]
    expected = answer(known.day)
    assert expected or name in EMPTY_HERE
    found_columns, rows = ask(known.home, name)
    own = {"day"} | (OF_THE_RUN if name == "where-a-day-comes-from" else set())
    assert [c for c in found_columns if c not in own] == columns
    places = [found_columns.index(column) for column in columns]
    found = [tuple(row[place] for place in places) for row in rows]
    assert found == expected
    if "day" in found_columns:
        assert {row[found_columns.index("day")] for row in rows} <= {DAY}


def test_each_run_of_the_day_is_told_apart(known: KnownHouse) -> None:
    columns, rows = ask(known.home, "where-a-day-comes-from")
    first, second = (dict(zip(columns, row, strict=True)) for row in rows)
    assert first["run"] != second["run"]
    assert first["started_at"] <= first["finished_at"] <= second["started_at"]
    assert first["code_version"] == second["code_version"]


# what the questions stand on


def rows_of(known: KnownHouse, sql: str) -> list[Row]:
    with open_readonly(known.home) as db:
        return db.execute(sql).fetchall()


def test_the_night_made_the_lines_payments_and_findings_that_are_known(known: KnownHouse) -> None:
    money = "round, box, hand, player, bet, stake, stake_returned, winnings"
    due = [
        (m.round, *m.key, m.stake, m.back, m.winnings, m.outcome, list(m.readings))
        for m in known.day.due
    ]
    found = rows_of(known, f"SELECT {money}, outcome, list_sort(readings) FROM lines")
    assert sorted(found) == sorted(due)
    paid = [(m.round, *m.key, m.stake, m.back, m.winnings, m.corrected) for m in known.day.paid]
    found = rows_of(known, f"SELECT {money}, corrected FROM settlements")
    assert sorted(found) == sorted(paid)
    told = sorted((f.round or "", f.kind, f.severity, f.money or 0) for f in known.day.found)
    found = rows_of(
        known, "SELECT coalesce(round, ''), kind, severity, coalesce(money, 0) FROM findings"
    )
    assert sorted(found) == told


def test_every_finding_says_rulebook_dealer_and_time_of_its_round(known: KnownHouse) -> None:
    """Also those that only several tables show, such as the meter's."""
    told = ", ".join(f"f.{n} IS NOT DISTINCT FROM r.{n}" for n in ("rulebook", "dealer", "seen_at"))
    sql = f"SELECT f.kind, {told} FROM findings f JOIN rounds r USING (day, table_id, round)"
    found = rows_of(known, sql)
    assert "meter_mismatch" in {row[0] for row in found}
    assert [row for row in found if not all(row[1:])] == []


def test_shoes_count_the_cards_that_were_drawn_between_rounds_too(known: KnownHouse) -> None:
    found = rows_of(
        known,
        "SELECT table_id, shoe, decks, rounds, cards_drawn, cards_left FROM shoes ORDER BY ALL",
    )
    assert found == sorted(tuple(shoe) for shoe in known.day.shoes)


def test_players_money_is_that_of_rounds_that_ended(known: KnownHouse) -> None:
    """Nobody knows what is due in a round without an end or that can't be replayed."""
    open_rounds = {r(PP, 24), r(PP, 25), r(BJ, 26), r(TC, 16)}
    expected: dict[tuple[str, str], list[int]] = {}
    for column, some in ((1, known.day.due), (2, known.day.paid)):
        for m in some:
            if m.round not in open_rounds:
                sums = expected.setdefault((m.key[2], m.table), [0, 0, 0])
                sums[column] += m.total
                sums[0] += m.stake if column == 1 else 0
    found = rows_of(
        known, "SELECT player, table_id, stake, due, paid, difference, net FROM player_money"
    )
    assert {row[:2]: list(row[2:5]) for row in found} == expected
    assert all(row[5] == row[4] - row[3] and row[6] == row[4] - row[2] for row in found)


# a day without activity


@pytest.fixture(scope="module")
def empty_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("empty") / ".evenhand"
    sent(home, [])
    run_day(settings_of(home), DAY, with_suites=False)
    return home


@pytest.mark.parametrize("name", ready_questions())
def test_a_day_without_activity_has_nothing_to_answer(empty_house: Path, name: str) -> None:
    done = evenhand_here(empty_house.parent, "sql", "--query", name, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = done.stdout.splitlines()
    assert header.split(",") == ask(empty_house, name)[0]
    assert len(rows) == (1 if name == "where-a-day-comes-from" else 0)


def test_a_table_without_rows_says_so(empty_house: Path) -> None:
    done = evenhand_here(empty_house.parent, "sql", "--query", "money-by-kind")
    assert done.stdout.splitlines()[-1] == "0 rows"
