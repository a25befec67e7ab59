"""docs/sql.md: how to ask, and every table and column as the catalogue's own comments tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.ask.ready import ready_questions

if TYPE_CHECKING:
    import duckdb

_HEAD = """\
# Asking the warehouse

Made by `evenhand sql --describe > docs/sql.md` on a house with a published day; a test keeps it
current.

    evenhand sql "SELECT table_id, overpaid FROM tables_by_day ORDER BY overpaid DESC"
    evenhand sql --query voids-by-clause
    evenhand sql --file my.sql --format csv -o answer.csv
    evenhand sql

The last one opens a prompt with history and completion. `--format` is table, csv, json, markdown,
parquet or xlsx (the last two into a file, `-o`); `-x` prints one column a line. In a pipe a row is
a line of any length; on a terminal nothing is cut either. Money is in integer cents, times are UTC,
a gaming day is a DATE; `findings_read` and `lines_read` have currency, the house's clock and plain
words. An event that the log holds twice is twice in `events`, and once in `bets`, `decisions`,
`cards`, `hands`, `irregularities` and `meter_history`. Several statements are answered one after
another; as CSV with an empty line between them, as JSON each as a list of its own. Only
questions pass: SELECT (also FROM, VALUES, TABLE, WITH, PIVOT with its values named), EXPLAIN of
one, DESCRIBE, SHOW, SUMMARIZE. All statements are looked at before the first one runs; what would
write, call a function that reads files or runs SQL out of a text, or name a file as a table is
refused with the reason (docs/security.md). A query takes at most `--memory` (4GB) and is stopped by
Ctrl-C. A night that publishes meanwhile is neither blocked nor seen until the next question.

## With other tools

    evenhand sql --ui

opens the warehouse in Harlequin, or else in DuckDB's own prompt, whichever is on the PATH; where
neither is, in Harlequin by `uvx`, which fetches it. By hand, and for others:

- **Harlequin**: `uvx harlequin --read-only .evenhand/warehouse/audit.duckdb`. Tried: 2.17.0, which
  brings DuckDB 2.0.0: the list of tables, and queries (Ctrl-J runs one).
- **DuckDB's prompt**: `uvx --from duckdb-cli duckdb -readonly .evenhand/warehouse/audit.duckdb`.
  Tried: 1.5.6 and 1.4.4, with every ready question (`.read docs/queries/voids-by-clause.sql`).
- **Anything with JDBC**: driver `org.duckdb:duckdb_jdbc`, address
  `jdbc:duckdb:/full/path/.evenhand/warehouse/audit.duckdb;duckdb.read_only=true`, no user and no
  password. Tried: 2.0.0.1 under SQLLine 1.12.0, and from Java: opened again every second while a
  night published, every opening answered, from the old run or from the new one; a write is refused.
- **DBeaver** takes that driver and path; set `duckdb.read_only` to `true` under driver properties,
  or it asks for the lock to write. The driver was tried as above; DBeaver itself needs a desktop
  and was not.
- **pandas, Polars**: `examples/notebook.ipynb`, an auditor's morning in both, run by a test: what
  changed, what costs most, odds as paid, one round line by line. It reads `EVENHAND_HOME`.
- **Excel, LibreOffice**: `evenhand sql --query worst-findings --format xlsx -o worst.xlsx`, a sheet
  for each question, cells with types, no text taken for a formula. Read back with openpyxl 3.1;
  Excel itself was not at hand. For a live connection Excel takes the ODBC driver of DuckDB with
  `access_mode=READ_ONLY`; that was not tried.

The catalogue is one file; the big tables are views over Parquet files that it names by their full
path, so it is opened on the machine (or mount) where it lies. It is written in the format of DuckDB
1.4; tools with DuckDB 1.3 or older refuse it. Read-only keeps a tool from holding the file against
a night; a night publishes by putting a new file in place, so reopen to see it. These tools run with
your own rights, and only the warehouse is read-only: which other files they read and how much
memory they take is up to you. They show times in your own zone; `SET TimeZone = 'UTC'` shows them
as `evenhand sql` does.

## Ready questions

`evenhand sql --query QUESTION`; the files are in docs/queries/.

"""


def markdown(db: duckdb.DuckDBPyConnection) -> str:
    """The whole page."""
    out = [_HEAD]
    out += [f"- `{ready.name}`: {ready.question}\n" for ready in ready_questions().values()]
    out.append("\n## Tables and views\n")
    for name, comment in _tables(db):
        out.append(f"\n### {name}\n\n{comment[:1].upper()}{comment[1:]}.\n\n")
        out.append("| column | type | meaning |\n|---|---|---|\n")
        out += [f"| `{c}` | {kind} | {words} |\n" for c, kind, words in _columns(db, name)]
    return "".join(out)


def _tables(db: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return db.execute(
        "SELECT table_name, coalesce(comment, '') FROM duckdb_tables() WHERE NOT internal "
        "UNION ALL SELECT view_name, coalesce(comment, '') FROM duckdb_views() WHERE NOT internal "
        "ORDER BY 1"
    ).fetchall()


def _columns(db: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str, str]]:
    return db.execute(
        "SELECT column_name, replace(data_type, '|', ' '), coalesce(comment, '') "
        "FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index",
        [table],
    ).fetchall()
