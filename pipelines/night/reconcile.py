"""Counts and money that must agree before a day is published, in plain SQL over the day's files.

What a table did wrong is a finding and never fails here. These fail where we lost or doubled
something on the way; where that shows in single rounds, these are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.quality.result import Failing
from pipelines.warehouse.connect import connect_stage

_OPENED = "FROM events WHERE type = 'RoundOpened' AND round IS NOT NULL"
_LEFT_OUT = "(table_id, round) IN (SELECT (t, r) FROM left_out)"
"""Rounds of which some event does not count: another one with its number does, or it hangs on a
tail of the chain that lost against the signed one."""

_MONEY_DIFFERS = """
WITH sent AS (
    SELECT table_id, round, coalesce(sum(stake_returned::HUGEINT + winnings), 0) AS money,
           bool_or(type = 'SettlementCorrected') AS corrected
    FROM events WHERE type IN ('BetSettled', 'SettlementCorrected') AND round IS NOT NULL
    GROUP BY ALL),
loaded AS (
    SELECT table_id, round, sum(stake_returned::HUGEINT + winnings) AS money
    FROM settlements GROUP BY ALL),
differ AS (
    SELECT table_id, round, coalesce(sent.money, 0) AS sent, coalesce(loaded.money, 0) AS loaded
    FROM sent FULL JOIN loaded USING (table_id, round)
    WHERE NOT coalesce(corrected, false)
      AND coalesce(sent.money, 0) <> coalesce(loaded.money, 0))
SELECT table_id, round, concat('sent ', sent, ', loaded ', loaded, ' cents')
FROM differ ANTI JOIN left_out ON table_id = t AND round = r
ANTI JOIN (SELECT table_id, round FROM findings WHERE kind = 'unreconciled')
    USING (table_id, round)
ORDER BY ALL
"""
"""Rounds whose recorded lines are not the sum of the settlements sent. Left out: those that were
put right, those of which an event does not count, and those of which a finding says already that
their sums do not come out."""

_NO_CLAUSE = """
SELECT table_id, round, concat(count(*), ' lines that no paragraph decides')
FROM lines ANTI JOIN (SELECT table_id, round FROM findings WHERE kind = 'unreconciled')
    USING (table_id, round)
WHERE len(clauses) = 0
GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Counted:
    """Two numbers that must be the same, and the rounds that make them differ, where they do."""

    name: str
    expected: int
    found: int
    rounds: tuple[Failing, ...] = ()

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(f"{f.table_id} {f.round}" for f in self.rounds[:5])

    @property
    def agrees(self) -> bool:
        return self.expected == self.found

    @property
    def text(self) -> str:
        return f"expected {self.expected:,}, found {self.found:,}"


def reconcile(
    database: Path,
    pinned: dict[str, Any],
    counts: dict[str, int],
    left_out: Sequence[tuple[str, str]] = (),
) -> list[Counted]:
    """What went in against what came out. `left_out`: tables and rounds with events that do not
    count."""
    with connect_stage(database) as db:
        names = [[name[side] for name in left_out] for side in (0, 1)]
        db.execute("CREATE TEMP TABLE left_out (t VARCHAR, r VARCHAR)")
        db.execute("INSERT INTO left_out SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])", names)

        def ask(sql: str) -> int:
            return int(db.execute(sql).fetchall()[0][0])

        def rounds(name: str, sql: str) -> Counted:
            found = tuple(Failing(*row) for row in db.execute(sql).fetchall())
            return Counted(name, 0, len(found), found)

        return [
            Counted("events: archive and warehouse", pinned["events"], _rows(ask, "events")),
            Counted(
                "rounds opened: archive and warehouse",
                pinned["rounds_opened"],
                ask(f"SELECT count(*) {_OPENED}"),
            ),
            Counted(
                "rounds opened: events and rounds",
                ask(f"SELECT count(DISTINCT (table_id, round)) {_OPENED} AND NOT {_LEFT_OUT}"),
                ask(f"SELECT count(*) FROM rounds WHERE rulebook IS NOT NULL AND NOT {_LEFT_OUT}"),
            ),
            *(
                Counted(f"{name}: derived and written", counts[name], _rows(ask, name))
                for name in ("rounds", "lines", "settlements", "findings")
            ),
            rounds("rounds whose recorded money differs", _MONEY_DIFFERS),
            rounds("lines without a clause", _NO_CLAUSE),
        ]


def _rows(ask: Callable[[str], int], table: str) -> int:
    return ask(f"SELECT count(*) FROM {table}")
