"""Data quality: on a good day every expectation holds; on a spoilt one each fails, and says where.

One spoilt file holds a breach of every expectation, because a validation costs seconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from bench.floor_day import DAY, an_order, audit_jobs, jobs
from checks.quality import Failing, QualityResult, Volume, run_suites, volumes_of
from checks.quality.suite import NAMES, load_suite, never_null

Results = dict[tuple[str, str], QualityResult]
GOOD, EMPTY = "RWS-BJ-01-20261114-000002", "RWS-BJ-01-20261114-000003"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two honest tables of each game in a warehouse file."""
    path = tmp_path_factory.mktemp("warehouse") / "good.duckdb"
    with duckdb.connect(str(path)) as db:
        order = an_order(5, 25, seed=4, irregularities=0.1)
        done = list(audit_jobs(jobs(order, keep="all")))
        tables = {name: [d.rows.tables()[name] for d in done] for name in NAMES if name != "events"}
        tables["events"] = [e for d in done for e in d.events]
        for name, parts in tables.items():
            db.register("part", pa.concat_tables(parts))
            db.execute(f"CREATE TABLE {name} AS SELECT * FROM part")
            db.unregister("part")
        db.execute(
            "INSERT INTO findings SELECT * REPLACE ('F1' AS id, 'discretion' AS kind, "
            "'judgement' AS severity, NULL AS money) FROM (SELECT f.* FROM findings AS f "
            "UNION ALL BY NAME SELECT day, 'F1' AS id, 'discretion' AS kind, "
            "'judgement' AS severity, table_id, round, 'left to the house' AS message, "
            "[] AS clauses FROM rounds) LIMIT 1"
        )
    return path


def by_name(results: list[QualityResult]) -> Results:
    return {(r.suite, r.expectation): r for r in results}


def archived(path: Path) -> dict[str, int]:
    with duckdb.connect(str(path), read_only=True) as db:
        rows = db.execute("SELECT table_id, count(*) FROM events GROUP BY ALL").fetchall()
    return {str(table): int(count) for table, count in rows}


def history(path: Path) -> dict[str, list[Volume]]:
    with duckdb.connect(str(path), read_only=True) as db:
        today = volumes_of(db, DAY)
    days = [DAY - timedelta(days=n) for n in (1, 2, 3)]
    return {v.table_id: [replace(v, day=day) for day in days] for v in today}


@pytest.fixture(scope="module")
def of_good(good: Path) -> Results:
    docs = good.parent / "docs"
    counted = {"archived": archived(good), "quarantined": {}, "history": history(good)}
    return by_name(run_suites(good, DAY, data_docs=docs, **counted))  # type: ignore[arg-type]


def test_on_a_good_day_every_expectation_holds(of_good: Results) -> None:
    assert [r for r in of_good.values() if not r.success] == []
    assert {suite for suite, _ in of_good} == {*NAMES, "money", "counts", "volume"}


def test_every_expectation_of_every_suite_is_answered_once(of_good: Results) -> None:
    for name in (*NAMES, "money"):
        wanted = [e.name for e in load_suite(name, DAY).expectations]
        assert len(set(wanted)) == len(wanted)
        assert wanted == [expectation for suite, expectation in of_good if suite == name]


def test_every_suite_counts_its_rows() -> None:
    for name in NAMES:
        assert "rows" in [e.name for e in load_suite(name, DAY).expectations]


def test_data_docs_are_local_pages(of_good: Results, good: Path) -> None:
    assert (good.parent / "docs" / "index.html").exists()


def test_the_file_can_be_written_again_afterwards(of_good: Results, good: Path) -> None:
    with duckdb.connect(str(good)) as db:
        db.execute("CREATE OR REPLACE TEMP TABLE free AS SELECT 1")


# the spoilt day

R = f"round = '{GOOD}'"
COPY = "INSERT INTO {t} SELECT * REPLACE ({what}) FROM {t} WHERE {r} LIMIT 1"


def _another(table: str, what: str) -> str:
    return COPY.format(t=table, what=what, r=R)


def _present(table: str, *columns: str) -> Iterator[tuple[str, str, str]]:
    for column in columns:
        yield table, "columns present", _another(table, f'NULL AS "{column}"')


SPOILT: list[tuple[str, str, str]] = [
    *_present("events", *never_null("events")),
    ("events", "type known", _another("events", "'Gossip' AS type")),
    ("events", "device known", _another("events", "'phone' AS device")),
    ("events", "seq in range", _another("events", "0 AS seq")),
    ("events", "seq once per table", _another("events", "seq AS seq")),
    (
        "events",
        "amounts placed are above zero",
        _another("events", "'BetPlaced' AS type, 0 AS amount, 1 AS box"),
    ),
    ("events", "every event's round is answered", _another("events", "'R-LOST' AS round")),
    *_present("rounds", *never_null("rounds")),
    ("rounds", "round unique", _another("rounds", "round AS round")),
    ("rounds", "status known", _another("rounds", "'odd' AS status")),
    ("rounds", "dealt_from known", _another("rounds", "'sleeve' AS dealt_from")),
    ("rounds", "decks in range", _another("rounds", "0 AS decks")),
    ("rounds", "boxes in range", _another("rounds", "0 AS boxes")),
    ("rounds", "events in range", _another("rounds", "0 AS events")),
    (
        "rounds",
        "a round that was answered has a known rulebook",
        _another("rounds", "'whist-v1' AS rulebook"),
    ),
    (
        "rounds",
        "a void has its paragraph, and only a void",
        _another("rounds", "'void' AS status, NULL AS void_clause"),
    ),
    ("rounds", "first event before the last", _another("rounds", "9 AS first_seq, 3 AS last_seq")),
    (
        "rounds",
        "what could not be settled says why",
        _another("rounds", "'unreplayable' AS status, 'R-MUTE' AS round"),
    ),
    ("rounds", "rounds opened = rounds answered", _another("rounds", "'R-MORE' AS round")),
    *_present("lines", *never_null("lines")),
    ("lines", "outcome known", _another("lines", "'tie' AS outcome")),
    ("lines", "bet known", _another("lines", "'tip' AS bet")),
    ("lines", "stake in range", _another("lines", "-1000 AS stake")),
    ("lines", "stake_returned in range", _another("lines", "-1000 AS stake_returned")),
    ("lines", "winnings in range", _another("lines", "-1000 AS winnings")),
    ("lines", "box in range", _another("lines", "0 AS box")),
    ("lines", "hand in range", _another("lines", "10 AS hand")),
    ("lines", "one line per bet", _another("lines", "bet AS bet")),
    (
        "lines",
        "no more goes back than was placed",
        _another("lines", "5 AS stake, 6000 AS stake_returned"),
    ),
    ("lines", "a lost bet wins nothing", _another("lines", "'lose' AS outcome, 5 AS winnings")),
    ("lines", "every line cites a paragraph", _another("lines", "[] AS clauses")),
    ("lines", "every line's round is there", _another("lines", "'R-LOST' AS round")),
    ("lines", "every bet has one line", f"DELETE FROM lines WHERE round = '{EMPTY}'"),
    *_present("settlements", *never_null("settlements")),
    ("settlements", "bet known", _another("settlements", "'tip' AS bet")),
    ("settlements", "stake in range", _another("settlements", "-1000 AS stake")),
    ("settlements", "stake_returned in range", _another("settlements", "-1000 AS stake_returned")),
    ("settlements", "winnings in range", _another("settlements", "-1000 AS winnings")),
    ("settlements", "parts in range", _another("settlements", "0 AS parts")),
    ("settlements", "one settlement per bet", _another("settlements", "bet AS bet")),
    (
        "settlements",
        "every settlement's round is there",
        _another("settlements", "'R-LOST' AS round"),
    ),
    (
        "settlements",
        "a settlement without a line has a finding",
        _another("settlements", "'P-NOBODY' AS player"),
    ),
    *[
        (t, e, f"INSERT INTO findings SELECT * REPLACE ({what}) FROM findings LIMIT 1")
        for t, e, what in (
            *(("findings", "columns present", f"NULL AS {c}") for c in never_null("findings")),
            ("findings", "id unique", "id AS id"),
            ("findings", "kind known", "'gossip' AS kind"),
            ("findings", "severity known", "'grave' AS severity"),
            ("findings", "each kind has its severity", "'money' AS severity, 0 AS money"),
            (
                "findings",
                "a money finding has its amount",
                "'money' AS severity, 'wrong_odds' AS kind, NULL AS money",
            ),
            (
                "findings",
                "a finding has a table or lies in quarantine",
                "NULL AS table_id, 'truncated' AS kind",
            ),
            ("findings", "every finding's round is there", "'R-LOST' AS round"),
        )
    ],
    (
        "money",
        "paid as the events say = settlements",
        f"UPDATE settlements SET winnings = winnings + 1 WHERE {R}",
    ),
    (
        "money",
        "settlements - lines = findings",
        f"UPDATE lines SET winnings = winnings + 3 WHERE {R}",
    ),
    (
        "money",
        "stakes of lines = chips placed less taken back",
        f"UPDATE lines SET stake = stake + 7 WHERE {R}",
    ),
]


KEYS = list(dict.fromkeys(s[:2] for s in SPOILT))


@pytest.fixture(scope="module")
def of_spoilt(good: Path, of_good: Results) -> Results:
    path = good.with_name("spoilt.duckdb")
    path.write_bytes(good.read_bytes())
    before = archived(path)
    with duckdb.connect(str(path)) as db:
        for _, _, statement in SPOILT:
            db.execute(statement)
    usual = history(good)
    absent = {"T-GONE": [Volume(DAY, "T-GONE", 5, 5.0)] * 3}
    busier = {
        t: [Volume(v.day, t, v.events * 50, v.hours + 9) for v in vs] for t, vs in usual.items()
    }
    counted = {"archived": before, "history": busier | absent}
    return by_name(run_suites(path, DAY, **counted))  # type: ignore[arg-type]


NOT_BY_A_ROW = {(name, "rows") for name in NAMES}


def test_every_expectation_is_spoilt_somewhere(of_good: Results) -> None:
    spoilt = {(suite, expectation) for suite, expectation, _ in SPOILT}
    others = {key for key in of_good if key[0] in {"counts", "volume"}}
    assert spoilt | others | NOT_BY_A_ROW == set(of_good)
    told = {"usual volume", "usual end", "every table is there"}
    assert {name for _, name in others} == told | {"events archived = loaded + quarantined"}


@pytest.mark.parametrize(("suite", "expectation"), KEYS, ids=[f"{s[0]}: {s[1]}" for s in KEYS])
def test_each_expectation_fails_on_bad_data(
    of_spoilt: Results, suite: str, expectation: str
) -> None:
    result = of_spoilt[suite, expectation]
    assert not result.success
    assert result.error is None
    assert result.unexpected_count > 0
    assert result.failing


@pytest.mark.parametrize("name", ["usual volume", "usual end", "every table is there"])
def test_an_unusual_day_is_told(of_spoilt: Results, name: str) -> None:
    assert not of_spoilt["volume", name].success


def test_what_was_archived_and_is_neither_loaded_nor_quarantined(of_spoilt: Results) -> None:
    result = of_spoilt["counts", "events archived = loaded + quarantined"]
    assert not result.success
    assert "RWS-BJ-01" in {f.table_id for f in result.failing}


def test_each_column_that_holds_nothing_is_named(of_spoilt: Results) -> None:
    for name in NAMES:
        failing = of_spoilt[name, "columns present"].failing
        assert {column for f in failing for column in f.key.split()} == set(never_null(name))


def test_every_column_that_may_not_be_null_is_asked() -> None:
    asked = {name: set(never_null(name)) for name in NAMES}
    assert asked["events"] == set(
        "table_id seq type seen_at device source partition offset".split()
    )
    assert asked["rounds"] >= set("table_id round status decks boxes events closed".split())
    paid = set("table_id round box hand player bet stake stake_returned winnings".split())
    assert asked["lines"] == paid | {"outcome", "clauses", "readings"}
    assert asked["settlements"] == paid | {"parts", "corrected"}
    assert asked["findings"] == set("id kind severity message clauses".split())


NO_TABLE = {("findings", "a finding has a table or lies in quarantine")}
"""What is missing can't be named; the other of the two is."""


@pytest.mark.parametrize(("suite", "expectation"), KEYS, ids=[f"{s[0]}: {s[1]}" for s in KEYS])
def test_failing_rows_of_each_expectation_carry_table_and_round(
    of_spoilt: Results, suite: str, expectation: str
) -> None:
    failing = of_spoilt[suite, expectation].failing
    named = {(f.table_id is not None, f.round is not None) for f in failing}
    assert ((suite, expectation) not in NO_TABLE, True) in named


def test_money_that_is_off_is_found_in_its_round(of_spoilt: Results) -> None:
    for name in (
        "paid as the events say = settlements",
        "settlements - lines = findings",
        "stakes of lines = chips placed less taken back",
    ):
        assert ("RWS-BJ-01", GOOD) in {
            (f.table_id, f.round) for f in of_spoilt["money", name].failing
        }
    assert Failing("RWS-BJ-01", "R-MORE", "opened 0, answered 1") in (
        of_spoilt["rounds", "rounds opened = rounds answered"].failing
    )


def test_failing_rows_name_table_and_round(of_spoilt: Results) -> None:
    unowned = of_spoilt["settlements", "a settlement without a line has a finding"].failing
    assert any(
        f.table_id == "RWS-BJ-01" and f.round == GOOD and "P-NOBODY" in f.key for f in unowned
    )
    lost = of_spoilt["lines", "every bet has one line"].failing
    assert {f.round for f in lost if f.round == EMPTY} == {EMPTY}
    assert Failing("RWS-BJ-01", GOOD, "decks 0") in of_spoilt["rounds", "decks in range"].failing


def test_empty_tables_fail_by_their_row_counts(
    good: Path, tmp_path: Path, of_good: Results
) -> None:
    """Each as far as the others say that it must hold something; a day may have no finding."""
    path = tmp_path / "empty.duckdb"
    path.write_bytes(good.read_bytes())
    for names, wanted in (
        (("lines", "settlements", "findings"), {"lines", "settlements"}),
        (("rounds",), {"rounds", "settlements"}),
        (("events",), {"events"}),
    ):
        with duckdb.connect(str(path)) as db:
            for name in names:
                db.execute(f"DELETE FROM {name}")
        results = by_name(run_suites(path, date(2026, 11, 14)))
        assert {
            suite for suite, name in results if name == "rows" and not results[suite, name].success
        } == wanted


def test_an_expectation_that_errors_is_told_from_one_that_fails(good: Path, tmp_path: Path) -> None:
    """In the same file a flood of findings, one more than a day can have."""
    path = tmp_path / "odd.duckdb"
    path.write_bytes(good.read_bytes())
    with duckdb.connect(str(path)) as db:
        (had,) = db.execute("SELECT count(*) FROM findings").fetchall()[0]
        db.execute(
            "INSERT INTO findings SELECT f.* REPLACE (concat('F-', n) AS id) "
            f"FROM (FROM findings LIMIT 1) AS f, range({200_001 - had}) AS many(n)"
        )
        db.execute("ALTER TABLE findings RENAME COLUMN money TO cash")
        db.execute("ALTER TABLE findings ADD COLUMN money VARCHAR")
        db.execute("ALTER TABLE rounds RENAME COLUMN dealt_from TO source")
    results = by_name(run_suites(path, DAY))
    for odd in (
        results["rounds", "dealt_from known"],
        results["money", "settlements - lines = findings"],
    ):
        assert not odd.success
        assert odd.error
    assert results["rounds", "status known"].success
    flood = results["findings", "rows"]
    assert (flood.success, flood.error) == (False, None)
    assert "200001" in flood.observed


def test_importing_the_package_imports_neither_library() -> None:
    code = "import checks.quality, sys; print([m for m in ('great_expectations', 'duckdb') "
    code += "if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
