"""Holds a replay's answer against a golden round; what differs comes back as sentences."""

from __future__ import annotations

from checks.audit import audit_round
from replay.answer import Answer, Finding
from replay.rounds import facts_of
from tests.golden import ExpectedFinding, ExpectedLine, Golden

COMPARISON_KINDS = {"unsettled_bet", "missed_bonus", "missed_void", "reading_conflict"}


def answer_of(golden: Golden, turned: tuple[str, ...] = ()) -> Answer:
    (round_,) = facts_of(golden.events)
    return audit_round(round_, turned)


def differences(golden: Golden) -> list[str]:
    """Everything in which the answer is not what the text gives."""
    answer = answer_of(golden)
    out = []
    if answer.status != golden.status:
        out.append(f"status: expected {golden.status}, found {answer.status}")
    if answer.void_clause != golden.void_clause:
        out.append(f"void clause: expected {golden.void_clause}, found {answer.void_clause}")
    out += _lines(golden.lines, answer, whole=True)
    out += _findings(golden, golden.findings, answer.findings)
    for reading in golden.other.keys() | golden.other_findings.keys():
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
            f"line {key}: changed to {line.money}, but not listed"
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
        if line is None:
            out.append(f"line {want.key}: expected {want.money}, found none")
            continue
        if line.money != want.money:
            out.append(f"line {want.key}: expected {want.money}, found {line.money} {line.clauses}")
        elif want.cited.unlike(line.clauses):
            out.append(f"line {want.key}: expected {want.cited}, found {line.clauses}")
        if want.readings is not None and set(want.readings) != set(line.readings):
            out.append(f"line {want.key}: expected readings {want.readings}, found {line.readings}")
    if whole:
        out += [f"line {key}: expected none, found {line.money}" for key, line in found.items()]
    return out


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
    left = [f for f in findings if golden.settled or f.kind not in COMPARISON_KINDS]
    wanted = [f for f in expected if golden.settled or f.kind not in COMPARISON_KINDS]
    out = []
    for want in wanted:
        match = next((f for f in left if _fits(want, f, golden.steps)), None)
        if match is None:
            out.append(f"finding: expected {want}")
        else:
            left.remove(match)
    out += [f"finding: not expected: {f.kind} {f.clauses} {f.money}: {f.message}" for f in left]
    return out
