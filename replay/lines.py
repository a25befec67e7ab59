"""From a rule's result to a line: what goes back, what is added, and the exact odds."""

from __future__ import annotations

from replay.answer import Line, made
from replay.facts import Bet
from replay.rules import Odds, Result, ceil_part
from replay.stakes import Stake


def odds_text(odds: Odds | None) -> str | None:
    return None if odds is None else f"{odds[0]}:{odds[1]}"


def line_of(bet: Bet, stake: Stake, result: Result, clauses: tuple[str, ...]) -> Line:
    """The line of a bet. What never counted goes back whatever the outcome."""
    amount, basis, more = stake
    excess = amount - basis
    outcome, odds, most = result
    if basis == 0 and excess:
        outcome, odds, clauses = "returned", None, more or clauses
    winnings = 0
    if outcome == "win":
        back = amount
        winnings = ceil_part(basis, *odds) if odds else 0
    elif outcome == "lose":
        back = excess if most is None else excess + max(0, basis - most)
    elif outcome == "surrendered":
        back = excess + ceil_part(basis, 1, 2)
    else:  # a stand off, or it goes back
        back = amount
    if more:
        clauses = (*clauses, *(c for c in more if c not in clauses))
    told = odds_text(odds) if outcome == "win" else None
    facts = (
        bet.box,
        bet.hand,
        bet.player,
        bet.bet,
        amount,
        back,
        winnings,
        outcome,
        told,
        clauses,
        basis,
        (),
    )
    return made(Line, facts)


def payment(box: int, player: str, name: str, cents: int, clauses: tuple[str, ...]) -> Line:
    """A payment due without a stake; it stands on hand 1."""
    return Line(box, 1, player, name, 0, 0, cents, "win", None, clauses, 0)
