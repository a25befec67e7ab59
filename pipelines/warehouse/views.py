"""The catalogue's views: over the Parquet files of each day, and over the events."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.warehouse.audit_views import audit_statements
from pipelines.warehouse.layout import PARTS, RunFolder
from pipelines.warehouse.once import once
from pipelines.warehouse.sql_text import literal
from pipelines.warehouse.words import PLAYERS, part_schema

_KEY = "day, table_id, round"

# NOT MATERIALIZED, and nothing asked twice in the same words: else DuckDB works that out for all
# days before it looks for one round's. Of the cards before a split the last one counts, so that an
# event which the log holds twice makes no difference there.
CARDS = f"""
WITH drawn AS NOT MATERIALIZED (
    {
    once(
        "day, run, table_id, round, seq, seen_at, draw, box, hand, card, face_up, "
        "type = 'CardBurnt' AS burnt",
        "type IN ('CardDealt', 'CardBurnt')",
    )
}),
moved AS NOT MATERIALIZED (
    SELECT {_KEY}, m.draw AS draw, max_by(m.box, seq) AS box, max_by(m.hand, seq) AS hand
    FROM (SELECT {_KEY}, seq, unnest(moves) AS m FROM events WHERE type = 'CardsMoved')
    GROUP BY ALL),
split AS NOT MATERIALIZED (
    SELECT s.day, s.table_id, s.round, s.new_hand AS hand, max(c.draw) AS draw
    FROM events s JOIN events c USING ({_KEY}, box, hand)
    WHERE s.type = 'DecisionMade' AND s.decision = 'split'
      AND c.type = 'CardDealt' AND c.seq < s.seq
    GROUP BY ALL),
gone AS NOT MATERIALIZED (
    SELECT DISTINCT {_KEY}, draw FROM events WHERE type = 'CardDiscarded')
SELECT d.day, d.table_id, d.round, d.seq, d.seen_at, d.draw, d.card, d.face_up, d.burnt,
       gone.draw IS NOT NULL AS discarded,
       coalesce(moved.box, d.box) AS box, coalesce(moved.hand, split.hand, d.hand) AS hand,
       d.box AS dealt_box, d.hand AS dealt_hand, d.run
FROM drawn d
LEFT JOIN moved USING ({_KEY}, draw)
LEFT JOIN split USING ({_KEY}, draw)
LEFT JOIN gone USING ({_KEY}, draw)
"""

HANDS = f"""
WITH decided AS NOT MATERIALIZED (
    SELECT {_KEY}, box, hand, list(decision ORDER BY seq) AS decisions
    FROM ({once(f"{_KEY}, seq, box, hand, decision", "type = 'DecisionMade'")}) GROUP BY ALL),
lying AS NOT MATERIALIZED (
    SELECT {_KEY}, box, hand, any_value(run) AS run, list(card ORDER BY draw) AS cards,
           count(*)::INTEGER AS card_count, min(draw) AS first_draw
    FROM cards WHERE NOT burnt AND NOT discarded GROUP BY ALL)
SELECT {_KEY}, box, hand, cards, card_count, first_draw, decisions, run
FROM lying LEFT JOIN decided USING ({_KEY}, box, hand)
"""

OVER_EVENTS = {
    "cards": CARDS,
    "hands": HANDS,
    "bets": once(
        f"{_KEY}, seq, seen_at, type, box, hand, player, bet, amount, seated, run",
        "type IN ('BetPlaced', 'BetWithdrawn', 'BetRefused')",
    ),
    "decisions": once(
        f"{_KEY}, seq, seen_at, box, hand, player, decision, new_hand, run",
        "type = 'DecisionMade'",
    ),
    "irregularities": once(
        f"{_KEY}, seq, seen_at, type, kind, box, hand, player, noted_by, clause, ruling, option, "
        "reason, detail, run",
        "type IN ('IrregularityNoted', 'RulingMade', 'OptionTaken', 'RoundVoided', 'CardsMoved', "
        "'CardDiscarded')",
    ),
}


def hands_where(condition: str) -> str:
    """The rows of `hands` for the events of a condition, without working out those of the rest: a
    condition on the view itself is asked after all hands of all days were put together."""
    return (
        f"WITH events AS MATERIALIZED (SELECT * FROM main.events WHERE {condition}), "
        f"cards AS ({CARDS}) SELECT * FROM ({HANDS})"
    )


def view_statements(folders: Sequence[RunFolder]) -> list[str]:
    """Statements that create all views for these runs, one run per day."""
    over_files = [f"CREATE VIEW {name} AS {_over_files(name, folders)}" for name in PARTS]
    over_events = [f"CREATE VIEW {name} AS {sql}" for name, sql in OVER_EVENTS.items()]
    # sorted by player, so that one player's rows are found without reading the others'
    players = [[f.small("players")] for f in folders if f.small("players").exists()]
    over_files.append(f"CREATE VIEW player_figures AS {select_from(players, PLAYERS)}")
    return [*over_files, *over_events, *audit_statements()]


def _over_files(name: str, folders: Sequence[RunFolder]) -> str:
    """A view that names the exact files."""
    # a run's own tables are written by one program; its events may be files of several times
    parts = [folder.parts(name) for folder in folders]
    alike = [[[p] for p in some] if name == "events" else [some] for some in parts]
    return select_from([files for some in alike for files in some], part_schema(name))


def select_from(alike: Sequence[Sequence[Path]], schema: pa.Schema) -> str:
    """The rows of these files with today's columns, and their run.

    `alike`: lists of files that have the same columns; without any there are no rows. A column
    that a file of an earlier time lacks is null there.
    """
    if not alike:
        return f"SELECT {_listed(schema, ())}, NULL::VARCHAR AS run WHERE false"
    by_columns: dict[tuple[str, ...], list[Path]] = {}
    for files in alike:
        by_columns.setdefault(tuple(pq.read_schema(files[0]).names), []).extend(files)
    return "\nUNION ALL BY NAME\n".join(
        f"SELECT {_listed(schema, columns)}, run "
        f"FROM read_parquet([{', '.join(map(literal, files))}], hive_partitioning = true, "
        f"hive_types = {{'day': DATE, 'run': VARCHAR}})"
        for columns, files in by_columns.items()
    )


def _listed(schema: pa.Schema, columns: Collection[str]) -> str:
    """Today's columns, each as it is in the file or as a null of its type."""
    absent = [field for field in schema if field.name not in columns]
    nulls = {}
    if absent:
        with duckdb.connect() as db:
            kinds = db.from_arrow(pa.schema(absent).empty_table()).types
            nulls = {f.name: f"NULL::{kind} AS " for f, kind in zip(absent, kinds, strict=True)}
    return ", ".join(nulls.get(name, "") + _quoted(name) for name in schema.names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
