"""Start and stop the local broker: a process of its own that outlives the command.

What runs is known by its process id in broker.pid, and that id only counts while the process with
it is a Kafka that was started with our own server.properties: a stale id, or one that the system
has given to another program since, is never signalled.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from events.log.kafka.admin import answers
from events.runtime.modes import make_folder
from events.settings import Settings
from pipelines.broker import BrokerError
from pipelines.broker.jars import find_jars, find_java
from pipelines.broker.properties import server_properties, write_properties

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 30.0
PORT_TIMEOUT_S = 3.0
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
HEAP = ("-Xms128m", "-Xmx512m")


def new_cluster_id() -> str:
    """22 characters; never with a dash in front, which Kafka's tool would take for an option."""
    while True:
        name = urlsafe_b64encode(uuid.uuid4().bytes).decode("ascii").rstrip("=")
        if not name.startswith("-"):
            return name


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker of one home folder. `address` is host:port, loopback only.

    `extra` are properties over the usual ones, for trying out how a cluster would be set up.
    """

    folder: Path
    address: str
    extra: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Broker:
        """The broker that the settings describe."""
        return cls(settings.home / "kafka", settings.kafka)

    @property
    def log_file(self) -> Path:
        """What the broker itself writes: the first place to look when something is wrong."""
        return self.folder / "kafka.log"

    @property
    def properties_file(self) -> Path:
        return self.folder / "server.properties"

    @property
    def pid_file(self) -> Path:
        return self.folder / "broker.pid"

    def pid(self) -> int | None:
        """The process id of our running broker, or None."""
        try:
            pid = int(self.pid_file.read_text("ascii"))
        except (FileNotFoundError, ValueError):
            return None
        command = _command_of(pid)
        ours = "kafka.Kafka" in command and str(self.properties_file.resolve()) in command
        return pid if ours else None

    def start(self, timeout_s: float = START_TIMEOUT_S) -> bool:
        """Start it and wait until it answers. False where it was running already."""
        host, port = self._loopback()
        make_folder(self.folder)
        with _only_one(self.folder / "start.lock"):
            pid = self.pid()
            if pid is not None and self._answers_in_time(pid, timeout_s):
                return False
            _refuse_taken_port(host, port)
            java = [find_java(), *HEAP, *self._java_options(find_jars())]
            self._write_properties(host, port)
            self._format(java)
            process = self._spawn(java)
            self.pid_file.write_text(str(process.pid), "ascii")
            if not self._answers_in_time(process.pid, timeout_s):
                raise BrokerError(f"the broker ended while it was starting; see {self.log_file}")
            return True

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """Ask it to leave, and end it where it does not. False where none was running."""
        pid = self.pid()
        if pid is None:
            self.pid_file.unlink(missing_ok=True)
            return False
        for how in (signal.SIGTERM, signal.SIGKILL):
            os.kill(pid, how)
            if self._left_in_time(timeout_s):
                self.pid_file.unlink(missing_ok=True)
                return True
        raise BrokerError(f"the broker (process {pid}) does not end; see {self.log_file}")

    def _loopback(self) -> tuple[str, int]:
        host, _, port = self.address.rpartition(":")
        if host not in LOOPBACK or "," in self.address:
            raise BrokerError(
                f"evenhand kafka start runs a broker on this machine only: expected "
                f"EVENHAND_KAFKA like 127.0.0.1:9092, found {self.address}"
            )
        return host, int(port)

    def _java_options(self, jars: Path) -> list[str]:
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        return [
            f"-Djava.io.tmpdir={temporary.resolve()}",
            f"-Dkafka.logs.dir={self.folder.resolve()}",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS",
            *("-cp", f"{jars.resolve()}/*"),
        ]

    def _write_properties(self, host: str, port: int) -> None:
        data = (self.folder / "data").resolve()
        # the controller's port is nobody's business: a free one is taken at each start
        properties = server_properties(data, host.strip("[]"), port, free_port())
        write_properties(self.properties_file, properties | self.extra)

    def _format(self, java: list[str]) -> None:
        """Give the data folder its cluster id, once; Kafka refuses a folder without one."""
        done = subprocess.run(
            [
                *(*java, "kafka.tools.StorageTool", "format", "--ignore-formatted"),
                *("--cluster-id", self._cluster_id() or new_cluster_id()),
                *("--config", str(self.properties_file.resolve())),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            self.log_file.write_text(done.stdout + done.stderr, "utf-8")
            raise BrokerError(
                f"the broker's data folder {self.folder / 'data'} could not be prepared; "
                f"see {self.log_file}"
            )

    def _cluster_id(self) -> str | None:
        """The id that the data folder has already, so that formatting again is no conflict."""
        try:
            lines = (self.folder / "data" / "meta.properties").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return None
        found = [line.removeprefix("cluster.id=") for line in lines if line[:11] == "cluster.id="]
        return found[0] if found else None

    def _spawn(self, java: list[str]) -> subprocess.Popen[bytes]:
        if self.log_file.exists():
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        with self.log_file.open("wb") as log:
            return subprocess.Popen(
                [*java, "kafka.Kafka", str(self.properties_file.resolve())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # ^C at the command must not reach the broker
            )

    def _answers_in_time(self, pid: int, timeout_s: float) -> bool:
        """Wait until it answers; False where it ended meanwhile."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if answers(self.address, timeout_s=2.0):
                return True
            if self.pid() != pid:
                return False
            time.sleep(0.1)
        raise BrokerError(
            f"the broker (process {pid}) did not answer at {self.address} within "
            f"{timeout_s:.0f} s; see {self.log_file}"
        )

    def _left_in_time(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self.pid() is None:
                return True
            time.sleep(0.05)
        return False


@contextmanager
def some_broker(
    settings: Settings, notice: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """A broker to talk to: the one that answers, or ours for as long as this lasts."""
    broker = Broker.of(settings)
    mine = False
    if not answers(settings.kafka.split(",")[0].strip(), timeout_s=2.0):
        notice(f"no Kafka answers at {settings.kafka}: starting one for as long as this lasts ...")
        mine = broker.start()
    try:
        yield
    finally:
        if mine:
            broker.stop()


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def _refuse_taken_port(host: str, port: int) -> None:
    deadline = time.monotonic() + PORT_TIMEOUT_S
    while _is_taken(host, port):
        if time.monotonic() > deadline:  # a broker that was just killed holds it for a moment
            raise BrokerError(
                f"port {port} on {host} is taken by another program; stop that one or set "
                f"EVENHAND_KAFKA to another port, for example {host}:{free_port()}"
            )
        time.sleep(0.1)


def _is_taken(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return True
    return False


def _command_of(pid: int) -> str:
    """The command line of a process, empty where there is none (also for one that has died)."""
    if not Path("/proc/self/cmdline").exists():
        shown = subprocess.run(
            ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return shown.stdout
    # java starts itself anew while it starts; in between, the command line is empty for a moment
    for _ in range(20):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
        except OSError:
            return ""
        if command or state.split()[0] in "ZX":
            return command.replace(b"\0", b" ").decode("utf-8", "replace")
        time.sleep(0.01)
    return ""


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Hold a lock file, so that of two starts at once the second finds a running broker."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
