"""Ready questions: files in docs/queries/, each with its question as the first line."""

from __future__ import annotations

from dataclasses import dataclass

from events.contract import did_you_mean
from events.errors import InputError
from events.runtime.shipped import shipped

FOLDER = shipped("pipelines/ask/queries", "docs/queries")


@dataclass(frozen=True, slots=True)
class Ready:
    """A question that can be asked by name."""

    name: str
    question: str
    sql: str


def ready_questions() -> dict[str, Ready]:
    """All of them by name."""
    out = {}
    for path in sorted(FOLDER.glob("*.sql")):
        sql = path.read_text("utf-8")
        first = sql.splitlines()[0] if sql else ""
        out[path.stem] = Ready(path.stem, first.removeprefix("--").strip(), sql)
    return out


def ready_question(name: str) -> Ready:
    """One of them, or a sentence with the nearest name."""
    known = ready_questions()
    if name not in known:
        raise InputError(
            f"no question {name}{did_you_mean(name, known)}; evenhand sql --list names them"
        )
    return known[name]
