"""The rounds that would come out otherwise, as Parquet: a row for each line that differs.

Whoever replays a group writes its rows, so that a period of years never lies in one memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from events.errors import EvenhandError
from events.runtime.digest import file_sha256
from pipelines.investigate.case import Difference
from pipelines.whatif.replay import Changed
from replay.answer import Line

_LINE: list[tuple[str, pa.DataType]] = [
    ("stake", pa.int64()),
    ("stake_returned", pa.int64()),
    ("winnings", pa.int64()),
    ("outcome", pa.string()),
    ("odds", pa.string()),
    ("clauses", pa.list_(pa.string())),
    ("basis", pa.int64()),
    ("readings", pa.list_(pa.string())),
]
_OUTCOME: pa.DataType = pa.struct(_LINE)
_ROUND = ("day", "table_id", "round")
_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("day", pa.date32()),
    ("table_id", pa.string()),
    ("round", pa.string()),
    ("rulebook", pa.string()),
    ("status_before", pa.string()),
    ("status_after", pa.string()),
    ("box", pa.int32()),
    ("hand", pa.int32()),
    ("player", pa.string()),
    ("bet", pa.string()),
    ("money", pa.int64()),
    ("before", _OUTCOME),
    ("after", _OUTCOME),
]
DETAILS = pa.schema(_COLUMNS)
"""`box` to `after` are null where a round has another status and no line with a price."""


def write_details(path: Path, changed: Sequence[Changed]) -> str:
    """All rows of a group, in the order given; the SHA-256 of the file. A group may be done twice,
    so each attempt writes under a name of its own."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    rows = [row for one in changed for row in _rows(one)]
    try:
        pq.write_table(pa.Table.from_pylist(rows, DETAILS), draft, compression="zstd")
        sha256 = file_sha256(draft).hex()
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise EvenhandError(f"{path}: can't be written: {error.strerror or error}") from None
    return sha256


def read_details(folder: Path) -> Iterator[Changed]:
    """What was written there, by day, table and round; a few thousand rows in memory at a time."""
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            rows = (row for some in file.iter_batches() for row in some.to_pylist())
            for _, of_round in groupby(rows, lambda row: [row[name] for name in _ROUND]):
                yield _changed(list(of_round))


def new_folder(path: Path) -> Path:
    """A folder for details, which nobody else's files lie in."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise EvenhandError(f"{path}: expected an empty or a new folder, found files in it")
    except OSError as error:
        raise EvenhandError(f"{path}: no folder for details: {error.strerror}") from None
    return path


def _rows(changed: Changed) -> Iterator[dict[str, Any]]:
    about = {
        "day": changed.day,
        "table_id": changed.table,
        "round": changed.round,
        "rulebook": changed.rulebook,
        "status_before": changed.before,
        "status_after": changed.after,
    }
    for line in changed.lines:
        box, hand, player, bet = line.key
        own = {"box": box, "hand": hand, "player": player, "bet": bet, "money": line.money}
        yield about | own | {"before": _outcome(line.before), "after": _outcome(line.after)}
    if not changed.lines:
        yield about


def _outcome(line: Line | None) -> dict[str, Any] | None:
    return None if line is None else {name: getattr(line, name) for name, _ in _LINE}


def _changed(rows: list[dict[str, Any]]) -> Changed:
    first = rows[0]
    return Changed(
        day=first["day"],
        table=first["table_id"],
        round=first["round"],
        rulebook=first["rulebook"],
        before=first["status_before"],
        after=first["status_after"],
        lines=tuple(_difference(row) for row in rows if row["bet"] is not None),
    )


def _difference(row: dict[str, Any]) -> Difference:
    key = (row["box"], row["hand"], row["player"], row["bet"])
    return Difference(key, _line(key, row["before"]), _line(key, row["after"]))


def _line(key: tuple[int, int, str, str], told: dict[str, Any] | None) -> Line | None:
    if told is None:
        return None
    lists = {name: tuple(told[name]) for name in ("clauses", "readings")}
    return Line(*key, **(told | lists))
