"""Work over processes: every answer once, and no wait without end whoever dies when."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events.runtime.workers import Tell, WorkerDiedError, spread, started_early
from tests.command import ROOT
from tests.processes import workers

LONG_S = 60


def square(n: int, tell: Tell) -> int:
    tell(n)
    return n * n


def pid_after_a_while(n: int, _: Tell) -> int:
    time.sleep(0.002 * n)
    return os.getpid()


def fail_at_seven(n: int, _: Tell) -> int:
    if n == 7:
        raise ValueError("seven")
    return n


def sleep_for_ever() -> None:
    time.sleep(3600)


def sleep_on(n: int, _: Tell) -> int:
    if n:
        time.sleep(3600)
    return n


def die(n: int, _: Tell) -> int:
    if n == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


def hand_over_a_lock(n: int, _: Tell) -> Any:
    return threading.Lock()


def half_of_a_large_answer(n: int, _: Tell) -> bytes:
    """The parent has not read it when the worker dies: more than a pipe holds."""
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return bytes(200_000_000)


def all_of(work: Callable[[int, Tell], Any], tasks: int, processes: int = 2) -> list[Any]:
    return list(spread(work, range(tasks), processes, method="forkserver"))


def until_none_is_left() -> None:
    end = time.monotonic() + LONG_S
    while workers():
        assert time.monotonic() < end, f"still there: {workers()}"
        time.sleep(0.01)


@pytest.mark.parametrize(("tasks", "processes"), [(0, 2), (1, 4), (2, 2), (50, 3)])
def test_every_task_is_answered_once_and_told_of(tasks: int, processes: int) -> None:
    told: list[int] = []
    answers = spread(square, range(tasks), processes, method="forkserver", told=told.append)
    assert sorted(answers) == [n * n for n in range(tasks)]
    assert sorted(told) == list(range(tasks))


def test_the_work_is_shared_and_none_of_it_is_done_here() -> None:
    pids = set(all_of(pid_after_a_while, 20, processes=3))
    assert len(pids) == 3
    assert os.getpid() not in pids


def test_what_the_work_raises_is_raised_with_its_place_and_the_others_end() -> None:
    with pytest.raises(ValueError, match="seven") as raised:
        all_of(fail_at_seven, 50)
    assert "in fail_at_seven" in raised.value.__notes__[0]
    until_none_is_left()


def test_an_answer_that_cannot_be_handed_over_is_an_error() -> None:
    with pytest.raises(TypeError, match="cannot hand over"):
        all_of(hand_over_a_lock, 3)


@pytest.mark.parametrize("work", [die, half_of_a_large_answer])
def test_a_worker_that_dies_is_told_from_one_that_fails(work: Callable[[int, Tell], Any]) -> None:
    with pytest.raises(WorkerDiedError, match="killed before it had answered"):
        all_of(work, 6)
    until_none_is_left()


def test_a_reader_that_stops_early_ends_the_work() -> None:
    answers = spread(sleep_on, [0, 1, 1], 2, method="forkserver")
    assert next(answers) == 0
    answers.close()  # type: ignore[attr-defined]
    until_none_is_left()


def test_ctrl_c_ends_the_work_without_a_word_from_the_workers(tmp_path: Path) -> None:
    code = (
        "from events.runtime.workers import spread\n"
        "from tests.events.test_workers import sleep_on\n"
        "try:\n"
        "    for n in spread(sleep_on, [0, 1, 1], 2, method='spawn'): print(n, flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    program = tmp_path / "program.py"
    indented = "".join(f"    {line}\n" for line in code.splitlines())
    program.write_text(f"if __name__ == '__main__':\n{indented}")
    process = subprocess.Popen(
        [sys.executable, str(program)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"  # the other worker may still be starting
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of them
    out, err = process.communicate(timeout=LONG_S)
    assert (out, err, process.returncode) == ("stopped\n", "", 0)


def kill_somebody(delay_s: float, over: threading.Event) -> None:
    """The first worker that is seen, some time after it was."""
    while not over.is_set():
        for pid in workers()[:1]:
            time.sleep(delay_s)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            return
        time.sleep(0.001)


def campaign(kills: int, seed: int) -> None:
    rng = random.Random(seed)
    died = 0
    for _ in range(kills):
        over = threading.Event()
        killer = threading.Thread(
            target=kill_somebody, args=(rng.choice([0.0, rng.uniform(0, 0.05)]), over)
        )
        killer.start()
        try:
            assert len(all_of(pid_after_a_while, 12)) == 12
        except WorkerDiedError:
            died += 1
        over.set()
        killer.join()
        until_none_is_left()
    assert died > kills / 3


def test_kills_at_any_moment_are_told_and_never_waited_for() -> None:
    campaign(40, seed=5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_hundreds_of_kills(seed: int) -> None:
    campaign(200, seed)


def test_a_worker_that_was_started_early_answers_and_ends() -> None:
    with started_early(square, method="forkserver") as ask:
        assert [ask(3), ask(4)] == [9, 16]
        assert workers()
    assert not workers()


def test_a_worker_that_was_started_early_and_never_asked_ends_at_once() -> None:
    with started_early(square, method="forkserver", begin=sleep_for_ever):
        pass
    assert not workers()


def test_a_worker_that_dies_before_it_is_asked_is_told() -> None:
    with started_early(die, method="forkserver") as ask:
        for pid in workers():
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerDiedError):
            ask(1)


def test_what_early_work_raises_is_raised_here() -> None:
    with (
        started_early(fail_at_seven, method="forkserver") as ask,
        pytest.raises(ValueError, match="seven"),
    ):
        ask(7)
