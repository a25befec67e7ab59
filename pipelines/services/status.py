"""The state of the house in one look: what runs, what waits, what needs a person.

Each part is asked for itself: one that can't be read is named and costs only itself.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb

from events.archive.ingest import source_of
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.errors import EvenhandError
from events.log.files.log import FileLog
from events.settings import Settings
from pipelines.night.due import due_days
from pipelines.people.log import PeopleLog, decisions_file
from pipelines.services.state import HouseState, is_alive, read_state
from pipelines.services.vouched import (
    PeopleLogState,
    WitnessState,
    people_log_state,
    witness_states,
)
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.layout import warehouse_of

SEVERITIES = ("money", "integrity", "procedure", "judgement", "note")
AGES = {"1d": 1, "7d": 7, "30d": 30, "older": None}
"""How old an open finding is at most, in days since its gaming day."""
_LATE_DAYS = 2
_LITTLE_ROOM = 0.05


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """What was taken in so far."""

    first_day: str | None = None
    last_day: str | None = None
    days: int = 0
    last_event_at: str | None = None
    events: int = 0
    rounds: int = 0
    quarantined: int = 0
    ingest_pid: int | None = None


@dataclass(frozen=True, slots=True)
class LagState:
    """How many messages of a log the archive does not have yet; null where it can't be asked."""

    source: str
    behind: int | None
    partitions: dict[str, int] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class NightState:
    """The last publication, and what is open in all days that count."""

    last_day: str | None = None
    published_at: str | None = None
    seconds: float | None = None
    due: list[str] = field(default_factory=list)
    open_findings: dict[str, int] = field(default_factory=dict)
    oldest_open: str | None = None
    waived: int = 0
    open_by_age: dict[str, dict[str, int]] = field(default_factory=dict)
    """Severity -> age (as in AGES) -> open findings."""


@dataclass(slots=True)
class HouseStatus:
    """Everything; `needs`: a sentence for each thing that a person should look at."""

    home: str
    at: str
    up: HouseState | None = None
    archive: ArchiveState | None = None
    lag: list[LagState] = field(default_factory=list)
    night: NightState | None = None
    last_checkpoint: str | None = None
    witnesses: list[WitnessState] = field(default_factory=list)
    people: PeopleLogState | None = None
    disk_free: int = 0
    disk_total: int = 0
    needs: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def look_at_house(
    settings: Settings, now: datetime | None = None, people: PeopleLog | None = None
) -> HouseStatus:
    """Ask every part. `people`: who looks often keeps the log, read again only where it changed."""
    at = (now or datetime.now(UTC)).astimezone(UTC)
    home = settings.home
    status = HouseStatus(str(home.absolute()), at.strftime("%Y-%m-%dT%H:%M:%SZ"))
    if not home.is_dir():
        status.needs.append(f"{home}: there is no home here yet; evenhand demo or ingest makes one")
        return status
    status.up = read_state(home)
    _ask(status, lambda: _archive(status, home))
    _ask(status, lambda: _lags(status, settings))
    _ask(status, lambda: _night(status, settings, at))
    _ask(status, lambda: _checkpoint(status, settings))
    _ask(status, lambda: status.witnesses.extend(witness_states(settings)))
    _ask(status, lambda: _people(status, settings, people or PeopleLog(decisions_file(home))))
    usage = shutil.disk_usage(home)
    status.disk_free, status.disk_total = usage.free, usage.total
    _needs(status, settings, at)
    return status


def _ask(status: HouseStatus, part: Callable[[], None]) -> None:
    try:
        part()
    except (EvenhandError, OSError, duckdb.Error) as error:
        status.needs.append(str(error))
    except sqlite3.Error as error:
        says = f"a file of the archive can't be read: {error}; evenhand verify names it"
        status.needs += [] if says in status.needs else [says]


def _archive(status: HouseStatus, home: Path) -> None:
    root = home / "archive"
    if not (root / "journal.sqlite").exists():
        return
    with Archive(root) as archive:
        days = archive.days()
        quarantined = archive.db.execute("SELECT count(*) FROM quarantine").fetchone()[0]
        last = archive.db.execute("SELECT max(last_at) FROM days").fetchone()[0]
        types = dict(archive.db.execute("SELECT type, sum(events) FROM day_types GROUP BY type"))
    status.archive = ArchiveState(
        first_day=days[0].isoformat() if days else None,
        last_day=days[-1].isoformat() if days else None,
        days=len(days),
        last_event_at=last,
        events=sum(types.values()),
        rounds=types.get("RoundClosed", 0),
        quarantined=int(quarantined),
        ingest_pid=_holder(root / "ingest.lock"),
    )


def _holder(lock: Path) -> int | None:
    """The process that takes a log in, by what it wrote into its lock."""
    with suppress(OSError, ValueError):
        pid = int(lock.read_text("ascii"))
        return pid if is_alive(pid) else None
    return None


def _lags(status: HouseStatus, settings: Settings) -> None:
    """Every log that the archive has read from, and the file log where there is one."""
    root = settings.home / "archive"
    sources: dict[str, dict[int, int]] = {}
    if (root / "journal.sqlite").exists():
        with Archive(root) as archive:
            for (name,) in archive.db.execute("SELECT source FROM sources").fetchall():
                sources[name] = archive.positions(name)
    log = settings.home / "log"
    if any(log.glob("*.avro")):
        status.lag.append(_file_lag(log, sources))
    if any(name.startswith("kafka") for name in sources):
        status.lag.append(_kafka_lag(settings))


def _file_lag(folder: Path, sources: dict[str, dict[int, int]]) -> LagState:
    with closing(FileLog(folder, write=False)) as log:
        end, taken = log.end(), sources.get(source_of(log), {})
    behind = {str(p): max(0, n - taken.get(p, 0)) for p, n in end.items()}
    return LagState("file", sum(behind.values()), behind)


def _kafka_lag(settings: Settings) -> LagState:
    from pipelines.broker.status import look

    found = look(settings)
    if found.problem is not None:
        return LagState("kafka", None, problem=found.problem)
    partitions = {str(p.partition): p.lag for p in found.partitions}
    return LagState("kafka", found.lag, partitions)


def _night(status: HouseStatus, settings: Settings, at: datetime) -> None:
    due = [day.isoformat() for day, _ in due_days(settings.home)]
    warehouse = warehouse_of(settings.home)
    if not warehouse.catalogue.exists():
        status.night = NightState(due=due)
        return
    with connect_fresh(warehouse.catalogue) as db:
        last = db.execute(
            "SELECT day, epoch_us(published_at), epoch_us(finished_at - started_at) / 1e6 "
            "FROM runs WHERE current ORDER BY day DESC LIMIT 1"
        ).fetchall()
        counts = db.execute(
            "SELECT severity, day, count(*) FROM findings WHERE waiver IS NULL GROUP BY ALL"
        ).fetchall()
        oldest, waived = db.execute(
            "SELECT min(day) FILTER (waiver IS NULL AND severity IN ('money', 'integrity')), "
            "count(*) FILTER (waiver IS NOT NULL) FROM findings"
        ).fetchall()[0]
    open_by_age = _by_age(counts, settings.gaming_day.day_of(at))
    day, us, seconds = last[0] if last else (None, None, None)
    status.night = NightState(
        last_day=None if day is None else day.isoformat(),
        published_at=None if us is None else _moment(us),
        seconds=None if seconds is None else round(seconds, 1),
        due=due,
        open_findings={name: sum(open_by_age[name].values()) for name in SEVERITIES},
        oldest_open=None if oldest is None else oldest.isoformat(),
        waived=int(waived),
        open_by_age=open_by_age,
    )


def _by_age(counts: list[tuple[str, date, int]], today: date) -> dict[str, dict[str, int]]:
    out = {severity: dict.fromkeys(AGES, 0) for severity in SEVERITIES}
    for severity, day, count in counts:
        days = (today - day).days
        age = next(name for name, most in AGES.items() if most is None or days <= most)
        out[severity][age] += count
    return out


def _moment(us: int) -> str:
    return datetime.fromtimestamp(us / 1e6, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _checkpoint(status: HouseStatus, settings: Settings) -> None:
    if settings.checkpoints_file.exists():
        kept = load_checkpoints(settings.checkpoints_file, quarantine=True)
        if kept:
            status.last_checkpoint = max(c.at for c in kept).strftime("%Y-%m-%dT%H:%M:%SZ")


def _people(status: HouseStatus, settings: Settings, log: PeopleLog) -> None:
    status.people = people_log_state(settings, log)


def _needs(status: HouseStatus, settings: Settings, at: datetime) -> None:
    """What a person should do something about, worst first."""
    for one in status.up.services if status.up else ():
        if one.pid is None:
            status.needs.append(
                f"{one.name} does not run (exit code {one.last_exit}, {one.restarts} restarts): "
                f"see {one.log}"
            )
    for lag in status.lag:
        if lag.problem:
            status.needs.append(lag.problem)
        elif lag.behind and status.archive and status.archive.ingest_pid is None:
            status.needs.append(
                f"{lag.behind:,} messages of the {lag.source} log wait and nothing takes them in: "
                f"evenhand ingest --from {lag.source} --follow"
            )
    if status.people and status.people.problem:
        status.needs.append(f"{status.people.problem}; evenhand verify")
    status.needs += [need for one in status.witnesses if (need := one.need()) is not None]
    if status.night and status.night.due:
        days = status.night.due
        which = ", ".join(days[:3]) + (f" and {len(days) - 3} more" if len(days) > 3 else "")
        status.needs.append(f"not audited as it stands: {which}; evenhand nightly --due")
    if status.archive and status.archive.last_day:
        behind = settings.gaming_day.day_of(at) - date.fromisoformat(status.archive.last_day)
        if behind.days > _LATE_DAYS:
            status.needs.append(
                f"nothing has come in for {behind.days} gaming days (last: "
                f"{status.archive.last_day}); look at the gateways and at ingest"
            )
    if status.disk_total and status.disk_free / status.disk_total < _LITTLE_ROOM:
        status.needs.append(f"little room: {status.disk_free / 2**30:,.1f} GiB are free")
