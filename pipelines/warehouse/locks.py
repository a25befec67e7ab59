"""One run per day, one publication at a time: locks that the system lets go of at any end."""

from __future__ import annotations

import fcntl
import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date

from events.runtime.modes import make_folder, open_file
from pipelines.warehouse.errors import DayBusyError
from pipelines.warehouse.layout import Warehouse


@contextmanager
def day_lock(warehouse: Warehouse, day: date) -> Iterator[None]:
    """Held while a run works on a day. A second run is told so at once instead of waiting."""
    make_folder(warehouse.root)
    path = warehouse.day_lock(day)
    fd = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
            by = f"process {holder}" if holder else "another process"
            raise DayBusyError(
                f"day {day}: {by} is already running this day; wait for it to end, then run "
                f"evenhand nightly --day {day} again"
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(fd)


@contextmanager
def day_locks(warehouse: Warehouse, days: Sequence[date]) -> Iterator[None]:
    """Held while one job works on many days. Each lock is an open file, and years have more days
    than a process may have files open unless it asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = soft + len(days)
    resource.setrlimit(
        resource.RLIMIT_NOFILE,
        (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard),
    )
    try:
        with ExitStack() as stack:
            for day in days:
                stack.enter_context(day_lock(warehouse, day))
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def publish_lock(warehouse: Warehouse) -> Iterator[None]:
    """Held for the seconds in which a catalogue is built from the last one; others wait."""
    fd = open_file(warehouse.publish_lock, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
