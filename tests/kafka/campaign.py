"""A campaign of kills: messages flow, ingest is killed -9 again and again, the broker is restarted.

In the end everything that was sent must lie in the archive exactly once. When things happen is
drawn from a seed; how far each ingest has come by then is up to the machine.
"""

from __future__ import annotations

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
from events.log.kafka import KafkaLog
from pipelines.broker.server import Broker
from tests.kafka import auditor
from tests.kafka.tables import traffic

INGEST = "from pipelines.cli.main import main; main()"
CHUNK = 50


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
class Outcome:
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
    env = os.environ | {
        "EVENHAND_HOME": str(home),
        "EVENHAND_KAFKA": broker.address,
        "EVENHAND_TOPIC": topic,
        "EVENHAND_DEAD_TOPIC": f"{topic}.dead",
        "EVENHAND_INGEST_BATCH": "500",
    }
    command = [sys.executable, "-c", INGEST, "ingest", "--from", "kafka", *flags]
    with (home / "ingest.err").open("ab") as err:
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=err)


def restart(broker: Broker, rng: random.Random) -> None:
    """A clean stop or the hard way, by the seed."""
    pid = broker.pid()
    if pid is not None and rng.random() < 0.5:
        os.kill(pid, signal.SIGKILL)
    else:
        broker.stop()
    broker.start()


def run(plan: Plan, broker: Broker, log: KafkaLog, home: Path) -> Outcome:
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
        time.sleep(rng.uniform(0.8, 3.5))
        if number in restart_at:
            restart(broker, rng)
            time.sleep(rng.uniform(0.0, 2.0))
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
) -> Outcome:
    kept = auditor.evidence(archive) + [k for k, _ in auditor.quarantine(archive)]
    return Outcome(
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


def check(plan: Plan, outcome: Outcome) -> None:
    """Everything that was sent, exactly once, and every dead letter at least once."""
    assert outcome.archived == outcome.in_topic
    assert outcome.archived_values == Counter(m.value for m in outcome.sent)
    assert outcome.dead_letters >= plan.poison
