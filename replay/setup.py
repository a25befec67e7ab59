"""Set-up of a round: decks, limits and devices that the text allows, the same all through it."""

from __future__ import annotations

from replay.facts import Round
from replay.findings import Findings, dollars


def decks(round_: Round, findings: Findings, clause: str, low: int, high: int) -> None:
    if not low <= round_.decks <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        findings.add(
            "illegal_setup", (clause,), f"expected {wanted} decks, found {round_.decks}", at=0
        )


def limits(round_: Round, findings: Findings, clause: str | None, main: str) -> None:
    """Limits that make sense, the main bet among them, and the same all through the round."""
    clauses = () if clause is None else (clause,)
    for bet, (low, high) in round_.limits.items():
        if low > high:
            findings.add(
                "illegal_setup",
                clauses,
                f"limits of {bet}: the minimum {dollars(low)} is above the maximum {dollars(high)}",
                at=0,
                bet=bet,
            )
    if main not in round_.limits:
        findings.add("illegal_setup", clauses, f"no limits for {main}, the main bet", at=0)
    for at, changed in round_.reopened:
        if changed:
            findings.add("illegal_setup", clauses, "the limits changed within the round", at=at)


def no_button(round_: Round, findings: Findings) -> None:
    """A game without a jackpot button: who presses one has no ground for it."""
    for button in round_.buttons:
        findings.add(
            "illegal_decision",
            (),
            "a button was pressed, and this game has none",
            at=button.at,
            box=button.box,
            player=button.player,
        )
