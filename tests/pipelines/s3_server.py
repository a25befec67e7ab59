"""A real S3 server on loopback, over a folder: S3Proxy, by Maven as the broker's jars are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipelines.broker.jars import find_jars, find_java
from tests.command import ROOT
from tests.pipelines.spark_cluster import LOOPBACK, end, free_port, wait_for

POM = ROOT / "infra" / "s3proxy" / "pom.xml"
BUCKET = "house"
KEYS = {
    "AWS_ACCESS_KEY_ID": "evenhand",
    "AWS_SECRET_ACCESS_KEY": "not-a-secret-of-anybody",
    # this server knows no CRC64-NVME, which Amazon's library sends unasked
    "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
}
_SETTINGS = """\
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity={AWS_ACCESS_KEY_ID}
s3proxy.credential={AWS_SECRET_ACCESS_KEY}
s3proxy.endpoint=http://{host}:{port}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={folder}
"""
_QUIET = '<configuration><root level="WARN"/></configuration>'


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """The address of a place in an empty bucket. Whoever asks needs KEYS in its environment."""
    if shutil.which("mvn") is None or shutil.which("java") is None:
        pytest.skip("S3Proxy needs Maven and Java")
    (folder / "objects" / BUCKET).mkdir(parents=True)
    port, settings, quiet = free_port(), folder / "s3.conf", folder / "logback.xml"
    settings.write_text(
        _SETTINGS.format(host=LOOPBACK, port=port, folder=folder / "objects", **KEYS)
    )
    quiet.write_text(_QUIET)
    log = folder / "s3.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [
                *(find_java(), "-XX:TieredStopAtLevel=1", f"-Dlogback.configurationFile={quiet}"),
                *("-cp", f"{find_jars(POM)}/*", "org.gaul.s3proxy.Main"),
                *("--properties", str(settings)),
            ],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for(port, server, log)
        options = f"endpoint_override={LOOPBACK}:{port}&scheme=http&region=us-east-1"
        yield f"s3://{BUCKET}/evenhand?{options}"
    finally:
        end(server)
