"""One odd round costs only itself: where the rules fail on it or its sums do not come out, that is
a finding of the round, and everything else is audited.

Under the tests a failure is raised, because here it would hide faults of our own.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence

from checks.compare import Recorded, pocketed
from checks.record.file import integrity
from replay.answer import Answer, Finding, Key
from replay.facts import Round
from replay.findings import dollars, signed_dollars

RAISES = "AUDIT_RAISES"
"""The environment variable by which a failure in the rules of a round is raised."""

MOST_CENTS = 2**62
"""Money beyond this can't be stored or added up in 64 bits."""

_BROKEN_OFF = frozenset({"round_not_concluded", "wrong_void", "missed_void", "duplicate_event"})

log = logging.getLogger("evenhand.audit")
log.addHandler(logging.NullHandler())  # who runs a night shows it; a question's answer stays clean


def given_up(round_: Round, error: Exception, beside: Sequence[Finding] = ()) -> Answer:
    """The answer of a round on which the rules failed: nobody could replay it, and why."""
    if os.environ.get(RAISES) == "1":
        raise error
    log.error("table %s, round %s", round_.table, round_.id, exc_info=error)
    says = f"the rules failed on this round: {type(error).__name__}: {error}"
    return unreplayable(round_, says, beside)


def unreplayable(round_: Round, says: str, beside: Sequence[Finding] = ()) -> Answer:
    found = [*beside, unreconciled(round_, says)]
    return Answer(
        round_.id, round_.table, round_.rulebook, "unreplayable", None, [], found, turned={}
    )


def unreconciled(round_: Round, says: str) -> Finding:
    """A round whose sums do not come out, or that could not be finished."""
    seq = round_.seq(0) if round_.events else None
    says = f"round {round_.id}: {says}"
    return integrity("unreconciled", round_.table, round_.id, seq, says, None)


def difference(round_: Round, answer: Answer, recorded: Mapping[Key, Recorded]) -> str | None:
    """What does not come out in a round's sums, and by how much; None where all does."""
    seen: set[Key] = set()
    for line in answer.lines:
        if line.key in seen:
            return f"{_place(line.key)} has two lines, expected one"
        seen.add(line.key)
        if not line.clauses:
            return f"{_place(line.key)} has a line that no paragraph decides"
    if not round_.closed or answer.status not in {"settled", "void"}:
        return None
    paid = sum(r.paid for r in recorded.values())
    due = sum(line.stake_returned + line.winnings for line in answer.lines)
    if round_.withdrawn:  # chips that a player took back he has
        due -= sum(pocketed(round_, line, recorded.get(line.key)) for line in answer.lines)
    if paid == due and not any(f.money for f in answer.findings):
        return None
    if any(key not in seen for key in round_.bets) or _BROKEN_OFF & {
        f.kind for f in answer.findings
    }:
        return None  # a bet that is not decided has no line, and its chips are nobody's gain
    told = sum(f.money or 0 for f in answer.findings if f.severity in {"money", "judgement"})
    if paid - due == told:
        return None
    return (
        f"paid {dollars(paid)}, the rulebook gives {dollars(due)}, and the findings account for "
        f"{dollars(told)} of the difference: {signed_dollars(paid - due - told)} is unexplained"
    )


def too_large(answer: Answer, recorded: Mapping[Key, Recorded]) -> str | None:
    """Money that no column of the warehouse can hold, or None."""
    for line in answer.lines:
        if max(line.stake, line.stake_returned, line.winnings) >= MOST_CENTS:
            return f"{_place(line.key)} comes to more money than can be stored"
    for r in recorded.values():
        if max(r.stake, r.stake_returned, r.winnings) >= MOST_CENTS:
            return f"{_place(r.key)} was settled with more money than can be stored"
    if any(abs(f.money or 0) >= MOST_CENTS for f in answer.findings):
        return "its findings come to more money than can be stored"
    return None


def _place(key: Key) -> str:
    box, hand, player, bet = key
    return f"box {box}, hand {hand}, {player} {bet}"
