"""One round in, one answer out: the rulebook, the readings, and which lines they decide."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from difflib import get_close_matches

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
    alternatives: dict[str, dict[Key, Line | None]] = {}
    void: frozenset[str] = frozenset()
    if readings.asked:
        alternatives, void = _turn_each(book, round_, chosen, readings.asked, outcome)
        if alternatives:
            outcome.lines = _marked(outcome.lines, alternatives)
    if not round_.closed:
        findings.add("incomplete_round", (), "the log stops before the round was closed")
        if outcome.status == "settled":
            outcome.status = "incomplete"
    answer = _answer(round_, outcome, findings, alternatives, trace=trace)
    answer.turned_void = void
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
    if book_id is None and book.in_force_from is not None and round_.opened_at is not None:
        begins = (book.in_force_from - EPOCH) // timedelta(microseconds=1)
        if round_.opened_at < begins:
            opened = EPOCH + timedelta(microseconds=round_.opened_at)
            findings.add(
                "rulebook_not_in_force",
                (),
                f"opened {opened:%Y-%m-%d %H:%M} UTC, but {name} is in force from "
                f"{book.in_force_from:%Y-%m-%d %H:%M} UTC on",
                at=0,
            )
            return None
    if book_id is None and book.in_force_until is not None and round_.opened_at is not None:
        ends = (book.in_force_until - EPOCH) // timedelta(microseconds=1)
        if round_.opened_at >= ends:
            opened = EPOCH + timedelta(microseconds=round_.opened_at)
            findings.add(
                "rulebook_not_in_force",
                (),
                f"opened {opened:%Y-%m-%d %H:%M} UTC, but {name} was in force until "
                f"{book.in_force_until:%Y-%m-%d %H:%M} UTC",
                at=0,
            )
            return None
    return book


def _turn_each(
    book: Rulebook, round_: Round, chosen: frozenset[str], asked: set[str], base: Outcome
) -> tuple[dict[str, dict[Key, Line | None]], frozenset[str]]:
    """For each reading that was asked: the lines that the other one changes, adds or drops."""
    lines = {line.key: line for line in base.lines}
    out: dict[str, dict[Key, Line | None]] = {}
    void = set()
    for name in sorted(asked):
        quiet = Findings(round_, quiet=True)
        other = book.settle(round_, Readings(chosen ^ {name}), quiet, False)
        turned = {line.key: line for line in other.lines}
        changed: dict[Key, Line | None] = {}
        for key in lines.keys() | turned.keys():
            mine, theirs = lines.get(key), turned.get(key)
            if mine is None or theirs is None or mine.money != theirs.money:
                changed[key] = theirs
        if changed:
            out[name] = changed
            if other.status == "void":
                void.add(name)
    return out, frozenset(void)


def _marked(lines: list[Line], turned: dict[str, dict[Key, Line | None]]) -> list[Line]:
    out = []
    for line in lines:
        ids = tuple(name for name, changed in turned.items() if line.key in changed)
        out.append(line._replace(readings=ids) if ids else line)
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
