"""Questions that run: bounded in time, rows and number, and each of them can be stopped."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Timer
from time import perf_counter
from typing import Any

import duckdb

from pipelines.ask.gate import check
from pipelines.desk.books import damaged, edition_of
from pipelines.desk.errors import DeskError, bad_request
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.read import open_readonly

SECONDS = 30
MOST_AT_ONCE = 4
MEMORY = "1GB"
SHOWN_ROWS = 1_000


@dataclass(slots=True)
class RunningQuestion:
    """A question at work: whoever knows its token can stop it."""

    token: str
    who: str
    sql: str
    db: duckdb.DuckDBPyConnection
    began: float = field(default_factory=perf_counter)
    stopped: str | None = None  # why, once it is

    def stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        self.db.interrupt()


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    names: list[str]
    kinds: list[str]
    rows: list[tuple[Any, ...]]
    more: bool
    seconds: float


class Questions:
    """The questions of everybody at this desk."""

    def __init__(self, home: Path) -> None:
        self._home, self._lock = home, Lock()
        self._running: dict[str, RunningQuestion] = {}
        self._waiting: tuple[str, duckdb.DuckDBPyConnection] | None = None

    def running(self) -> list[RunningQuestion]:
        with self._lock:
            return list(self._running.values())

    def stop(self, token: str, who: str) -> bool:
        """Stop a question of this person; whether there was one."""
        with self._lock:
            found = self._running.get(token)
        if found is None or found.who != who:
            return False
        found.stop("it was stopped")
        return True

    @contextmanager
    def asked(self, sql: str, who: str, token: str | None = None) -> Iterator[RunningQuestion]:
        """One question through the gate; it is interrupted when its time is over."""
        try:
            questions = check(sql)
        except WarehouseError as error:
            raise bad_request(str(error)) from None
        if len(questions) != 1:
            raise bad_request(f"SQL: expected one question, found {len(questions)}")
        edition, opened = self._connection()
        db: duckdb.DuckDBPyConnection | None = opened
        question = RunningQuestion(
            token or secrets.token_urlsafe(12), who, questions[0].sql, opened
        )
        with self._lock:
            if len(self._running) >= MOST_AT_ONCE or question.token in self._running:
                question.db.close()
                raise DeskError(
                    503,
                    "Too many questions at once",
                    f"{MOST_AT_ONCE} questions are being answered: try again in a moment.",
                )
            self._running[question.token] = question
        timer = Timer(SECONDS, question.stop, [f"it took longer than {SECONDS} seconds"])
        timer.daemon = True
        timer.start()
        try:
            yield question
        except duckdb.InterruptException:
            raise bad_request(f"SQL: {question.stopped or 'it was interrupted'}") from None
        except duckdb.OutOfMemoryException:
            raise bad_request(f"SQL: it needs more than {MEMORY} of memory; ask for less") from None
        except duckdb.Error as error:
            raise bad_request(str(error)) from None
        else:
            if question.stopped is None:
                self._put_back(edition, opened)
                db = None
        finally:
            timer.cancel()
            with self._lock:
                self._running.pop(question.token, None)
            if db is not None:
                db.close()

    def _connection(self) -> tuple[str, duckdb.DuckDBPyConnection]:
        """The connection that waits, where it is to the catalogue in place; else a new one, which
        costs several times what most questions do."""
        edition = edition_of(warehouse_of(self._home).catalogue)
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting[0] == edition:
            return waiting
        if waiting is not None:
            waiting[1].close()
        try:
            return edition, open_readonly(self._home, MEMORY, lasting=True)
        except WarehouseError as error:
            raise damaged(str(error)) from None

    def _put_back(self, edition: str, db: duckdb.DuckDBPyConnection) -> None:
        """One waits for the next question; what a question was stopped in is not used again."""
        with self._lock:
            before, self._waiting = self._waiting, (edition, db)
        if before is not None:
            before[1].close()

    def close(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting[1].close()

    def answer(
        self, sql: str, who: str, rows: int = SHOWN_ROWS, token: str | None = None
    ) -> GivenAnswer:
        """At most so many rows of the answer."""
        with self.asked(sql, who, token) as question:
            given = question.db.execute(question.sql)
            columns = given.description or []
            found = given.fetchmany(rows + 1)
            took = perf_counter() - question.began
        return GivenAnswer(
            [str(c[0]) for c in columns],
            [str(c[1]) for c in columns],
            found[:rows],
            len(found) > rows,
            took,
        )
