"""What every benchmark measures against: D, the processor time that fastavro alone needs to decode
the same events on one core; and the interpreter that all of it ran on, because D moves with it."""

from __future__ import annotations

import io
import platform
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence

from fastavro import schemaless_reader

from events.codec import current_schema

PASSES = 3


def interpreter() -> str:
    """The build in one line: version, compiler, and whether it was made with profile and LTO."""
    flags = f"{sysconfig.get_config_var('CONFIG_ARGS') or ''}"
    made = [
        name if flag in flags else f"no {name}"
        for name, flag in (("PGO", "--enable-optimizations"), ("LTO", "--with-lto"))
    ]
    name = platform.python_implementation()
    return f"{name} {platform.python_version()} ({sys.platform}, {', '.join(made)})"


def best(work: Callable[[], object], passes: int = PASSES) -> float:
    """Processor seconds of the quickest pass: the slower ones measure somebody else's work, and so
    would the clock on the wall."""
    times = []
    for _ in range(passes):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def decode_all(bodies: Sequence[bytes]) -> None:
    """fastavro, as ingest would have to use it: the type of an event comes with its record."""
    schema = current_schema().parsed
    for body in bodies:
        schemaless_reader(io.BytesIO(body), schema, None, return_record_name=True)


def d_of(bodies: Sequence[bytes]) -> float:
    """D for these events."""
    return best(lambda: decode_all(bodies))
