"""What the tests of the night share: a home with an archived day, questions to the warehouse."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.devices.deliver import Delivered, deliver
from events.devices.floor import default_floor
from events.gateway import Gateway
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.model import (
    BetPlaced,
    BetsClosed,
    BetSettled,
    CardDealt,
    Event,
    Limit,
    RoundClosed,
    RoundOpened,
    SettlementCorrected,
    ShoeStarted,
    TableOpened,
)
from events.settings import Settings, load_settings
from pipelines.cli.simulate import order_of
from pipelines.warehouse.connect import connect_fresh

DAY = date(2026, 3, 10)
MORNING = datetime(2026, 3, 9, 22, 0, tzinfo=UTC)  # 06:00 in Singapore: the day begins
TABLE = "RWS-PP-01"
BOOK = "pontoon-plus-rws-v5"


def settings_of(home: Path, **more: Any) -> Settings:
    """The defaults, in a home of the test's own."""
    return load_settings({"home": str(home), **more}, environ={}, folder=home.parent)


def simulated(home: Path, day: date = DAY, rounds: int = 12, faults: float = 0.1) -> Delivered:
    """Five tables, one of each game, play into the log and are taken into the archive."""
    settings = settings_of(home)
    floor = default_floor()
    order = order_of(
        settings, tables=5, day=day, seed=4, rounds=rounds, irregularities=0.05, faults=faults
    )
    log = FileLog(home / "log", write=True)
    try:
        done = deliver(order, floor, log)
        take_in(home, log)
    finally:
        log.close()
    return done


def take_in(home: Path, log: FileLog) -> None:
    """What the log has goes into the archive, on the house's clock."""
    settings = settings_of(home)
    with ArchiveWriter(home / "archive", settings.gaming_day) as archive:
        ingest(log, archive)


def sent(home: Path, messages: Sequence[Outgoing]) -> None:
    """These messages through the log into the archive."""
    log = FileLog(home / "log", write=True)
    try:
        log.append(messages)
        take_in(home, log)
    finally:
        log.close()


def opening(shoe: str = "SH-1") -> RoundOpened:
    limits = {"initial": Limit(500, 100_000)}
    return RoundOpened(BOOK, shoe, 8, 7, limits, None, "shoe", "D-1")


def won_round(number: int = 0, winnings: int = 2500, player: str = "P1") -> list[Event]:
    """K-Q against a dealer who busts with J-6-9: even money on 25.00. The shoe's `number`th."""
    draw = number * 5
    return [
        opening(),
        BetPlaced(1, 1, player, "initial", 2500, True),
        BetsClosed(),
        CardDealt(draw + 1, 1, 1, "KS", True),
        CardDealt(draw + 2, 0, 0, "JH", True),
        CardDealt(draw + 3, 1, 1, "QD", True),
        CardDealt(draw + 4, 0, 0, "6C", True),
        CardDealt(draw + 5, 0, 0, "9C", True),
        BetSettled(1, 1, player, "initial", 2500, 2500, winnings, "final"),
        RoundClosed(),
    ]


def played(
    rounds: Sequence[Sequence[Event]], gateway: Gateway | None = None, start: datetime = MORNING
) -> list[Outgoing]:
    """A table opens, puts a shoe into play and plays these rounds, an event every two seconds."""
    gateway = gateway or Gateway(TABLE)
    first = gateway.head.seq == 0
    at = start
    out = []
    if first:
        out.append(gateway.send(TableOpened(BOOK, "SGD"), at=at, device="console"))
        out.append(gateway.send(ShoeStarted("SH-1", 8, True), at=at, device="shoe"))
    base = gateway.head.seq
    for n, events in enumerate(rounds):
        for event in events:
            at += timedelta(seconds=2)
            name = f"{TABLE}-{base + n:06d}"
            out.append(gateway.send(event, at=at, device="console", round_=name))
    return out


def correction(winnings: int = 2500) -> SettlementCorrected:
    """The first box's bet put right."""
    return SettlementCorrected(
        1, 1, "P1", "initial", 2500, 2500, winnings, "final", "paid on the wrong odds"
    )


def ask(home: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows out of the catalogue in place."""
    with connect_fresh(home / "warehouse" / "audit.duckdb") as db:
        db.execute("SET TimeZone = 'UTC'")
        return db.execute(sql).fetchall()


TABLES = "events rounds lines settlements findings daily_figures data_quality".split()


def rows_of(home: Path, day: date | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """All rows that a day's run made, without the name of the run."""
    where = f"WHERE day = DATE '{day}'" if day else ""
    return {t: ask(home, f"SELECT * EXCLUDE (run) FROM {t} {where}") for t in TABLES}


def copied(template: Path, to: Path) -> Path:
    """A home of its own out of one that was made before."""
    shutil.copytree(template, to)
    return to
