"""The log and the cases as rows, for the catalogue and for export."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pipelines.people.entry import LogEntry, hash_line, to_line
from pipelines.people.state import People
from pipelines.safe_text import for_json


def log_rows(entries: Iterable[LogEntry]) -> list[dict[str, Any]]:
    """One row an entry, in order."""
    return [
        {
            "number": entry.number,
            "done_at": entry.at,
            "who": entry.who,
            "via": entry.deed.via,
            "what": entry.what,
            "run": entry.deed.run,
            "subjects": list(entry.deed.subjects),
            "details": for_json(dict(entry.details), sort_keys=True),
            "prev": entry.prev.hex(),
            "hash": hash_line(to_line(entry)).hex(),
        }
        for entry in entries
    ]


def case_rows(people: People) -> list[dict[str, Any]]:
    return [
        {
            "id": case.finding,
            "state": case.state,
            "assignee": case.assignee,
            "due": case.due,
            "done": list(case.done),
            "said": case.said,
            "comments": case.comments,
            "opened_at": case.opened_at,
            "changed_at": case.changed_at,
        }
        for _, case in sorted(people.cases.items())
    ]
