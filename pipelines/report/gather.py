"""The facts of a report put together, the worst findings with the round they come from."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from pipelines.house_time import on_house_clock
from pipelines.night.context import Night
from pipelines.night.summary import summarise, worst
from pipelines.report.data import DayQuestions, Facts, Row
from pipelines.warehouse.connect import connect_stage
from pipelines.warehouse.sql_text import literal
from pipelines.warehouse.views import hands_where

WORST = 25


def gather(night: Night, found: pa.Table) -> Facts:
    """Ask the staged catalogue everything that the report says."""
    with connect_stage(night.folder.stage) as db:
        db.execute(
            "CREATE TEMP VIEW figures_now AS SELECT * FROM read_parquet("
            f"{literal(night.folder.small('figures'))}, hive_partitioning = false)"
        )
        db.execute(
            "CREATE TEMP VIEW quality_now AS SELECT * FROM read_parquet("
            f"{literal(night.folder.small('quality'))}, hive_partitioning = false)"
        )
        asked = DayQuestions(db, night)
        return Facts(
            totals=asked.totals(),
            summary=summarise(found, asked.currencies),
            hours=asked.hours(),
            groups=[
                asked.grouped("kind", "kind"),
                asked.grouped("severity", "severity"),
                asked.grouped("table", "table_id", "no table"),
                asked.grouped("dealer", "dealer", "not known"),
                asked.by_hour(),
                asked.grouped("rulebook", "rulebook", "not known"),
            ],
            voids=asked.voids(),
            irregularities=asked.irregularities(),
            rulings=asked.rulings(),
            quality=asked.rows("SELECT * FROM quality_now ORDER BY passed, suite, check_name"),
            integrity=asked.integrity(),
            waivers=asked.rows("SELECT * FROM waivers ORDER BY id"),
            several=asked.currencies.several,
            worst=_worst(asked, night, found),
        )


def _worst(asked: DayQuestions, night: Night, found: pa.Table) -> list[Row]:
    """The findings to look at first, each with its round as far as it helps to judge it."""
    rows = worst(found, WORST)
    hands = _hands(asked, {(f["table_id"], f["round"]) for f in rows if f["round"]})
    gists = _gists(asked, rows)
    zone = night.settings.timezone
    for f in rows:
        f["currency"] = asked.currencies.of(f["table_id"]) if asked.currencies.several else None
        f["expected"] = json.loads(f["expected"]) if f["expected"] else None
        f["recorded"] = json.loads(f["recorded"]) if f["recorded"] else None
        f["hands"] = hands.get((f["table_id"], f["round"]), [])
        f["gists"] = [(c, gists.get((f["rulebook"], c), "")) for c in f["clauses"] or ()]
        f["time"] = f"{on_house_clock(f['seen_at'], zone):%H:%M:%S}" if f["seen_at"] else None
    return rows


def _hands(asked: DayQuestions, rounds: set[tuple[str, str]]) -> dict[tuple[str, str], list[Row]]:
    """The cards as they lay, dealer first."""
    if not rounds:
        return {}
    tables, ids = (
        ", ".join(sorted(map(literal, set(names)))) for names in zip(*rounds, strict=True)
    )
    sql = hands_where(f"table_id IN ({tables}) AND round IN ({ids})")
    out: dict[tuple[str, str], list[Row]] = {}
    for row in asked.rows(f"{sql} ORDER BY box, hand"):
        out.setdefault((row["table_id"], row["round"]), []).append(row)
    return out


def _gists(asked: DayQuestions, rows: list[Row]) -> dict[tuple[Any, Any], str]:
    if not rows:
        return {}
    found = asked.rows("SELECT rulebook, number, gist FROM clauses")
    return {(c["rulebook"], c["number"]): c["gist"] for c in found}
