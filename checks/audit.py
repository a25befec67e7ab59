"""A round audited: settled by the rulebook and compared with what the table recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from checks.compare import Recorded, compare
from checks.late import Late, late_rounds, overlap_finding
from checks.links import Problem
from checks.record import examine, record_finding
from checks.shoes import TYPES, Step, shoe_problems
from events.model import Envelope
from replay.answer import Answer, Finding, Key
from replay.engine import order_of, replay_round
from replay.facts import Declared, Round
from replay.rounds import facts_of


def audit_round(
    round_: Round,
    turned: Iterable[str] = (),
    *,
    trace: bool = False,
    book_id: str | None = None,
    recorded: Mapping[Key, Recorded] | None = None,
    late_voids: Sequence[Declared] = (),
) -> Answer:
    """The answer of a round with all its findings.

    `late_voids` were declared after the next round had begun: no ground any more, but declared.
    """
    answer = replay_round(round_, turned, trace=trace, book_id=book_id)
    if late_voids:
        round_.voids = [*round_.voids, *late_voids]
    found = compare(round_, answer, recorded)
    if found:
        answer.findings = sorted([*answer.findings, *found], key=order_of)
    return answer


def add_findings(answer: Answer, found: Iterable[Finding | None]) -> None:
    """Put what was found elsewhere among a round's findings, in order."""
    new = [finding for finding in found if finding is not None]
    if new:
        answer.findings = sorted([*answer.findings, *new], key=order_of)


def audit_file(
    envelopes: Iterable[Envelope], turned: Iterable[str] = (), *, trace: bool = False
) -> list[Answer]:
    """Every round of a stream of events, in the order in which they opened."""
    chosen = frozenset(turned)
    events, record = examine(list(envelopes))
    rounds = facts_of(events)
    late = _late(rounds)
    shoes = _shoes(events)
    closes = {e.round: e.seq for e in events if e.type == "RoundClosed"} if late else {}
    answers = []
    for round_ in rounds:
        known = late.get(round_.id)
        answer = audit_round(
            round_, chosen, trace=trace, late_voids=known.voids if known is not None else ()
        )
        overlap = overlap_finding(known, lambda r: closes.get(r.id)) if known else None
        add_findings(answer, [*record.get(round_.id, ()), *shoes.get(round_.id, ()), overlap])
        answers.append(answer)
    return answers


def _late(rounds: Sequence[Round]) -> dict[str, Late]:
    """By table, because only the next round at the same table ends what can be noticed."""
    of_table: dict[str | None, list[Round]] = {}
    for round_ in rounds:
        if round_.rulebook is not None:
            of_table.setdefault(round_.table, []).append(round_)
    out: dict[str, Late] = {}
    for some in of_table.values():
        out |= late_rounds(some)
    return out


def _shoes(events: Sequence[Envelope]) -> dict[str, list[Finding]]:
    """Shoes that do not add up, by round; only where devices numbered the events."""
    steps: dict[str, list[Step]] = {}
    gaps: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for e in events:
        if e.table is None or e.seq is None:
            continue
        if e.seq > last.get(e.table, e.seq) + 1:
            gaps.setdefault(e.table, []).append(e.seq)
        last[e.table] = e.seq
        if e.type in TYPES:
            steps.setdefault(e.table, []).append(_step(e, e.seq))
    out: dict[str, list[Finding]] = {}
    for table, some in steps.items():
        for problem in shoe_problems(some, gaps.get(table, ())):
            if problem.link.round is not None:
                finding = shoe_finding(table, problem)
                out.setdefault(problem.link.round, []).append(finding)
    return out


def shoe_finding(table: str | None, problem: Problem) -> Finding:
    """A shoe that does not add up; the event's number stands in for its place, so that a second
    thing wrong in one round has another id."""
    return record_finding(table, problem, problem.link.seq)


def _step(e: Envelope, seq: int) -> Step:
    names = ("shoe", "decks", "rulebook", "draw", "card", "cards_left", "kind")
    own = [getattr(e.event, name, None) for name in names]
    return Step(e.type, seq, e.round, *own)
