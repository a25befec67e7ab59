"""The broker's jars: found in the cache, or fetched by Maven from infra/kafka/pom.xml.

The cache lies beside the pom, outside version control, in a folder named after the pom's content:
a changed pom never runs with yesterday's jars, and a fetch that dies leaves nothing that looks
whole, because the folder gets its name last.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from events.runtime.shipped import shipped
from pipelines.broker import BrokerError

POM = shipped("pipelines/broker/pom.xml", "infra/kafka/pom.xml")
JAVA_MIN = 17
FETCH_TIMEOUT_S = 600


def find_java() -> str:
    """The java command, new enough for Kafka 4."""
    java = shutil.which("java")
    if java is None:
        raise BrokerError(
            f"no java found on the PATH: the Kafka broker needs Java {JAVA_MIN} or newer "
            f"(Debian: apt-get install openjdk-17-jre-headless)"
        )
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', shown.stderr)
    if found is None or int(found[1]) < JAVA_MIN:
        what = found[1] if found else "no version"
        raise BrokerError(f"{java}: the Kafka broker needs Java {JAVA_MIN} or newer, found {what}")
    return java


def find_jars(pom: Path = POM) -> Path:
    """The folder with the jars, fetched first where it is missing."""
    if not pom.exists():
        raise BrokerError(f"{pom}: not found; install evenhand again, its files are not whole")
    name = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    folder = _cache(pom) / name
    if not folder.is_dir():
        _fetch(pom, folder)
    return folder


def _cache(pom: Path) -> Path:
    """Beside the pom in a checkout; an installed program keeps it with the user's other caches."""
    if pom != POM or pom.parent.name == "kafka":
        return pom.parent / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evenhand" / "kafka"


def _fetch(pom: Path, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise BrokerError(
            "no mvn found on the PATH: Maven fetches the Kafka broker's jars the first time "
            "(Debian: apt-get install maven)"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as fetching:
        target = Path(fetching) / "jars"
        _copy_dependencies(maven, pom, target)
        try:
            target.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise somebody else fetched the same ones meanwhile
                raise


def _copy_dependencies(maven: str, pom: Path, target: Path) -> None:
    command = [
        *(maven, "--batch-mode", "--quiet", "--file", str(pom)),
        "dependency:copy-dependencies",
        "-DincludeScope=runtime",
        f"-DoutputDirectory={target}",
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=FETCH_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise BrokerError(
            f"Maven did not fetch the broker's jars within {FETCH_TIMEOUT_S} s; "
            f"try by hand: mvn -f {pom} dependency:copy-dependencies"
        ) from None
    if done.returncode != 0 or not target.is_dir():
        errors = [line for line in done.stdout.splitlines() if line.startswith("[ERROR]")]
        reason = errors[0].removeprefix("[ERROR]").strip() if errors else done.stderr.strip()
        raise BrokerError(f"Maven could not fetch the broker's jars: {reason}")
