"""`evenhand ingest`: what the log has goes into the archive, each message exactly once."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from events.log.base import LogError
from pipelines.cli.service_log import service_log
from pipelines.cli.stopping import stop_on_signals
from pipelines.safe_text import say

if TYPE_CHECKING:
    from datetime import date

    from structlog.stdlib import BoundLogger

    from events.archive.ingest import Completed, Forward, Progress, Taken
    from events.archive.writer import ArchiveWriter
    from events.log.base import Log
    from events.seal import Sealed
    from events.settings import Settings

ASK_EVERY_S = 2.0
TELL_EVERY_S = 60.0


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Choice(["file", "kafka"]),
    default="file",
    show_default=True,
    help="Which log to read.",
)
@click.option("--follow", is_flag=True, help="Go on as messages arrive, until Ctrl-C or SIGTERM.")
@click.option(
    "--history",
    is_flag=True,
    help="A log of earlier years: its times count as they are, whenever it arrives.",
)
def command(source: str, follow: bool, history: bool) -> None:
    """Take what the log has into the archive.

    Goes on where the last ingest stopped, however it stopped: nothing is lost and nothing is
    taken twice. What can't be read as an event goes into quarantine, with the reason.
    """
    from events.settings import load_settings

    settings = load_settings()
    began = time.monotonic()
    stop = stop_on_signals()
    words = _words(settings, source, follow=follow)
    log, forward = _open_log(settings, source, words, follow=follow, stop=stop)
    try:
        with open_archive(settings) as archive:
            run = partial(_run, settings, log, archive, words, stop=stop, forward=forward)
            taken = run(follow=follow, history=history)
    finally:
        log.close()
    words.end(taken, time.monotonic() - began)
    if stop() and not follow:
        _say("stopped before the end of the log; run evenhand ingest again to go on")
        sys.exit(130)


def _run(
    settings: Settings,
    log: Log,
    archive: ArchiveWriter,
    words: IngestWords,
    *,
    follow: bool,
    history: bool,
    stop: Callable[[], bool],
    forward: Forward | None,
) -> Taken:
    from events.archive.ingest import ingest

    for notice in archive.notices:
        words.notice(notice)
    _seal_days_over(settings, words)
    with _progress(log, words, follow=follow) as progress:
        taken = ingest(
            log,
            archive,
            follow=follow,
            history=history,
            batch_messages=settings.ingest_batch,
            stop=stop,
            progress=progress,
            forward=forward,
            completed=seal_days(settings, archive),
        )
    for notice in dict.fromkeys([*taken.notices, *getattr(log, "warnings", ())]):
        words.notice(notice)
    return taken


def _seal_days_over(settings: Settings, words: IngestWords) -> None:
    """Days that were complete before, and whose checkpoint a kill prevented."""
    from events.archive.errors import DamagedError
    from events.archive.heads import day_ends
    from events.archive.reader import Archive
    from events.checkpoints import checkpoint_days

    root = settings.home / "archive"

    def ends_of(day: date) -> Mapping[str, Sealed]:
        try:
            return day_ends(root, day)
        except DamagedError as error:  # no reason to take in nothing new
            words.notice(f"day {day} has no checkpoint, and none can be written: {error}")
            return {}

    with Archive(root) as archive:
        days = archive.days(complete=True)
    checkpoint_days(settings.checkpoints_file, days, ends_of)


def seal_days(settings: Settings, archive: ArchiveWriter) -> Completed:
    """What writes a checkpoint for each gaming day that is over."""
    from events.archive.heads import day_ends
    from events.checkpoints import checkpoint_day

    def completed(day: date) -> None:
        checkpoint_day(settings.checkpoints_file, day, day_ends(archive.root, day))

    return completed


def open_archive(settings: Settings) -> ArchiveWriter:
    """The archive for writing, by the settings."""
    from events.archive.writer import ArchiveWriter

    return ArchiveWriter(
        settings.home / "archive",
        settings.gaming_day,
        codec=settings.codec,
        bounds=settings.bounds,
    )


def _wait_for_log(settings: Settings, words: IngestWords, stop: Callable[[], bool]) -> None:
    """Whoever follows may be there before the first table has sent anything."""
    told = False
    while not any((settings.home / "log").glob("*.avro")):
        if stop():
            sys.exit(0)
        if not told:
            words.notice(f"{settings.home / 'log'}: no log here yet; waiting for the first table")
            told = True
        time.sleep(ASK_EVERY_S / 4)


def _open_log(
    settings: Settings, source: str, words: IngestWords, *, follow: bool, stop: Callable[[], bool]
) -> tuple[Log, Forward | None]:
    if source == "file":
        from events.log.files.log import open_file_log

        if follow:
            _wait_for_log(settings, words, stop)
        return open_file_log(settings), None
    from events.archive.dead_letters import DeadLetters
    from events.log.kafka.log import open_kafka_log

    log = open_kafka_log(settings, words.notice)
    # while following, a broker that is away is waited for, with dead letters in hand too
    return log, DeadLetters(log, give_up=stop if follow else lambda: True)


@contextlib.contextmanager
def _progress(log: Log, words: IngestWords, *, follow: bool) -> Iterator[Progress]:
    """A bar on a terminal, else what the words make of it."""
    if not sys.stderr.isatty():
        yield words.taken
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    behind = _Behind(log, follow=follow)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("taking in", total=None if follow else sum(behind.ends.values()))

        def show(taken: Any) -> None:
            text = f"taking in, {taken.events:,} events, {taken.quarantined:,} quarantined"
            text += behind.text(taken.positions)
            bar.update(task, completed=sum(taken.positions.values()), description=text)

        yield show


class _Behind:
    """How far the archive is behind each partition; while following, the ends move on."""

    def __init__(self, log: Log, *, follow: bool) -> None:
        self.ends = log.end()
        self._log, self._follow = log, follow
        self._asked_at = time.monotonic()

    def text(self, positions: Mapping[int, int]) -> str:
        if self._follow and time.monotonic() - self._asked_at > ASK_EVERY_S:
            with contextlib.suppress(LogError):  # a broker that is away is told of elsewhere
                self.ends = self._log.end()
            self._asked_at = time.monotonic()
        if len(self.ends) < 2:
            return ""
        lag = {p: max(end - positions.get(p, 0), 0) for p, end in sorted(self.ends.items())}
        return ", behind " + " ".join(f"{p}:{n:,}" for p, n in lag.items())


class IngestWords:
    """What ingest says while it works: sentences for who called it."""

    def notice(self, text: str) -> None:
        _say(text)

    def taken(self, so_far: Taken) -> None:
        """How far it is."""

    def end(self, taken: Taken, seconds: float) -> None:
        rate = f", {taken.messages / seconds:,.0f} events/s" if taken.messages else ""
        days = f"{len(taken.days)} {'day' if len(taken.days) == 1 else 'days'}"
        quarantined = f"{taken.quarantined:,} quarantined"
        text = f"{taken.events:,} events, {taken.rounds:,} rounds, {days}, {quarantined}{rate}"
        say(text, err=True)


class FollowingWords(IngestWords):
    """The same of a service, in its log."""

    def __init__(self, log: BoundLogger, source: str) -> None:
        self._log, self._told_at = log, time.monotonic()
        log.info("ingest.begun", source=source)

    def notice(self, text: str) -> None:
        self._log.warning("ingest.notice", text=text)

    def taken(self, so_far: Taken) -> None:
        now = time.monotonic()
        if now - self._told_at >= TELL_EVERY_S:
            self._told_at = now
            self._log.info("ingest.taken", **_counts(so_far))

    def end(self, taken: Taken, seconds: float) -> None:
        self._log.info("ingest.ended", **_counts(taken), seconds=round(seconds, 1))
        if sys.stderr.isatty():
            super().end(taken, seconds)


def _words(settings: Settings, source: str, *, follow: bool) -> IngestWords:
    return FollowingWords(service_log(settings, "ingest"), source) if follow else IngestWords()


def _counts(taken: Taken) -> dict[str, int]:
    return {"events": taken.events, "rounds": taken.rounds, "quarantined": taken.quarantined}


def _say(text: str) -> None:
    say(f"evenhand: {text}", err=True)
