"""What the replay answers: lines, findings, and the answer of a round (contract, section 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from replay.episodes import Episode

Key = tuple[int, int, str, str]
"""Box, hand, player, bet: the place of a line."""

made = tuple.__new__
"""`made(Line, (...))` is Line(...) with every field, without a call in Python: half of the time of
a fact that a casino-day makes by the million."""

ID_DIGITS = 16
"""Of a finding's id. Ids of 15 digits are of a time when they rested on the place in the round."""

SEVERITY: dict[str, str] = {
    **dict.fromkeys(
        "wrong_odds wrong_outcome wrong_stake unsettled_bet unowed_payment missed_bonus "
        "missed_void wrong_void".split(),
        "money",
    ),
    **dict.fromkeys(
        "illegal_decision illegal_bet late_bet over_limit under_limit side_bet_alone dealer_draw "
        "deal_order missing_option illegal_examination illegal_setup illegal_reconstruction "
        "round_not_concluded".split(),
        "procedure",
    ),
    **dict.fromkeys(
        "sequence_gap duplicate_event out_of_order broken_chain incomplete_round "
        "unknown_rulebook rulebook_not_in_force impossible_card undecodable truncated "
        "clock_backwards shoe_mismatch meter_mismatch unreconciled silent_table "
        "unknown_table unsigned wrong_signature implausible_time".split(),
        "integrity",
    ),
    **dict.fromkeys("reading_conflict discretion".split(), "judgement"),
    **dict.fromkeys("corrected allocation".split(), "note"),
}


class Line(NamedTuple):
    """One bet, or one payment due without a stake, and what the rulebook gives for it."""

    box: int
    hand: int
    player: str
    bet: str
    stake: int
    stake_returned: int
    winnings: int
    outcome: str
    odds: str | None
    clauses: tuple[str, ...]
    basis: int  # the part of the stake that counts; not part of the contract's JSON
    readings: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        return self[:4]

    @property
    def money(self) -> tuple[int, int, int, str]:
        return self[4:8]

    def to_json(self) -> dict[str, Any]:
        return {
            "box": self.box,
            "hand": self.hand,
            "player": self.player,
            "bet": self.bet,
            "stake": self.stake,
            "stake_returned": self.stake_returned,
            "winnings": self.winnings,
            "outcome": self.outcome,
            "odds": self.odds,
            "clauses": list(self.clauses),
            "readings": list(self.readings),
        }


class Finding(NamedTuple):
    """A disagreement or a breach. `at` is the place in the round of the event that shows it; None
    where the line tells what it is about, whichever event shows it."""

    kind: str
    table: str | None
    round: str | None
    seq: int | None
    box: int | None
    hand: int | None
    player: str | None
    bet: str | None
    expected: dict[str, Any] | None
    recorded: dict[str, Any] | None
    money: int | None
    clauses: tuple[str, ...]
    message: str
    at: int | None = None
    too_much: int | None = None  # over the players; else by `money`
    too_little: int | None = None

    @property
    def sums(self) -> tuple[int, int] | tuple[None, None]:
        """What players got too much and too little, so that two of them do not cancel."""
        if self.money is None:
            return None, None
        if self.too_much is not None and self.too_little is not None:
            return self.too_much, self.too_little
        return max(0, self.money), max(0, -self.money)

    @property
    def severity(self) -> str:
        return SEVERITY[self.kind]

    @property
    def id(self) -> str:
        """The same in every run: from the place and the kind, never from a clock or a counter.

        The event is known by its number, because its place in the round changes when another one
        comes late; by its place where it has no number, and a message that nobody could read by
        where it lay in the log.
        """
        place = (self.table, self.round, self.kind, self.box, self.hand, self.player, self.bet)
        where = self.at
        if self.seq is not None and self.kind != "undecodable":
            where = self.seq if self.at is not None or self.round is None else None
        text = "\x1f".join("" if part is None else str(part) for part in (*place, where))
        return "F" + hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "severity": self.severity,
            "table": self.table,
            "round": self.round,
            "seq": self.seq,
            "box": self.box,
            "hand": self.hand,
            "player": self.player,
            "bet": self.bet,
            "expected": self.expected,
            "recorded": self.recorded,
            "money": self.money,
            "too_much": self.sums[0],
            "too_little": self.sums[1],
            "clauses": list(self.clauses),
            "message": self.message,
        }


@dataclass(slots=True)
class Answer:
    """A round's answer. `turned` holds, per reading that matters, the lines it changes."""

    round: str
    table: str | None
    rulebook: str | None
    status: str
    void_clause: str | None
    lines: list[Line]
    findings: list[Finding]
    turned: dict[str, dict[Key, Line | None]] = field(default_factory=dict)
    turned_void: dict[str, str] = field(default_factory=dict)  # readings that void it, by which
    traces: dict[Key, list[dict[str, Any]]] | None = None
    episodes: Sequence[Episode] = ()  # what was irregular; only with the trace, as an explanation

    def to_json(self, fingerprint: str | None = None) -> dict[str, Any]:
        out: dict[str, Any] = {
            "round": self.round,
            "table": self.table,
            "rulebook": self.rulebook,
            "status": self.status,
            "void_clause": self.void_clause,
            "lines": [line.to_json() for line in self.lines],
            "findings": [finding.to_json() for finding in self.findings],
        }
        if fingerprint is not None:
            out["fingerprint"] = fingerprint
        if self.traces is not None:
            out["explanation"] = [
                {
                    "box": k[0],
                    "hand": k[1],
                    "player": k[2],
                    "bet": k[3],
                    "asked": steps,
                }
                for k, steps in sorted(self.traces.items())
            ]
        return out
