"""Apache Spark: one partition per task and no shuffle, the same function as on one machine.

Tasks travel pickled inside the function, answers come back pickled in one Arrow column. The code
goes along as an archive that every executor unpacks, so that what runs there is what runs here;
only Python, pyarrow and our other libraries have to be there, and are asked for first.
"""

from __future__ import annotations

import os
import pickle
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from events.errors import EvenhandError
from events.runtime.modes import make_folder
from events.runtime.workers import Tell
from events.settings import home_in_force
from pipelines.engines.base import EngineError, silent
from pipelines.engines.code import pack_code
from pipelines.engines.on_executors import CODE, Raised, job_of, probe

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
R = TypeVar("R")
LOOPBACK = "127.0.0.1"
_SCHEMA = "number long, answer binary"
_PYTHON = "PYSPARK_PYTHON"
_HOW = "uv sync --extra spark, or pip install 'evenhand[spark]'"
_LAST = 600
SPARK_LOG = "logs/spark.log"


@dataclass(slots=True)
class SparkEngine:
    """`address`: spark://HOST:PORT, sc://HOST:PORT (Connect) or local-cluster[N,CORES,MB].

    `python`: what the executors start; None for PYSPARK_PYTHON where it is set, else this
    interpreter where the cluster is on this machine, else what the cluster has. `config`: more of
    Spark's own settings.
    """

    address: str
    python: str | None = None
    config: dict[str, str] = field(default_factory=dict)
    _kept: ExitStack | None = field(default=None, init=False, repr=False)  # within `with`
    _spark: SparkSession | None = field(default=None, init=False, repr=False)

    def __enter__(self) -> Self:
        """One session for all runs, started by the first."""
        self._kept = ExitStack()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        kept, self._kept, self._spark = self._kept, None, None
        if kept is not None:
            kept.close()

    def run(self, work: Callable[[T, Tell], R], tasks: Sequence[T], told: Tell = silent) -> list[R]:
        """Answers in the order of the tasks. An executor that dies costs only its own tasks: Spark
        gives them to another."""
        if not tasks:
            return []
        with _said_clearly(self.address), ExitStack() as own:
            spark = self._spark or self._start(own if self._kept is None else self._kept)
            named = (work.__module__, work.__qualname__)
            pickled = [pickle.dumps(task) for task in tasks]
            job = job_of(named, pickled, os.environ.get("EVENHAND_HOME"))
            rows = _collect(spark, job, len(tasks))
        answers: dict[int, Any] = {number: pickle.loads(answer) for number, answer in rows}
        for answer in answers.values():
            if isinstance(answer, Raised):
                raise answer.error
        if len(answers) != len(tasks):
            raise EngineError(
                f"{self.address}: expected {len(tasks)} answers, got {len(answers)}; nothing was "
                "published, run the same command again"
            )
        for task in tasks:
            told(getattr(task, "events", 0))
        return [answers[n] for n in range(len(tasks))]

    def _start(self, stack: ExitStack) -> SparkSession:
        """A session with our code on its executors, until the stack is closed."""
        way = _way_to(self.address)
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-spark-"))
        spark = stack.enter_context(self._session(pack_code(Path(scratch) / f"{CODE}.zip"), way))
        _check_executors(spark, self.address)
        if stack is self._kept:
            self._spark = spark
        return spark

    @contextmanager
    def _session(self, code: Path, way: str) -> Iterator[SparkSession]:
        builder = _session_class().builder.appName("evenhand")
        here = not self.address.startswith("sc://")
        if here:
            builder = builder.master(self.address)
            for name, value in _SETTINGS.items():
                builder = builder.config(name, value)
            builder = builder.config("spark.archives", f"{code}#{CODE}")
            if way == LOOPBACK:
                builder = builder.config("spark.driver.bindAddress", way)
                builder = builder.config("spark.driver.host", way)
        else:
            builder = builder.remote(self.address)
        for name, value in self.config.items():
            builder = builder.config(name, value)
        with _quiet_start(way), _executors_python(self._python()):
            spark = builder.getOrCreate()
        try:
            if here:
                spark.sparkContext.setLogLevel("ERROR")
            else:
                spark.addArtifacts(f"{code}#{CODE}", archive=True)
            yield spark
        finally:
            spark.stop()

    def _python(self) -> str | None:
        local = sys.executable if self.address.startswith("local") else None
        return self.python or os.environ.get(_PYTHON) or local


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.task.maxFailures": "4",
    "spark.python.worker.reuse": "true",
}


@contextmanager
def _executors_python(python: str | None) -> Iterator[None]:
    """Spark takes it from the driver's environment, not from its settings, and when it starts."""
    before = os.environ.get(_PYTHON)
    if python is not None:
        os.environ[_PYTHON] = python
    try:
        yield
    finally:
        if before is not None:
            os.environ[_PYTHON] = before
        else:
            os.environ.pop(_PYTHON, None)


@contextmanager
def _quiet_start(way: str) -> Iterator[None]:
    """What Spark's own processes say goes to a file of the home, not between our lines: they keep
    the stderr that they were started with."""
    log = home_in_force() / SPARK_LOG
    make_folder(log.parent)
    os.environ.setdefault("SPARK_LOCAL_IP", way)  # executors call back there
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    sys.stderr.flush()
    ours, theirs = os.dup(2), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
    os.dup2(theirs, 2)
    try:
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
        os.close(theirs)


def _session_class() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError(
            f"this engine needs Apache Spark's Python package, which is not installed: {_HOW}"
        ) from None
    return SparkSession


def _way_to(address: str) -> str:
    """The address by which this machine reaches a cluster, and so is reached by it: loopback where
    the cluster is here. One that is not there is told at once; Spark itself tries for a minute."""
    if address.startswith("local"):
        return LOOPBACK
    place = re.split(r"[/;,]", address.split("://", 1)[1], maxsplit=1)[0]
    host, _, port = place.partition(":")
    usual = "15002" if address.startswith("sc://") else "7077"
    try:
        with socket.create_connection((host, int(port or usual)), timeout=10) as way:
            return str(way.getsockname()[0])
    except (OSError, ValueError) as error:
        raise EngineError(
            f"{address}: no Spark answers there ({error}); start it, or correct the address"
        ) from None


def _collect(spark: SparkSession, job: Callable[..., Any], count: int) -> list[tuple[int, bytes]]:
    frame = spark.range(count, numPartitions=count).mapInArrow(job, _SCHEMA)
    return [(row.number, bytes(row.answer)) for row in frame.collect()]


def _check_executors(spark: SparkSession, address: str) -> None:
    """One look before the first task, with a sentence where our code can't run there."""
    ours = ".".join(map(str, sys.version_info[:2]))
    for _, told in _collect(spark, probe(), 1):
        version, missing, code, node = told.decode().split("|")
        if version != ours:
            raise EngineError(
                f"{address}: expected Python {ours} on the executors, found {version} on {node}; "
                "set PYSPARK_PYTHON to one that fits"
            )
        if missing:
            raise EngineError(
                f"{address}: the executors lack {missing} (on {node}); give them evenhand's "
                "requirements, or a packed environment as PYSPARK_PYTHON"
            )
        if code != "True":
            raise EngineError(f"{address}: our code did not arrive on {node}; look at its log")


@contextmanager
def _said_clearly(address: str) -> Iterator[None]:
    """Spark's own errors in one sentence."""
    try:
        yield
    except EvenhandError:
        raise
    except Exception as error:
        if "--traceback" in sys.argv:
            raise
        raise EngineError(f"{address}: {_why(str(error))}") from error


def _why(text: str) -> str:
    if re.search(r"No module named 'pyarrow'", text):
        return (
            "the executors lack pyarrow; give them evenhand's requirements, or a packed "
            "environment as PYSPARK_PYTHON"
        )
    if re.search(r"PYTHON_VERSION_MISMATCH|different version in worker", text):
        ours = ".".join(map(str, sys.version_info[:2]))
        return f"the executors' Python is not {ours}; set PYSPARK_PYTHON to one that fits"
    if re.search(r"All masters are unresponsive|Connection refused|UNAVAILABLE", text):
        return "no Spark answers there; start it, or correct the address"
    if re.search(r"stopped SparkContext|removed our application", text):
        return f"Spark gave the job up; why, {SPARK_LOG} of the home says"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"Spark failed: {(lines[-1] if lines else 'without a word')[:_LAST]}"
