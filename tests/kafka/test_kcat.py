"""The topic read by a client that shares no code with ours."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker
from tests.kafka.tables import traffic


def test_kcat_reads_what_we_sent(broker: Broker, log: KafkaLog) -> None:
    if shutil.which("kcat") is None:
        pytest.skip("no kcat found on the PATH (Debian: apt-get install kcat)")
    sent = traffic(200)
    log.append(sent)
    read = subprocess.run(
        [
            *("kcat", "-C", "-b", broker.address, "-t", log.topic),
            *("-o", "beginning", "-e", "-q", "-f", "%k %S\n%s\n"),
        ],
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    got = []
    while read:
        head, _, read = read.partition(b"\n")
        key, size = head.split()
        got.append((key, read[: int(size)]))
        read = read[int(size) + 1 :]
    assert sorted(got) == sorted((m.key, m.value) for m in sent)
