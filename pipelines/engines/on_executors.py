"""What runs on Spark's executors: functions that travel, and find our code when they arrive."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from events.errors import EvenhandError
from events.runtime.workers import Tell
from pipelines.engines.base import silent

CODE = "evenhand_code"
LIBRARIES = (
    *("pyarrow", "numpy", "fastavro", "click", "cryptography", "duckdb", "structlog", "rich"),
    *("jinja2", "great_expectations"),
)
"""What the audit and the close of a day import, wherever they run."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What our own work raised: the driver raises it, and Spark does not try again."""

    error: Exception


def job_of(
    named: tuple[str, str], pickled: list[bytes], home: str | None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function that a partition runs. Our code is not on its path yet when it is unpickled, so
    everything that it uses is imported inside it."""
    folder = CODE

    def run_partition(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib
        import os
        import pickle
        import sys

        import pyarrow as pa
        from pyspark import SparkFiles

        found = os.path.join(SparkFiles.getRootDirectory(), folder)  # noqa: PTH118 - no Path here
        if found not in sys.path:
            sys.path.insert(0, found)
        if home is not None:
            os.environ["EVENHAND_HOME"] = home
        pa.set_cpu_count(1)
        module, name = named
        work = getattr(importlib.import_module(module), name)
        answered = importlib.import_module("pipelines.engines.on_executors").answered
        for batch in batches:
            for number in batch.column(0).to_pylist():
                answer = answered(work, pickle.loads(pickled[number]))
                columns: Any = [pa.array([number], pa.int64()), pa.array([answer], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, ["number", "answer"])

    return run_partition


def answered(work: Callable[[Any, Tell], Any], task: Any) -> bytes:
    """The pickled answer, or what our work raised; anything else is Spark's to try again."""
    try:
        return pickle.dumps(work(task, silent))
    except EvenhandError as error:
        return pickle.dumps(Raised(error))


def probe() -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What an executor has, told by plain text: it may lack everything that we would import."""
    folder, libraries = CODE, LIBRARIES

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib.util
        import os
        import platform
        import sys

        import pyarrow as pa
        from pyspark import SparkFiles

        found = os.path.join(SparkFiles.getRootDirectory(), folder)  # noqa: PTH118 - no Path here
        code = os.path.isdir(os.path.join(found, "pipelines"))  # noqa: PTH112, PTH118 - the same
        missing = [name for name in libraries if importlib.util.find_spec(name) is None]
        version = ".".join(map(str, sys.version_info[:2]))
        told = "|".join([version, ",".join(missing), str(code), platform.node()])
        for batch in batches:
            for number in batch.column(0).to_pylist():
                columns: Any = [pa.array([number]), pa.array([told.encode()], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, ["number", "answer"])

    return look
