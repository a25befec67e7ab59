"""The SQL door lets only questions in: a list of attacks, and a fuzz over DuckDB's statements.

After every try each file of archive and warehouse is the same file with the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from pipelines.ask.functions import REFUSED, TABLE_FUNCTIONS, allowed, why_refused
from pipelines.ask.gate import LONGEST, check
from pipelines.ask.ready import ready_questions
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.read import open_readonly
from tests.investigate.attacks import ATTACKS, READS, WRITES
from tests.investigate.conftest import House
from tests.investigate.here import evenhand_here

Prints = dict[str, tuple[int, int, int, str]]


def prints(home: Path) -> Prints:
    """Every file and folder of archive and warehouse: inode, times and bytes."""
    out = {}
    for top in (home / "archive", home / "warehouse"):
        for path in [top, *sorted(top.rglob("*"))]:
            stat = path.lstat()
            text = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            out[str(path)] = (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, text)
    return out


def filled(home: Path, text: str) -> str:
    """An attack on this house."""
    run = next((home / "warehouse").glob("day=*/run=*"))
    places = {
        "parquet": next(run.glob("lines-*.parquet")),
        "columns": next((home / "archive").rglob("*.parquet")),
        "catalogue": home / "warehouse" / "audit.duckdb",
        "run": run,
        "secret": "/etc/hostname",
        "new": home / "warehouse" / "new",
    }
    return re.sub(r"\{(\w+)\}", lambda m: str(places[m[1]]), text)


@pytest.fixture(scope="module")
def home(audited: House) -> Path:
    return audited.folder / ".evenhand"


def asked(home: Path, sql: str) -> None:
    """As every door asks: all of it is checked, then each is run."""
    questions = check(sql)
    with open_readonly(home) as db:
        for question in questions:
            db.execute(question.sql).fetchall()


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_one_sentence_and_changes_nothing(home: Path, attack: str) -> None:
    before = prints(home)
    sql = filled(home, attack)
    with pytest.raises((WarehouseError, duckdb.Error)) as refused:
        asked(home, sql)
    if attack in WRITES:  # refused before a connection is opened, not by DuckDB
        assert isinstance(refused.value, WarehouseError)
    assert prints(home) == before
    assert not list(Path.cwd().glob(".tmp*"))


def test_the_attack_of_the_day_through_the_command(audited: House, home: Path) -> None:
    before = prints(home)
    for attack in (*WRITES[:10], *READS[:3]):
        done = evenhand_here(audited.folder, "sql", filled(home, attack))
        assert (done.returncode, done.stdout) == (2, ""), attack
        assert len(done.stderr.splitlines()) == 1, attack
    assert prints(home) == before


@pytest.mark.parametrize("attack", [WRITES[1], WRITES[8]])
def test_the_attacks_are_real(home: Path, tmp_path: Path, attack: str) -> None:
    """Without the gate DuckDB does as it is told: read-only and locked do not keep a file."""
    copy = tmp_path / ".evenhand"
    shutil.copytree(home, copy)
    before = prints(copy)
    with open_readonly(copy) as db:
        db.execute(filled(copy, attack)).fetchall()
    assert prints(copy) != before


def test_nothing_of_several_runs_where_one_does_not_pass(audited: House) -> None:
    done = evenhand_here(audited.folder, "sql", "SELECT 1 AS seen; SELECT 2; DROP TABLE runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert "statement 3 of 3: expected a SELECT, found DROP" in done.stderr


QUESTIONS = (
    "SELECT 1", "FROM rounds LIMIT 1", "TABLE runs", "VALUES (1)", "SHOW TABLES", "SHOW ALL TABLES",
    "DESCRIBE rounds", "DESCRIBE SELECT 1", "SUMMARIZE runs", "EXPLAIN SELECT * FROM rounds",
    "EXPLAIN ANALYZE SELECT count(*) FROM rounds", "explain (analyze, format json) select 1",
    "EXPLAIN /* why */ ANALYZE -- so\n(SELECT 1)", "EXPLAIN (FORMAT json) SELECT 1",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r",
    "PIVOT findings ON kind IN ('wrong_odds', 'late_bet') USING count(*) GROUP BY day",
    "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME n VALUE v",
    "SELECT * FROM rounds USING SAMPLE 10%", "FROM rounds TABLESAMPLE reservoir(3)",
    "SELECT row_number() OVER (ORDER BY round), lag(round) OVER w FROM rounds "
    "WINDOW w AS (ORDER BY round) QUALIFY row_number() OVER () < 3",
    "SELECT COLUMNS('r.*') FROM rounds", "SELECT * EXCLUDE (day) REPLACE (upper(round) AS round) "
    "FROM rounds", "FROM rounds SEMI JOIN findings USING (round) LIMIT 2",
    "SELECT list_transform([1, 2], lambda x: x + 1), {'type': 'COPY'}, MAP {'class': 1}",
    "SELECT DISTINCT ON (table_id) table_id, round FROM rounds ORDER BY ALL LIMIT 10%",
    "SELECT current_date, CURRENT_TIMESTAMP, current_user, getvariable('x'), 'a' COLLATE NOCASE",
    "SELECT table_name FROM information_schema.tables", "SELECT * FROM duckdb_columns()",
    "SELECT * FROM pragma_table_info('runs')", "SELECT unnest([1, 2])", "FROM range(3) t(i)",
    "SELECT '{\"a\": 1}'::JSON ->> '$.a'",
    "SELECT strftime(seen_at, '%H') FROM events LIMIT 1", "SELECT audit.main.runs.run FROM runs",
    'WITH "my rounds" AS (FROM rounds) SELECT count(*) AS "how many" FROM "my rounds"',
    "SELECT x FROM runs, LATERAL (SELECT revision + 1 AS x) GROUP BY ROLLUP (x)",
)  # fmt: skip


@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_question_passes_and_leaves_no_trace(home: Path, sql: str) -> None:
    before = prints(home)
    asked(home, sql)
    assert prints(home) == before


def test_every_ready_question_passes() -> None:
    for ready in ready_questions().values():
        assert check(ready.sql), ready.name


def test_every_function_of_duckdb_was_looked_at() -> None:
    """A new DuckDB brings functions that nobody has judged: they are refused, and named here."""
    with duckdb.connect() as db:
        rows = db.execute("SELECT function_name, function_type FROM duckdb_functions()").fetchall()
    tables = {name for name, kind in rows if kind.startswith("table")}
    values = {name.lower() for name, kind in rows if kind in {"scalar", "aggregate", "macro"}}
    operators = {"is distinct from", "is not distinct from"}  # parsed as comparisons
    assert tables - TABLE_FUNCTIONS - set(REFUSED) == {"histogram"}  # the table macro of that name
    assert tables >= TABLE_FUNCTIONS
    unjudged = {n for n in values - allowed() - operators if why_refused(n) is None}
    assert unjudged == set()
    assert not allowed() & set(REFUSED)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT cuont(*) FROM rounds", 'Did you mean "count"?'),
        ("FROM rnage(3)", 'Did you mean "range"?'),
        ("SELECT * FROM round", 'Did you mean "rounds'),
        ("SELECT 1;\nSELECT\n  monny FROM findings", "statement 2 of 2: Binder Error"),
        ("SELECT monny FROM findings", 'Candidate bindings: "money"'),
        ("SELECT 1 +", "syntax error at or near"),
        ("SELECT 1 FRM rounds x", "(line 1, column 14)"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "Max expression depth"),
        ("FROM " + "(FROM " * 3000 + "runs" + ")" * 3000, "nested too deeply"),
        ("SELECT 1 " + " " * LONGEST, "expected at most 100,000 characters"),
        ("PIVOT findings ON kind", "a PIVOT needs its values named"),
    ],
)
def test_what_duckdb_says_reaches_the_user_on_one_line(audited: House, sql: str, says: str) -> None:
    done = evenhand_here(audited.folder, "sql", sql)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_every_statement_of_several_is_answered(audited: House, tmp_path: Path) -> None:
    sql = "SELECT 41 + 1 AS a; -- and\n SELECT 'x;y' AS b;"
    shown = evenhand_here(audited.folder, "sql", sql)
    assert shown.returncode == 0
    assert [line.strip() for line in shown.stdout.splitlines()] == [
        "a", "42", "1 row", "b", "x;y", "1 row",
    ]  # fmt: skip
    table = evenhand_here(audited.folder, "sql", sql, "--format", "csv")
    assert table.stdout == "a\n42\n\nb\nx;y\n"
    file = tmp_path / "answers.json"
    evenhand_here(audited.folder, "sql", sql, "--format", "json", "-o", str(file))
    assert file.read_text() == '[\n {"a": 42}\n]\n[\n {"b": "x;y"}\n]\n'
    many = evenhand_here(
        audited.folder, "sql", sql, "--format", "parquet", "-o", str(tmp_path / "x.parquet")
    )
    assert many.returncode == 2
    assert "--format parquet takes one question, found 2" in many.stderr


def test_a_second_statement_that_fails_leaves_no_file(audited: House, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    done = evenhand_here(
        audited.folder, "sql", "SELECT 1; SELECT x FROM runs", "--format", "csv", "-o", str(file)
    )
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


# --- a fuzz: pieces of DuckDB's grammar put together at random -------------------------------

_STATEMENTS = (
    "COPY ({q}) TO '{parquet}' (FORMAT {f}, USE_TMP_FILE false)", "COPY {t} TO '{new}.csv'",
    "COPY {t} FROM '{secret}'", "INSERT INTO {t} {q}", "UPDATE {t} SET money = 0 RETURNING *",
    "DELETE FROM {t} RETURNING *", "CREATE OR REPLACE TABLE {t} AS {q}",
    "CREATE TEMP VIEW v AS {q}",
    "DROP TABLE IF EXISTS {t}", "ALTER TABLE {t} RENAME TO y", "ATTACH '{catalogue}' AS w",
    "DETACH audit", "EXPORT DATABASE '{new}'", "IMPORT DATABASE '{run}'", "CHECKPOINT",
    "VACUUM {t}",
    "SET memory_limit = '1GB'", "PRAGMA database_list", "CALL checkpoint()", "LOAD json",
    "INSTALL json", "BEGIN", "COMMIT", "PREPARE p AS {q}", "EXECUTE p", "USE memory", "{q}",
    "COMMENT ON TABLE {t} IS 'x'", "TRUNCATE {t}", "COPY FROM DATABASE audit TO memory",
    "CREATE SECRET s (TYPE http)", "SET VARIABLE x = ({q})", "RESET threads", "PIVOT {t} ON day",
    "MERGE INTO {t} USING runs ON true WHEN MATCHED THEN DELETE", "CREATE MACRO m() AS TABLE {q}",
    "COPY (SELECT 1 AS a, 2 AS b) TO '{run}' (FORMAT {f}, PARTITION_BY (b), OVERWRITE_OR_IGNORE)",
)  # fmt: skip
_WRAPS = (
    "{s}", "{s}", "EXPLAIN {s}", "EXPLAIN ANALYZE {s}", "EXPLAIN (ANALYZE, FORMAT json) {s}",
    "WITH a AS ({s}) SELECT * FROM a", "WITH a AS MATERIALIZED ({s}) FROM a", "DESCRIBE {s}",
    "SUMMARIZE {s}", "SELECT * FROM ({s})", "SELECT 1; {s}", "{s}; SELECT 1", "SELECT ({s})",
    "SELECT EXISTS ({s})", "FROM query('{e}')", "/* x */ {s} -- y", "({s})", "PREPARE p AS {s}",
    "SELECT 1 UNION ALL ({s})", "WITH RECURSIVE r AS (SELECT 1 UNION ALL ({s})) FROM r",
    "SELECT * FROM (WITH a AS ({s}) FROM a)", "SELECT json_serialize_plan('{e}')",
)  # fmt: skip
_QUESTIONS = (
    "SELECT 1 AS a", "FROM {t}", "SELECT * FROM '{parquet}'", "SELECT * FROM {fn}('{parquet}')",
    "SELECT {fn}('{secret}')", "SHOW TABLES", "VALUES (1)", "SELECT count(*) FROM {t}",
    "SELECT {fn}(1)", "SELECT * FROM {fn}()",
)  # fmt: skip


def _made(chance: random.Random, functions: list[str]) -> str:
    """A text that may be anything from a question to an attack."""
    words: dict[str, Callable[[], str]] = {
        "q": lambda: chance.choice(_QUESTIONS),
        "t": lambda: chance.choice(
            ("findings", "rounds", "runs", "audit.main.waivers", "memory.x")
        ),
        "f": lambda: chance.choice(("csv", "parquet", "json")),
        "fn": lambda: chance.choice(functions),
        "s": lambda: "{q}" if chance.random() < 0.5 else chance.choice(_STATEMENTS),
        "e": lambda: chance.choice(_STATEMENTS).replace("'", "''"),
    }
    text = chance.choice(_WRAPS)
    if chance.random() < 0.3:
        text = text.replace("{s}", chance.choice(_WRAPS))
    for _ in range(6):
        text = re.sub(r"\{(q|t|f|fn|s|e)\}", lambda m: words[m[1]](), text)
    if chance.random() < 0.1:
        spot = chance.randrange(len(text))
        text = text[:spot] + chance.choice("();'\"-/*\n") + text[spot:]
    return text


def fuzz(home: Path, seed: int, tries: int, every: int) -> tuple[int, int]:
    """How many texts passed and how many were refused; raises where a byte has changed.

    The names of all of DuckDB's functions take part.
    """
    chance = random.Random(seed)
    with duckdb.connect() as db:
        rows = db.execute("SELECT DISTINCT function_name FROM duckdb_functions() ORDER BY 1")
        functions = [name for (name,) in rows.fetchall() if name.isidentifier()]
    before, passed, refused, since = prints(home), 0, 0, []
    for n in range(tries):
        sql = filled(home, _made(chance, functions))
        since.append(sql)
        try:
            asked(home, sql)
            passed += 1
        except (WarehouseError, duckdb.Error):
            refused += 1
        if n % every == every - 1:
            assert prints(home) == before, since
            since.clear()
    assert prints(home) == before, since
    return passed, refused


def test_a_fuzz_over_statements_changes_no_byte(home: Path) -> None:
    passed, refused = fuzz(home, seed=18, tries=600, every=20)
    assert passed > 30
    assert refused > 300


@pytest.mark.soak
def test_a_long_fuzz_changes_no_byte(home: Path) -> None:
    tries = int(os.environ.get("FUZZ_TRIES", "100000"))
    fuzz(home, seed=int(os.environ.get("FUZZ_SEED", "1")), tries=tries, every=100)
