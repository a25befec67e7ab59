"""A round audited: settled by the rulebook and compared with what the table recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checks.compare import Recorded, compare
from checks.record import record_findings
from events.model import Envelope
from replay.answer import Answer, Key
from replay.engine import order_of, replay_round
from replay.facts import Round
from replay.rounds import facts_of


def audit_round(
    round_: Round,
    turned: Iterable[str] = (),
    *,
    trace: bool = False,
    book_id: str | None = None,
    recorded: Mapping[Key, Recorded] | None = None,
) -> Answer:
    """The answer of a round with all its findings."""
    answer = replay_round(round_, turned, trace=trace, book_id=book_id)
    found = compare(round_, answer, recorded)
    if found:
        answer.findings = sorted([*answer.findings, *found], key=order_of)
    return answer


def audit_file(
    envelopes: Iterable[Envelope], turned: Iterable[str] = (), *, trace: bool = False
) -> list[Answer]:
    """Every round of a stream of events, in the order in which they opened."""
    chosen = frozenset(turned)
    events = list(envelopes)
    record = record_findings(events)
    answers = []
    for round_ in facts_of(events):
        answer = audit_round(round_, chosen, trace=trace)
        found = record.get(round_.id)
        if found:
            answer.findings = sorted([*answer.findings, *found], key=order_of)
        answers.append(answer)
    return answers
