"""What services and nights say of themselves: an event with a name and some facts, by structlog.

Nothing is set up by an import, and without a word from `keep_runs` or `tell` nothing is written.
- `keep_runs`: what carries the id of a night's run goes to that run's file, whichever process says
  it: logs/runs/RUN.jsonl, a JSON object a line.
- `tell`: everything, that of the libraries too, goes to stderr.

At level info and above nothing tells who played or what opens a door: facts under such a name are
left out, and of an exception only its kind and the places in the code, because its text may quote
what it stumbled over.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal, cast

import structlog
from structlog.stdlib import BoundLogger

from events.runtime.modes import make_folder, open_file

Form = Literal["text", "json"]
Facts = MutableMapping[str, Any]
ROOT = "evenhand"
PRIVATE = frozenset(
    "player players line lines expected recorded stake winnings password passwords secret token "
    "private_key webhook authorization cookie".split()
)
LEFT_OUT = "(left out)"
_PLACES = 12
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"
_AS_JSON = structlog.processors.JSONRenderer()


@dataclass(frozen=True, slots=True)
class Telling:
    """How a process tells its log on stderr; workers take it over from whoever started them."""

    service: str
    form: Form
    level: str
    house: str | None = None


class _Process:
    """What this process has set up; there is one log in a process."""

    telling: Telling | None = None
    stderr: logging.Handler | None = None
    runs: RunFiles | None = None


@cache
def logger(name: str) -> BoundLogger:
    """The log of one part of the house."""
    _quiet_unless_asked()
    return cast(
        "BoundLogger",
        structlog.wrap_logger(
            logging.getLogger(f"{ROOT}.{name}"),
            wrapper_class=BoundLogger,
            processors=[
                structlog.stdlib.filter_by_level,
                structlog.contextvars.merge_contextvars,
                _to_record,
            ],
        ),
    )


def bound(**facts: Any) -> AbstractContextManager[Mapping[str, Any]]:
    """These facts stand beside everything that is said meanwhile."""
    return cast(
        "AbstractContextManager[Mapping[str, Any]]",
        structlog.contextvars.bound_contextvars(**facts),
    )


def run_log(home: Path, run: str) -> Path:
    """The log of one run of a night."""
    return home / "logs" / "runs" / f"{run}.jsonl"


def keep_runs(home: Path, level: str = "info") -> None:
    """From now on what this process says of a run goes to the run's file."""
    if _Process.runs is not None:
        _Process.runs.home = home
        return
    _Process.runs = RunFiles(home)
    _Process.runs.setFormatter(LogLine("json", {}))
    ours = _quiet_unless_asked()
    ours.addHandler(_Process.runs)
    _lower(ours, level)


def tell(telling: Telling, stream: IO[str] | None = None) -> None:
    """From now on this process tells its log on stderr."""
    end_telling()
    handler = logging.StreamHandler(stream or sys.stderr)
    known = {"service": telling.service} | ({"house": telling.house} if telling.house else {})
    handler.setFormatter(LogLine(telling.form, known))
    logging.getLogger().addHandler(handler)
    _lower(_quiet_unless_asked(), telling.level)
    _Process.telling, _Process.stderr = telling, handler


def end_telling() -> None:
    """Nothing goes to stderr any more."""
    if _Process.stderr is not None:
        logging.getLogger().removeHandler(_Process.stderr)
    _Process.telling = _Process.stderr = None


def in_force() -> Telling | None:
    """How this process tells, for the workers that it starts."""
    return _Process.telling


class RunFiles(logging.Handler):
    """Each record to the file of the run that it names; others are nobody's run."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.home = home

    def emit(self, record: logging.LogRecord) -> None:
        known = structlog.contextvars.get_contextvars() | _facts(record)
        run = known.get("run")
        if not isinstance(run, str) or not run.replace("-", "").isalnum():
            return
        with suppress(OSError):  # a disk without room has the night fail by itself, with a sentence
            path = run_log(self.home, run)
            make_folder(path.parent)
            fd = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(
                    fd, f"{self.format(record)}\n".encode()
                )  # whole: many processes write here
            finally:
                os.close(fd)


def _quiet_unless_asked() -> logging.Logger:
    """Our own log, which says nothing where nobody listens."""
    ours = logging.getLogger(ROOT)
    if not ours.handlers:
        ours.addHandler(logging.NullHandler())
    return ours


def _lower(ours: logging.Logger, level: str) -> None:
    wanted = logging.getLevelNamesMapping()[level.upper()]
    if ours.level == logging.NOTSET or wanted < ours.level:
        ours.setLevel(wanted)


def _to_record(_: Any, __: str, event: Facts) -> dict[str, Any]:
    """As the standard library's log carries it: for people who read it elsewhere, on Dagster's
    pages say, the facts stand in its text too."""
    name, raised = event.pop("event"), event.pop("exc_info", None)
    facts = {key: _open(key, value) for key, value in event.items()}
    text = " ".join([str(name), *(f"{key}={value}" for key, value in facts.items())])
    more: dict[str, Any] = {} if raised is None else {"exc_info": raised}
    return {"msg": text, "extra": {"facts": {"event": name, **facts}}} | more


def _open(key: str, value: Any) -> Any:
    if key in PRIVATE:
        return LEFT_OUT
    return value if isinstance(value, str | int | float | bool | None | list | dict) else str(value)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    """What a record says; one of another library is a text under its logger's name."""
    found: dict[str, Any] | None = getattr(record, "facts", None)
    if found is not None:
        return found
    return {"event": "log", "logger": record.name, "text": record.getMessage()}


class LogLine(logging.Formatter):
    """A record on one line: JSON for machines, words for people."""

    def __init__(self, form: Form, known: Mapping[str, Any]) -> None:
        super().__init__()
        self._form, self._known = form, known

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).strftime(_TIME),
            "level": record.levelname.lower(),
            **self._known,
            **structlog.contextvars.get_contextvars(),
            "process": record.process,
            **_facts(record),
            **_raised(record),
        }
        return _for_people(told) if self._form == "text" else str(_AS_JSON(None, "", told))


def _raised(record: logging.LogRecord) -> dict[str, Any]:
    """The kind of an exception and where it was raised, never its text."""
    raised = record.exc_info
    if not raised or not isinstance(raised, tuple) or raised[1] is None:
        return {}
    frames = traceback.extract_tb(raised[2])[-_PLACES:]
    places = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames]
    return {"exception": type(raised[1]).__name__, "places": places}


def _for_people(event: dict[str, Any]) -> str:
    """One line: when, how bad, what, and the facts."""
    at, level, name = event.pop("at"), event.pop("level"), event.pop("event")
    text = event.pop("text", None)
    event.pop("process", None)
    facts = " ".join(f"{key}={_shown(value)}" for key, value in event.items())
    head = f"{at[11:19]} {level:<7} {name:<18}"
    return f"{head} {_shown(text) if text is not None else ''} {facts}".replace("  ", " ").rstrip()


def _shown(value: Any) -> str:
    """A value on one line, in which nothing steers a terminal."""
    text = str(value)
    return text if text.isprintable() else repr(text)
