"""The close of a day, from findings to report, as a task that any machine may do.

It may be done twice, where a machine was taken for dead, and two closes are not the same bytes: a
report tells how long things took. So each attempt works in a folder of its own inside the run's,
in which the parts stand as links, and only whoever asked takes one attempt's files out of it.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from events.runtime import logs, modes
from events.runtime.digest import file_sha256
from events.runtime.workers import Tell
from pipelines.engines.base import LOCAL, Engine, silent
from pipelines.night import stages
from pipelines.night.answered import same_files
from pipelines.night.context import Night
from pipelines.night.pool import in_this_process
from pipelines.warehouse.chain import UNLISTED, files_of
from pipelines.warehouse.layout import RunFolder

_ATTEMPT = ".close-"


@dataclass(frozen=True, slots=True)
class CloseTask:
    """One day to be closed, its meters gone on and its witnesses told."""

    night: Night
    with_suites: bool
    events: int


@dataclass(frozen=True, slots=True)
class Closed:
    """Where an attempt left its files, and the SHA-256 of all files of the run as it saw them."""

    attempt: str
    made: tuple[str, ...]
    files: dict[str, str]

    @property
    def listed(self) -> dict[str, str]:
        """Those of them that the run's record lists."""
        return {n: sha256 for n, sha256 in self.files.items() if n not in UNLISTED}


def close_all(engine: Engine, nights: Sequence[Night], *, with_suites: bool) -> list[Closed]:
    """Close these days, wherever the engine runs; the files of each are in its folder then."""
    tasks = [
        CloseTask(_as_others_see_it(night), with_suites, night.state()["pinned"]["events"])
        for night in nights
    ]
    closed = engine.run(close_day, tasks, silent)
    for night, one in zip(nights, closed, strict=True):
        _adopt(night, one)
    return closed


def close_day(task: CloseTask, tell: Tell = silent) -> Closed:
    """Findings, checks, figures and report of a day whose groups are all there."""
    modes.use(task.night.settings.file_modes)
    logs.keep_runs(task.night.settings.home)
    run = task.night.folder
    attempt = f"{_ATTEMPT}{secrets.token_hex(4)}"
    folder = RunFolder(run.path / attempt, run.day, run.run)
    _set_up(run.path, folder.path)
    night = replace(task.night, folder=folder)
    try:
        with in_this_process():
            stages.collect_day(night)
            stages.hold_back(stages.check_day(night, with_suites=task.with_suites))
        stages.figure_day(night)
        stages.write_report(night)
        shutil.rmtree(folder.path / "spill", ignore_errors=True)
        stages.drop_stage(night)
    except BaseException:
        shutil.rmtree(folder.path, ignore_errors=True)
        raise
    made = [p.name for p in sorted(folder.path.iterdir()) if not p.is_symlink()]
    files = files_of(folder) | {n: file_sha256(folder.path / n).hex() for n in made}
    tell(task.events)
    return Closed(attempt, tuple(made), files)


def _as_others_see_it(night: Night) -> Night:
    """With no path that counts from the folder of this process."""
    home = night.settings.home.absolute()
    return replace(night, settings=replace(night.settings, home=home))


def _set_up(run: Path, attempt: Path) -> None:
    """The run's files as links, so that an attempt that drops or replaces one does so for itself;
    its state as a copy."""
    modes.make_folder(attempt)
    for path in run.iterdir():
        if path.name in UNLISTED:
            shutil.copyfile(path, attempt / path.name)
        elif path.is_file() and not path.name.startswith("."):
            (attempt / path.name).symlink_to(Path("..") / path.name)


def _adopt(night: Night, closed: Closed) -> None:
    """Take what one attempt made; what others left goes."""
    source = night.folder.path / closed.attempt
    if night.settings.engine != LOCAL:
        there = {n: file_sha256(p).hex() for n in closed.made if (p := source / n).exists()}
        same_files(night.folder.path, {name: closed.files[name] for name in closed.made}, there)
    for name in closed.made:
        (source / name).replace(night.folder.path / name)
    stages.drop_parts(night)
    for left in night.folder.path.glob(f"{_ATTEMPT}*"):
        shutil.rmtree(left, ignore_errors=True)
