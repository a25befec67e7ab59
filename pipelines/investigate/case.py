"""Everything that is known about one round, put together once for terminal, page and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from checks.audit import add_findings, audit_round
from checks.compare import Recorded, recorded_lines
from checks.late import Late, late_rounds, overlap_finding
from events.model import Envelope, RoundOpened
from pipelines.investigate.locate import Located
from pipelines.investigate.scene import Scene, scenes
from pipelines.investigate.words import sentence
from replay.answer import Answer, Finding, Key, Line
from replay.facts import Round
from replay.fingerprint import fingerprint
from replay.fold import fold_round
from replay.readings import BY_ID, Reading
from replay.registry import rulebook
from replay.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the round: its number, what happened, and the table after it."""

    index: int
    envelope: Envelope
    text: str
    scene: Scene
    findings: tuple[int, ...]  # numbers of the findings that this event shows, from 1

    @property
    def seq(self) -> int | None:
        return self.envelope.seq

    @property
    def at(self) -> datetime | None:
        return self.envelope.at


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A reading that a line depends on, and what the line would be under the other one."""

    reading: Reading
    line: Line | None
    is_other: bool  # the round was replayed with the other one, so this is the default


@dataclass(frozen=True, slots=True)
class LineStory:
    """One line: derived, recorded, and how the rulebook came to it."""

    key: Key
    derived: Line | None
    recorded: Recorded | None
    due: bool  # the record must have it: the round is closed
    clauses: tuple[tuple[str, str], ...]  # number and gist, most specific first
    asked: tuple[dict[str, Any], ...]  # the rules in the order in which they were asked
    others: tuple[OtherReading, ...]
    findings: tuple[int, ...]

    @property
    def settled_by(self) -> dict[str, Any] | None:
        return next((step for step in self.asked if step["applies"]), None)

    @property
    def passed_over(self) -> list[dict[str, Any]]:
        return [step for step in self.asked if not step["applies"]]

    @property
    def difference(self) -> int:
        """What the player got too much (above zero) or too little."""
        paid = 0 if self.recorded is None else self.recorded.paid
        owed = 0 if self.derived is None else self.derived.stake_returned + self.derived.winnings
        if self.recorded is None and not self.due:
            return 0
        return paid - owed

    @property
    def agrees(self) -> bool:
        if self.derived is None or self.recorded is None:
            return self.recorded is None and not self.due
        r = self.recorded
        return (r.stake, r.stake_returned, r.winnings) == self.derived.money[:3]


@dataclass(frozen=True, slots=True)
class Case:
    """A round under investigation."""

    located: Located
    facts: Round
    answer: Answer
    book: Rulebook | None
    steps: tuple[Step, ...]
    lines: tuple[LineStory, ...]
    turned: frozenset[str]
    book_id: str | None  # another rulebook than the round's own, where one was asked for

    @property
    def opened(self) -> RoundOpened | None:
        found = (s.envelope.event for s in self.steps)
        return next((e for e in found if isinstance(e, RoundOpened)), None)

    @property
    def fingerprint(self) -> str | None:
        return None if self.book is None else fingerprint(self.book.id)

    def to_json(self) -> dict[str, Any]:
        """The contract's answer with its explanation, and what other readings would give."""
        out = self.answer.to_json(self.fingerprint)
        if self.book_id is not None:
            out["replayed_under"] = self.book_id
        if self.turned:
            out["turned"] = sorted(self.turned)
        out["other_readings"] = [
            {
                "reading": name,
                "question": BY_ID[name].question,
                "followed": BY_ID[name].other if name in self.turned else BY_ID[name].default,
                "other": BY_ID[name].default if name in self.turned else BY_ID[name].other,
                "lines": [_turned_line(key, line) for key, line in sorted(changed.items())],
            }
            for name, changed in self.answer.turned.items()
        ]
        return out


def _turned_line(key: Key, line: Line | None) -> dict[str, Any]:
    if line is not None:
        return line.to_json()
    return {**dict(zip(("box", "hand", "player", "bet"), key, strict=True)), "outcome": None}


def investigate(located: Located, turned: Iterable[str] = (), book_id: str | None = None) -> Case:
    """Replay a round with its trace and put together all that is known about it."""
    chosen = frozenset(turned)
    facts = fold_round(located.events, round_id=located.round, shuffled=located.shuffled)
    late = _late(facts, located)
    voids = () if late is None else late.voids
    answer = audit_round(facts, chosen, trace=True, book_id=book_id, late_voids=voids)
    closes = {e.round: e.seq for e in located.events if e.type == "RoundClosed"}
    overlap = None if late is None else overlap_finding(late, lambda r: closes.get(r.id))
    add_findings(answer, [*located.problems, overlap])
    book = rulebook(book_id or answer.rulebook or "")
    recorded = recorded_lines(facts)
    lines = _lines(answer, book, recorded, chosen, due=facts.closed)
    steps = _steps(located.events, answer.findings)
    return Case(located, facts, answer, book, steps, lines, chosen, book_id)


def _late(facts: Round, located: Located) -> Late | None:
    """What the round got after the next one of its table began counts no more, as in the night."""
    if located.next_round is None or facts.rulebook is None:
        return None
    following = Round(located.next_round[0], facts.table)
    following.seqs = [located.next_round[1]]
    return late_rounds([facts, following]).get(facts.id)


def _steps(events: tuple[Envelope, ...], findings: list[Finding]) -> tuple[Step, ...]:
    shown: dict[int, list[int]] = {}
    by_seq = {e.seq: n for n, e in enumerate(events) if e.seq is not None}
    for number, finding in enumerate(findings, start=1):
        at = finding.at if finding.seq is None else by_seq.get(finding.seq)
        if at is not None:
            shown.setdefault(at, []).append(number)
    pairs = zip(events, scenes(events), strict=True)
    return tuple(
        Step(n, envelope, sentence(envelope), scene, tuple(shown.get(n, ())))
        for n, (envelope, scene) in enumerate(pairs)
    )


def _lines(
    answer: Answer,
    book: Rulebook | None,
    recorded: Mapping[Key, Recorded],
    turned: frozenset[str],
    *,
    due: bool,
) -> tuple[LineStory, ...]:
    gists = {} if book is None else book.gists
    derived = {line.key: line for line in answer.lines}
    keys = sorted(derived.keys() | recorded.keys() | {k for t in answer.turned.values() for k in t})
    if answer.status == "unreplayable":
        due = False
    out = []
    for key in keys:
        line = derived.get(key)
        clauses = () if line is None else line.clauses
        others = tuple(
            OtherReading(BY_ID[name], changed[key], name in turned)
            for name, changed in answer.turned.items()
            if key in changed
        )
        findings = tuple(n for n, f in enumerate(answer.findings, start=1) if _about(f, key))
        asked = tuple((answer.traces or {}).get(key, ()))
        cited = tuple((number, gists.get(number, "")) for number in clauses)
        out.append(LineStory(key, line, recorded.get(key), due, cited, asked, others, findings))
    return tuple(out)


def _about(finding: Finding, key: Key) -> bool:
    """Whether a finding is about a line: its box, and whatever else it names."""
    if finding.box is None or finding.bet is None:
        return False
    place = (finding.box, finding.hand, finding.player, finding.bet)
    return all(mine is None or mine == theirs for mine, theirs in zip(place, key, strict=True))


@dataclass(frozen=True, slots=True)
class Difference:
    """A line that another rulebook or reading settles otherwise."""

    key: Key
    before: Line | None
    after: Line | None

    @property
    def money(self) -> int:
        """How much more (above zero) or less the player would get."""
        return _gets(self.after) - _gets(self.before)

    def to_json(self) -> dict[str, Any]:
        return {
            "before": None if self.before is None else self.before.to_json(),
            "after": None if self.after is None else self.after.to_json(),
            "money": self.money,
        }


def _gets(line: Line | None) -> int:
    return 0 if line is None else line.stake_returned + line.winnings


def differences(before: Answer, after: Answer) -> list[Difference]:
    """The lines in which two answers to one round differ."""
    old = {line.key: line for line in before.lines}
    new = {line.key: line for line in after.lines}
    return [
        Difference(key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if key not in old or key not in new or old[key].money != new[key].money
    ]
