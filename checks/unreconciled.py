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

MOST_CENTS = 2**50
"""Of one line: thousands of such lines can still be added up in 64 bits."""

_BROKEN_OFF = frozenset({"round_not_concluded", "wrong_void", "missed_void", "duplicate_event"})
_NOT_WHOLE = frozenset({"round_not_concluded", "wrong_void", "duplicate_event", "unsigned"})
"""Where play broke off bets may stay undecided; chips of events that do not count lie nowhere."""

log = logging.getLogger("evenhand.audit")
log.addHandler(logging.NullHandler())  # who runs a night shows it; a question's answer stays clean


def given_up(round_: Round, error: Exception, beside: Sequence[Finding] = ()) -> Answer:
    """The answer of a round on which the rules failed: nobody could replay it, and why."""
    if os.environ.get(RAISES) == "1":
        raise error
    facts = {"event": "round.failed", "table": round_.table, "round": round_.id}
    says = f"round.failed table={round_.table} round={round_.id}"
    log.error(says, exc_info=error, extra={"facts": facts})
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
    seen: dict[Key, int] = {}
    due = 0
    for line in answer.lines:
        box, hand, player, bet, stake, back, winnings, _, _, clauses, _, _ = line
        key = (box, hand, player, bet)
        if key in seen:
            return f"{_place(key)} has two lines, expected one"
        seen[key] = stake
        due += back + winnings
        if not clauses:
            return f"{_place(key)} has a line that no paragraph decides"
    if not round_.closed or answer.status not in {"settled", "void"}:
        return None
    if (chips := _chips(round_, answer, seen)) is not None:
        return chips
    paid = 0
    for found in recorded.values():
        paid += found.stake_returned + found.winnings
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


def _chips(round_: Round, answer: Answer, stakes: Mapping[Key, int]) -> str | None:
    """Chips that lay on the table and are in no line's stake, or the other way round.

    Which of those that were taken back count is the rulebook's to say; so a stake lies between what
    was placed and what of it was left. Where somebody declared the round void and the rulebook does
    not, play was stopped: bets may stay undecided.
    """
    stopped = bool(round_.voids) and answer.status != "void"
    for key, bet in round_.bets.items():
        placed, stake = bet.stake + bet.late, stakes.get(key)
        if stake == placed or (stopped and stake is None):
            continue
        left = max(0, placed - bet.taken - bet.taken_late)
        if left <= (stake or 0) <= placed or any(f.kind in _NOT_WHOLE for f in answer.findings):
            continue
        came = f"{_place(key)}: chips of {dollars(placed)} were placed"
        if placed != left:
            came += f" and {dollars(placed - left)} of them taken back"
        if stake is None:
            return f"{came}, and no line says what became of them"
        return f"{came}, and its line has a stake of {dollars(stake)}"
    if stakes.keys() <= round_.bets.keys():
        return None
    for key, stake in stakes.items():
        if stake and key not in round_.bets:
            return (
                f"{_place(key)} has a line with a stake of {dollars(stake)}, and nobody placed it"
            )
    return None


def too_large(answer: Answer, recorded: Mapping[Key, Recorded]) -> str | None:
    """Money that no column of the warehouse can hold, or None."""
    for line in answer.lines:
        if (
            line.stake >= MOST_CENTS
            or line.stake_returned >= MOST_CENTS
            or line.winnings >= MOST_CENTS
        ):
            return f"{_place(line.key)} comes to more money than can be stored"
    for r in recorded.values():
        if r.stake >= MOST_CENTS or r.stake_returned >= MOST_CENTS or r.winnings >= MOST_CENTS:
            return f"{_place(r.key)} was settled with more money than can be stored"
    if answer.findings and any(abs(f.money or 0) >= MOST_CENTS for f in answer.findings):
        return "its findings come to more money than can be stored"
    return None


def _place(key: Key) -> str:
    box, hand, player, bet = key
    return f"box {box}, hand {hand}, {player} {bet}"
