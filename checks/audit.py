"""A round audited: settled by the rulebook and compared with what the table recorded."""

from __future__ import annotations

from collections.abc import Iterable

from checks.compare import compare
from replay.answer import Answer
from replay.engine import order_of, replay_round
from replay.facts import Round


def audit_round(
    round_: Round, turned: Iterable[str] = (), *, trace: bool = False, book_id: str | None = None
) -> Answer:
    """The answer of a round with all its findings."""
    answer = replay_round(round_, turned, trace=trace, book_id=book_id)
    found = compare(round_, answer)
    if found:
        answer.findings = sorted([*answer.findings, *found], key=order_of)
    return answer
