"""Which currency each table of a day plays in: money of several is never added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow.compute as pc
import pyarrow.parquet as pq

from events.registry import load_registry
from pipelines.night.context import Night

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Currencies:
    """The tables of which a currency is known. Where all of these have the same, it is the house's,
    and every other table's too; else money of a table without one stands by itself."""

    tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def several(self) -> bool:
        return len(set(self.tables.values())) > 1

    @property
    def rest(self) -> str:
        """The currency of a table of which none is known."""
        known = set(self.tables.values())
        return known.pop() if len(known) == 1 else UNKNOWN

    def of(self, table: str | None) -> str:
        return self.rest if table is None else self.tables.get(table, self.rest)


def note_currencies(night: Night) -> None:
    """Remember what the tables of the day opened with, else what the registry has of them."""
    opened: dict[str, set[str]] = {}
    for part in night.folder.parts("events"):
        if "currency" not in pq.read_schema(part).names:
            continue
        wanted = (pc.field("type") == "TableOpened") & pc.field("currency").is_valid()
        columns = ["table_id", "currency"]
        for row in pq.read_table(
            part, columns=columns, filters=wanted, partitioning=None
        ).to_pylist():
            opened.setdefault(str(row["table_id"]), set()).add(str(row["currency"]))
    registry = load_registry(night.settings.tables_file)
    listed = {} if registry is None else registry.tables
    found = {}
    for table in night.state()["pinned"]["tables"]:
        known = listed[table].currency if table in listed else None
        if table in opened:
            found[table] = " or ".join(sorted(opened[table]))  # two: by itself, like a third
        elif known is not None:
            found[table] = known
    night.add(currencies=found)


def currencies_of(night: Night) -> Currencies:
    """What was noted; nothing by a run of an earlier version."""
    return Currencies(night.state().get("currencies", {}))
