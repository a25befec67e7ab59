"""Holds a replay's answer against a golden round; what differs is told in the round's language."""

from __future__ import annotations

from checks.audit import audit
from checks.golden.expected import (
    ExpectedFinding,
    ExpectedLine,
    expected_finding_text,
    expected_line_text,
    finding_text,
    line_text,
)
from checks.golden.load import Golden
from replay.answer import Answer, Finding, Line
from replay.rounds import facts_of

ONLY_IF_SETTLED = frozenset({"unsettled_bet", "missed_bonus", "missed_void", "reading_conflict"})
"""Kinds that a round without any settlement would always raise."""


def answer_of(golden: Golden, turned: tuple[str, ...] = ()) -> Answer:
    (round_,) = facts_of(golden.events)
    return audit(round_, turned=turned)


def differences(golden: Golden, answer: Answer | None = None) -> list[str]:
    """Everything in which the answer is not what the text gives. `answer`: where it is known."""
    answer = answer or answer_of(golden)
    out = []
    if answer.status != golden.status:
        out.append(f"status: expected {golden.status}, found {answer.status}")
    if answer.void_clause != golden.void_clause:
        wanted, found = golden.void_clause or "none", answer.void_clause or "none"
        out.append(f"void: expected {wanted}, found {found}")
    out += _lines(golden.lines, answer, whole=True)
    out += _findings(golden, golden.findings, answer.findings)
    for reading in sorted(golden.other.keys() | golden.other_findings.keys()):
        out += [f"other reading of {reading}: {text}" for text in _other(golden, answer, reading)]
    return out


def _other(golden: Golden, answer: Answer, reading: str) -> list[str]:
    """What is not as the text gives it when one reading is turned."""
    turned = answer_of(golden, (reading,))
    out = []
    if reading in golden.other:
        lines = golden.other[reading]
        out += _lines(lines, turned, whole=False)
        if lines and reading not in answer.turned:
            out.append("expected to matter, but no line depends on it")
        listed = {line.key for line in lines}
        changed = answer.turned.get(reading, {})
        out += [
            f"lines: not listed, but changed to {line_text(line)}"
            for key, line in changed.items()
            if line is not None and key not in listed
        ]
    if reading in golden.other_findings:
        out += _findings(golden, golden.other_findings[reading], turned.findings)
    return out


def _lines(expected: list[ExpectedLine], answer: Answer, *, whole: bool) -> list[str]:
    found = {line.key: line for line in answer.lines}
    out = []
    for want in expected:
        line = found.pop(want.key, None)
        if line is None or _unlike(want, line):
            instead = "no such line" if line is None else line_text(line)
            out.append(f"lines: expected {expected_line_text(want)}, found {instead}")
    if whole:
        out += [f"lines: not expected: {line_text(line)}" for line in found.values()]
    return out


def _unlike(want: ExpectedLine, line: Line) -> bool:
    if line.money != want.money or want.cited.unlike(line.clauses):
        return True
    return want.readings is not None and set(want.readings) != set(line.readings)


def _fits(want: ExpectedFinding, found: Finding, steps: dict[str, range]) -> bool:
    if want.kind != found.kind:
        return False
    if want.step is not None and found.at not in steps[want.step]:
        return False
    if want.place is not None and (
        want.place[0] != found.box or found.hand not in {None, want.place[1]}
    ):
        return False
    for mine, theirs in ((want.player, found.player), (want.bet, found.bet)):
        if mine is not None and mine != theirs:
            return False
    if want.money is not None and want.money != found.money:
        return False
    return not want.cited.unlike(found.clauses)


def _findings(
    golden: Golden, expected: list[ExpectedFinding], findings: list[Finding]
) -> list[str]:
    left = [f for f in findings if golden.settled or f.kind not in ONLY_IF_SETTLED]
    wanted = [f for f in expected if golden.settled or f.kind not in ONLY_IF_SETTLED]
    out = []
    for want in wanted:
        match = next((f for f in left if _fits(want, f, golden.steps)), None)
        if match is None:
            out.append(f"findings: expected {expected_finding_text(want)}, found no such finding")
        else:
            left.remove(match)
    return out + [f"findings: not expected: {finding_text(f, golden.steps)}" for f in left]
