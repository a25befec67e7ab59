"""One round in, one answer out: the rulebook, the readings, and which lines they decide."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from replay.answer import Answer, Finding, Key, Line
from replay.facts import Round
from replay.findings import Findings
from replay.fold import EPOCH
from replay.readings import Readings
from replay.registry import IDS, rulebook
from replay.rulebook import Outcome, Rulebook


def replay_round(
    round_: Round, turned: Iterable[str] = (), *, trace: bool = False, book_id: str | None = None
) -> Answer:
    """Settle a round by its rulebook. `turned` are the readings set to the other one."""
    findings = Findings(round_)
    book = _book(round_, book_id, findings)
    if book is None:
        return _answer(round_, Outcome("unreplayable", None, []), findings, {}, trace=trace)
    chosen = frozenset(turned)
    readings = Readings(chosen)
    outcome = book.settle(round_, readings, findings, trace)
    other = Turned({}, {}, [])
    if readings.asked:
        other = _turn_each(book, round_, chosen, readings, outcome, findings)
        if other.lines:
            outcome.lines = _marked(outcome.lines, other.lines)
        if other.allowed:
            findings.items = [f for f in findings.items if f not in other.allowed]
    if not round_.closed:
        findings.add("incomplete_round", (), "the log stops before the round was closed")
        if outcome.status == "settled":
            outcome.status = "incomplete"
    answer = _answer(round_, outcome, findings, other.lines, trace=trace)
    answer.turned_void = other.void
    return answer


def _book(round_: Round, book_id: str | None, findings: Findings) -> Rulebook | None:
    """The rulebook of a round, or None with a finding that says why there is none."""
    name = book_id or round_.rulebook
    if round_.rulebook is None or name is None:
        findings.add("incomplete_round", (), "its opening is missing, so its rulebook is not known")
        return None
    book = rulebook(name)
    if book is None:
        near = get_close_matches(name, IDS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        findings.add("unknown_rulebook", (), f"there is no rulebook {name}{hint}", at=0)
        return None
    if book_id is None and round_.opened_at is not None:
        why = _not_in_force(book, name, round_.opened_at)
        if why is not None:
            findings.add("rulebook_not_in_force", (), why, at=0)
            return None
    return book


@cache
def _micros(at: datetime) -> int:
    """The day from or until which a rulebook is in force, in microseconds since 1970."""
    return (at - EPOCH) // timedelta(microseconds=1)


def _not_in_force(book: Rulebook, name: str, opened_at: int) -> str | None:
    """Why a rulebook was not in force when a round opened, or None."""
    begins, ends = book.in_force_from, book.in_force_until
    if begins is not None and opened_at < _micros(begins):
        opened = EPOCH + timedelta(microseconds=opened_at)
        says = f"but {name} is in force from {begins:%Y-%m-%d %H:%M} UTC on"
    elif ends is not None and opened_at >= _micros(ends):
        opened = EPOCH + timedelta(microseconds=opened_at)
        says = f"but {name} was in force until {ends:%Y-%m-%d %H:%M} UTC"
    else:
        return None
    return f"opened {opened:%Y-%m-%d %H:%M} UTC, {says}"


CARDS = frozenset({"deal_order", "dealer_draw", "illegal_reconstruction"})
"""Breaches that no reading allows: readings differ in what becomes of the cards. In a void round,
where no line depends on anything, every breach is told."""


class Turned(NamedTuple):
    """What turning the readings of a round one at a time gives."""

    lines: dict[str, dict[Key, Line | None]]  # by reading: the lines it changes, adds or drops
    void: dict[str, str]  # the readings that make the round void, and under which paragraph
    allowed: list[Finding]  # breaches that one of them allows and for which no line changes


def _turn_each(
    book: Rulebook,
    round_: Round,
    chosen: frozenset[str],
    readings: Readings,
    base: Outcome,
    findings: Findings,
) -> Turned:
    lines = {line[:4]: line for line in base.lines}
    breaches = [f for f in findings.items if f.severity == "procedure" and f.kind not in CARDS]
    out = Turned({}, {}, [])
    for name in sorted(readings.asked):
        other, said = base.otherwise.get(name), None
        if other is None:
            said = Findings(round_, quiet=not breaches)
            other = book.settle(round_, Readings(chosen ^ {name}), said, False)
        turned = {line[:4]: line for line in other.lines}
        changed: dict[Key, Line | None] = {}
        for key in lines.keys() | turned.keys():
            mine, theirs = lines.get(key), turned.get(key)
            if mine is None or theirs is None or mine[4:8] != theirs[4:8]:
                changed[key] = theirs
        if changed:
            out.lines[name] = changed
            if other.void_clause is not None:
                out.void[name] = other.void_clause
        if said is not None and name not in chosen and base.status != "void":
            boxes = {key[0] for key in changed}
            out.allowed.extend(f for f in breaches if not (_at(f, boxes) or said.has(f)))
    return out


def _at(breach: Finding, boxes: set[int]) -> bool:
    """Whether a breach is about one of these boxes; the dealer's, or the table's, is about any."""
    return breach.box in boxes if breach.box else bool(boxes)


def _marked(lines: list[Line], turned: dict[str, dict[Key, Line | None]]) -> list[Line]:
    out = []
    for line in lines:
        key = line.key
        ids = tuple([name for name, changed in turned.items() if key in changed])
        out.append(Line(*line[:11], ids) if ids else line)
    return out


def order_of(finding: Finding) -> tuple[int, str, int, int, str, str]:
    """Findings in the order of play, then by kind and place."""
    at = -1
    if finding.at is not None:
        at = finding.at if finding.seq is None else finding.seq
    place = (finding.box or 0, finding.hand or 0, finding.player or "", finding.bet or "")
    return (at, finding.kind, *place)


def _answer(
    round_: Round,
    outcome: Outcome,
    findings: Findings,
    alternatives: dict[str, dict[Key, Line | None]],
    *,
    trace: bool,
) -> Answer:
    return Answer(
        round_.id,
        round_.table,
        round_.rulebook,
        outcome.status,
        outcome.void_clause,
        outcome.lines,
        sorted(findings.items, key=order_of) if findings.items else [],
        turned=alternatives,
        traces=outcome.traces if trace else None,
        episodes=outcome.episodes.all if trace and outcome.episodes is not None else (),
    )
