"""What the replay answers: lines, findings, and the answer of a round (contract, section 4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Key = tuple[int, int, str, str]
"""Box, hand, player, bet: the place of a line."""

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
        "clock_backwards shoe_mismatch meter_mismatch".split(),
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
        return (self.box, self.hand, self.player, self.bet)

    @property
    def money(self) -> tuple[int, int, int, str]:
        return (self.stake, self.stake_returned, self.winnings, self.outcome)

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
    """A disagreement or a breach. `at` is the event's place in the round, for a stable id."""

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

    @property
    def severity(self) -> str:
        return SEVERITY[self.kind]

    @property
    def id(self) -> str:
        """The same in every run: from the place and the kind, never from a clock or a counter."""
        place = (self.table, self.round, self.kind, self.box, self.hand, self.player, self.bet)
        where = self.at if self.round is not None or self.seq is None else self.seq
        text = "\x1f".join("" if part is None else str(part) for part in (*place, where))
        return "F" + hashlib.sha256(text.encode()).hexdigest()[:15]

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
    turned_void: frozenset[str] = frozenset()  # readings under which the round is void
    traces: dict[Key, list[dict[str, Any]]] | None = None

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
