"""What `evenhand kafka status` shows: the broker, its topics, and how far behind the archive is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from events.archive.journal import open_journal
from events.archive.layout import Layout
from events.log.kafka.admin import KafkaLogError
from events.log.kafka.log import open_kafka_log
from events.settings import Settings
from pipelines.broker.server import Broker
from pipelines.safe_text import terminal
from pipelines.tables import columns, print_table


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition. `archived` is the offset up to which the archive has everything."""

    partition: int
    begin: int
    end: int
    archived: int

    @property
    def lag(self) -> int:
        return max(0, self.end - self.archived)


@dataclass(frozen=True, slots=True)
class Status:
    """`pid` only where the broker was started here; `problem` where it can't be asked."""

    address: str
    pid: int | None
    log_file: str | None
    topic: str
    identity: str | None = None
    partitions: tuple[Partition, ...] = ()
    dead_letters: int = 0
    problem: str | None = None

    @property
    def answers(self) -> bool:
        return self.identity is not None

    @property
    def lag(self) -> int:
        return sum(p.lag for p in self.partitions)

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        out = asdict(self) | {"answers": self.answers, "lag": self.lag}
        out["partitions"] = [asdict(p) | {"lag": p.lag} for p in self.partitions]
        return out


def look(settings: Settings) -> Status:
    """Ask the broker and the archive's journal. A broker that is not there is an answer too."""
    broker = Broker.of(settings)
    pid = broker.pid()
    known = Status(settings.kafka, pid, str(broker.log_file) if pid else None, settings.topic)
    try:
        log = open_kafka_log(settings, create=False)
    except KafkaLogError as error:
        return Status(**_fields(known) | {"problem": str(error)})
    try:
        archived = archived_positions(settings, log.identity)
        begin, end = log.begin(), log.end()
        partitions = tuple(Partition(p, begin[p], end[p], archived.get(p, 0)) for p in end)
        return Status(
            **_fields(known)
            | {
                "identity": log.identity,
                "partitions": partitions,
                "dead_letters": log.dead_letters(),
            }
        )
    finally:
        log.close()


def show(status: Status) -> None:
    """Print it for people."""
    console = terminal()
    if status.problem is not None:
        console.print(status.problem, highlight=False, soft_wrap=True)
        return
    where = f"process {status.pid}" if status.pid else "not started here"
    console.print(f"Kafka at {status.address}: answers ({where})", highlight=False)
    console.print(f"topic {status.topic}")
    names = ("partition", "first", "end", "archived", "lag")
    rows = [
        [f"{n:,}" for n in (p.partition, p.begin, p.end, p.archived, p.lag)]
        for p in status.partitions
    ]
    print_table(console, columns(*names, right=names), rows)
    console.print(f"archive behind by {status.lag:,}; dead letters: {status.dead_letters:,}")


def archived_positions(settings: Settings, identity: str) -> Mapping[int, int]:
    """Where the archive's journal stands for this log, empty where it has none yet."""
    journal = Layout(settings.home / "archive").journal
    if not journal.exists():
        return {}
    with closing(open_journal(journal, write=False)) as db:
        sql = "SELECT partition, next FROM positions WHERE source = ?"
        return dict(db.execute(sql, (identity,)).fetchall())


def _fields(status: Status) -> dict[str, Any]:
    return {name: getattr(status, name) for name in Status.__dataclass_fields__}
