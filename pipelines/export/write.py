"""Writing an export: into a folder of its own, whole or not at all."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from events.runtime.durable import sync_folder
from pipelines.ask.answers import write_csv, write_parquet
from pipelines.export.period import DayStatement, ExportError
from pipelines.export.signed import MANIFEST, SIGNED, sign_files
from pipelines.safe_text import for_json

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from events.trust.note import SignerKey

ORDER = {
    "rounds": "day, table_id, first_seq, round",
    "lines": "day, table_id, round, box, hand, player, bet",
    "findings": "day, table_id, round, seq, kind, box, hand, player, bet, id",
}
PEOPLE = "people_log"


def write_export(
    db: duckdb.DuckDBPyConnection | None,
    days: list[DayStatement],
    folder: Path,
    about: dict[str, Any],
    people: pa.Table,
    key: SignerKey | None = None,
) -> dict[str, Any]:
    """Write all files beside the folder, then put it in place. Answers its manifest.

    `key`: the house's, which signs for every file; without one nobody does."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(f"{folder}: expected a folder that is empty or not there yet")
    draft = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        rows = _tables(db, days, draft) | {PEOPLE: _people(people, draft)}
        (draft / "statement.txt").write_text(_statement(days), "utf-8")
        manifest = _manifest(days, draft, rows, about)
        text = for_json(manifest, indent=1) + "\n"
        (draft / MANIFEST).write_text(text, "utf-8")
        if key is not None:
            (draft / SIGNED).write_text(sign_files(draft, manifest, key) + "\n", "utf-8")
        if folder.exists():
            folder.rmdir()
        draft.replace(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _tables(
    db: duckdb.DuckDBPyConnection | None, days: list[DayStatement], draft: Path
) -> dict[str, int]:
    """Each table as CSV and as Parquet, in the same order. Without a warehouse there is none."""
    if db is None:
        return {}
    rows = {}
    period: list[Any] = [days[0].day, days[-1].day]
    for name, order in ORDER.items():
        sql = f"SELECT * FROM {name} WHERE day BETWEEN ? AND ? ORDER BY {order}"
        rows[name] = write_parquet(db, sql, draft / f"{name}.parquet", period)
        with (draft / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            write_csv(db.execute(sql, period), file)
    return rows


def _people(people: pa.Table, draft: Path) -> int:
    """What people did, in the same two forms; the chain's hashes are among the columns."""
    import duckdb

    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        db.register(PEOPLE, people)
        sql = f"SELECT * FROM {PEOPLE} ORDER BY number"
        with (draft / f"{PEOPLE}.csv").open("w", encoding="utf-8", newline="") as file:
            write_csv(db.execute(sql), file)
        return write_parquet(db, sql, draft / f"{PEOPLE}.parquet")


def _statement(days: list[DayStatement]) -> str:
    lines = [f"Gaming days {days[0].day} to {days[-1].day}", ""]
    return "\n".join([*lines, *(one.text for one in days), ""])


def _manifest(
    days: list[DayStatement], draft: Path, rows: dict[str, int], about: dict[str, Any]
) -> dict[str, Any]:
    files = []
    for path in sorted(draft.iterdir()):
        content = path.read_bytes()
        entry = {
            "name": path.name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        table = path.stem
        files.append(entry | ({"rows": rows[table]} if table in rows else {}))
    return {
        **about,
        "from": days[0].day.isoformat(),
        "to": days[-1].day.isoformat(),
        "days": [
            {
                "day": one.day.isoformat(),
                "activity": one.active,
                "statement": one.text,
                "run": one.run,
                "rounds": one.rounds,
                "lines": one.lines,
                "findings": one.findings,
                "silent_tables": one.silent,
            }
            for one in days
        ],
        "files": files,
    }
