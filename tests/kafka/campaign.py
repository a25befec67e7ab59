"""A campaign of kills: messages flow, ingest is killed -9 again and again, the broker is restarted.

In the end everything that was sent must lie in the archive exactly once. When an ingest is killed
is drawn from a seed: after some time, or just after its evidence or its journal has grown, which
is when a commit is half done or the dead letters are not yet told.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from events.log.base import Outgoing
from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker
from tests.kafka import auditor
from tests.kafka.command import MAIN, environment
from tests.kafka.tables import traffic

CHUNK = 50
MOMENTS = {"clock": "", "evidence": "*/evidence-*.avro", "journal": "journal.sqlite-wal"}
"""When to kill: after some time, or when the files of that pattern have changed."""
PATIENCE_S = 8.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything. `poison` of the messages are no events."""

    seed: int
    messages: int
    kills: int
    restarts: int
    poison: int
    seconds: float
    """Over how long the messages are spread."""


@dataclass(slots=True)
class CampaignOutcome:
    """What was sent, what the topic holds, what the archive holds."""

    sent: list[Outgoing]
    in_topic: Counter[tuple[int, int]]
    archived: Counter[tuple[int, int]]
    archived_values: Counter[bytes]
    dead_letters: int
    kills: int = 0
    restarts: int = 0
    seconds: float = 0.0
    advances: list[int] = field(default_factory=list)
    """How many messages each killed ingest had added to the archive."""


def messages_of(plan: Plan) -> list[Outgoing]:
    """Valid traffic with poison strewn in, each value different from every other."""
    rng = random.Random(plan.seed)
    sent = traffic(plan.messages - plan.poison, tables=12)
    for number in range(plan.poison):
        noise = b"poison %d " % number + rng.randbytes(rng.randrange(2000))
        sent.insert(rng.randrange(len(sent)), Outgoing(b"RWS-PP-13", noise))
    return sent


def send(log: KafkaLog, sent: list[Outgoing], seconds: float) -> None:
    """Send at an even pace, whatever happens to the broker meanwhile."""
    pause = seconds * CHUNK / len(sent)
    for first in range(0, len(sent), CHUNK):
        log.append(sent[first : first + CHUNK])
        time.sleep(pause)


def start_ingest(home: Path, broker: Broker, topic: str, *flags: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", MAIN, "ingest", "--from", "kafka", *flags]
    env = environment(home, broker.address, topic) | {"EVENHAND_INGEST_BATCH": "500"}
    with (home / "ingest.err").open("ab") as err:
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=err)


def wait_for(moment: str, archive: Path, rng: random.Random) -> None:
    """Wait for a moment to kill at, or until patience ends."""
    if moment == "clock":
        time.sleep(rng.uniform(0.2, 3.0))
        return
    deadline = time.monotonic() + PATIENCE_S
    for _ in range(rng.randint(1, 8)):  # the first changes are those of the recovery
        before = _sizes(archive, MOMENTS[moment])
        while _sizes(archive, MOMENTS[moment]) == before and time.monotonic() < deadline:
            time.sleep(0.001)
    time.sleep(rng.uniform(0.0, 0.03))


def _sizes(archive: Path, pattern: str) -> list[tuple[int, int]]:
    found = []
    for path in archive.glob(pattern):
        with contextlib.suppress(FileNotFoundError):
            stat = path.stat()
            found.append((stat.st_size, stat.st_mtime_ns))
    return sorted(found)


def restart(broker: Broker, rng: random.Random) -> None:
    """A clean stop or the hard way, by the seed."""
    pid = broker.pid()
    if pid is not None and rng.random() < 0.5:
        os.kill(pid, signal.SIGKILL)
    else:
        broker.stop()
    broker.start()


def run(plan: Plan, broker: Broker, log: KafkaLog, home: Path) -> CampaignOutcome:
    rng = random.Random(plan.seed)
    began = time.monotonic()
    sent = messages_of(plan)
    sender = threading.Thread(target=send, args=(log, sent, plan.seconds))
    sender.start()
    restart_at = set(rng.sample(range(plan.kills), plan.restarts))
    advances = []
    had = 0
    for number in range(plan.kills):
        ingest = start_ingest(home, broker, log.topic, "--follow")
        moment = rng.choice(list(MOMENTS))
        wait_for(moment, home / "archive", rng)
        if number in restart_at:
            restart(broker, rng)
            wait_for(moment, home / "archive", rng)
        ingest.kill()
        ingest.wait()
        has = auditor.taken(home / "archive")
        advances.append(has - had)
        had = has
    sender.join()
    assert start_ingest(home, broker, log.topic).wait() == 0, (home / "ingest.err").read_text()
    return _outcome(plan, log, home / "archive", sent, advances, time.monotonic() - began)


def _outcome(
    plan: Plan,
    log: KafkaLog,
    archive: Path,
    sent: list[Outgoing],
    advances: list[int],
    seconds: float,
) -> CampaignOutcome:
    kept = auditor.evidence(archive) + [k for k, _ in auditor.quarantine(archive)]
    return CampaignOutcome(
        sent=sent,
        in_topic=Counter((m.partition, m.offset) for m in log.read({})),
        archived=Counter((k.partition, k.offset) for k in kept),
        archived_values=Counter(k.value for k in kept),
        dead_letters=log.dead_letters(),
        kills=plan.kills,
        restarts=plan.restarts,
        seconds=seconds,
        advances=advances,
    )


def check(plan: Plan, outcome: CampaignOutcome) -> None:
    """Everything that was sent, exactly once, and every dead letter at least once."""
    assert outcome.archived == outcome.in_topic
    assert outcome.archived_values == Counter(m.value for m in outcome.sent)
    assert outcome.dead_letters >= plan.poison
