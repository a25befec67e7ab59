"""Everything that is known about one round, put together once for terminal, page and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from checks.audit import audit
from checks.compare import Recorded, recorded_lines
from checks.context import has_meter
from events.model import Envelope, RoundOpened
from pipelines.investigate import episodes
from pipelines.investigate.locate import Located
from pipelines.investigate.scene import Scene, scenes
from pipelines.investigate.words import sentence
from replay.answer import Answer, Finding, Key, Line
from replay.facts import Round
from replay.fingerprint import fingerprint
from replay.fold import fold_round
from replay.readings import Reading
from replay.registry import readings, rulebook
from replay.rulebook import Rulebook

NOT_LOOKED_AT = {
    "meter": "what the tables that share a jackpot's meter say together: no published run tells it",
}
"""What nobody was asked about a round, in words."""


@dataclass(frozen=True, slots=True)
class PlayStep:
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
class Investigation:
    """A round under investigation."""

    located: Located
    facts: Round
    answer: Answer
    book: Rulebook | None
    steps: tuple[PlayStep, ...]
    lines: tuple[LineStory, ...]
    turned: frozenset[str]
    book_id: str | None  # another rulebook than the round's own, where one was asked for

    @property
    def opened(self) -> RoundOpened | None:
        found = (s.envelope.event for s in self.steps)
        return next((e for e in found if isinstance(e, RoundOpened)), None)

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """What has a say in the round and was not asked: no published run tells of it."""
        unasked = self.located.context.meter is None and has_meter(self.facts)
        return ("meter",) if unasked else ()

    @property
    def fingerprint(self) -> str | None:
        return None if self.book is None else fingerprint(self.book.id)

    def to_json(self) -> dict[str, Any]:
        """The contract's answer with its explanation, and what other readings would give."""
        out = self.answer.to_json(self.fingerprint)
        if self.not_looked_at:
            out["not_looked_at"] = list(self.not_looked_at)
        if self.book_id is not None:
            out["replayed_under"] = self.book_id
        if self.turned:
            out["turned"] = sorted(self.turned)
        out["other_readings"] = [
            _other_json(name, changed, turned=name in self.turned)
            for name, changed in self.answer.turned.items()
        ]
        out["episodes"] = episodes.to_json(self.answer.episodes, self.answer.findings, self.facts)
        return out

    def episode_words(self, finding: Finding) -> str | None:
        """The episode to which a finding belongs, in words."""
        found = episodes.episode_of(self.answer.episodes, finding, self.facts)
        return None if found is None else episodes.in_words(found)


def _other_json(name: str, changed: Mapping[Key, Line | None], *, turned: bool) -> dict[str, Any]:
    reading = readings()[name].reading
    answers = (reading.other, reading.default) if turned else (reading.default, reading.other)
    return {
        "reading": name,
        "question": reading.question,
        "followed": answers[0],
        "other": answers[1],
        "lines": [_turned_line(key, line) for key, line in sorted(changed.items())],
    }


def _turned_line(key: Key, line: Line | None) -> dict[str, Any]:
    if line is not None:
        return line.to_json()
    return {**dict(zip(("box", "hand", "player", "bet"), key, strict=True)), "outcome": None}


def investigate(
    located: Located, turned: Iterable[str] = (), book_id: str | None = None
) -> Investigation:
    """Replay a round with its trace and put together all that is known about it."""
    chosen = frozenset(turned)
    facts = fold_round(located.events, round_id=located.round)
    answer = audit(facts, located.context, chosen, trace=True, book_id=book_id)
    book = rulebook(book_id or answer.rulebook or "")
    recorded = recorded_lines(facts)
    lines = _lines(answer, book, recorded, chosen, due=facts.closed)
    steps = _steps(located.events, answer.findings)
    return Investigation(located, facts, answer, book, steps, lines, chosen, book_id)


def _steps(events: tuple[Envelope, ...], findings: list[Finding]) -> tuple[PlayStep, ...]:
    shown: dict[int, list[int]] = {}
    by_seq = {e.seq: n for n, e in enumerate(events) if e.seq is not None}
    for number, finding in enumerate(findings, start=1):
        at = finding.at if finding.seq is None else by_seq.get(finding.seq)
        if at is not None:
            shown.setdefault(at, []).append(number)
    pairs = zip(events, scenes(events), strict=True)
    return tuple(
        PlayStep(n, envelope, sentence(envelope), scene, tuple(shown.get(n, ())))
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
            OtherReading(readings()[name].reading, changed[key], name in turned)
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
