"""Work for engines under test, importable where an executor runs."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from events.errors import InputError
from events.runtime.workers import Tell
from pipelines.night.work import Done, Task, audit_group


def double(task: int, tell: Tell) -> int:
    return 2 * task


def refuse(task: int, tell: Tell) -> int:
    raise InputError(f"task {task}: expected something else")


def kill_its_executor_once(task: tuple[str, int], tell: Tell) -> int:
    """The first to come takes the whole executor with it: the process that started Python's."""
    marker, number = task
    try:
        Path(marker).touch(exist_ok=False)
    except FileExistsError:
        return number
    daemon = os.getppid()
    executor = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
    os.kill(executor, signal.SIGKILL)
    return -1


def audit_in_a_node_that_dies(task: tuple[str, Task], tell: Tell) -> Done:
    """The first to come says who it is and waits for its end; whoever comes later audits."""
    marker, group = task
    try:
        with Path(marker).open("x") as told:
            told.write(str(os.getpid()))
    except FileExistsError:
        return audit_group(group, tell)
    time.sleep(600)
    return audit_group(group, tell)
