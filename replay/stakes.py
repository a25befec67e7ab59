"""What lay on the table when the bets were closed, and how much of it counts."""

from __future__ import annotations

from typing import NamedTuple

from replay.answer import Key
from replay.facts import LATER_BETS, NEVER, Bet, Round
from replay.findings import Findings, dollars
from replay.readings import Readings


class Stake(NamedTuple):
    """A bet's chips: all of them, the part that counts, and the clauses of the difference."""

    amount: int
    basis: int
    clauses: tuple[str, ...] = ()


class Closing(NamedTuple):
    """A rulebook's paragraphs on the close of bets."""

    late: tuple[str, ...]
    withdrawal: tuple[str, ...]
    silent_on_withdrawal: bool = False  # the text forbids it and names no consequence


def stakes_of(
    round_: Round, closing: Closing, readings: Readings, findings: Findings
) -> dict[Key, Stake]:
    """Every bet that lay on the table, with late chips and late withdrawals looked at."""
    out: dict[Key, Stake] = {}
    for key, bet in round_.bets.items():
        if not (bet.late or bet.taken or bet.taken_late):
            out[key] = Stake(bet.stake, bet.stake)
            continue
        stake = _stake(round_, bet, closing, readings, findings)
        if stake.amount > 0:
            out[key] = stake
    return out


def _stake(
    round_: Round, bet: Bet, closing: Closing, readings: Readings, findings: Findings
) -> Stake:
    if bet.bet in LATER_BETS:
        left = max(0, bet.stake - _taken_in_time(round_, bet))
        return Stake(left, left)
    in_time = max(0, bet.stake - bet.taken)
    late = bet.late_left
    gone = min(in_time, max(0, bet.taken_late - bet.late))
    clauses: tuple[str, ...] = ()
    amount = basis = in_time
    if gone:
        _late_finding(findings, round_, bet, closing.withdrawal, f"{dollars(gone)} withdrawn")
        clauses = closing.withdrawal
        if closing.silent_on_withdrawal and readings.other("late-withdrawal"):
            amount = basis = in_time - gone
    if late:
        _late_finding(findings, round_, bet, closing.late, f"{dollars(late)} placed")
        clauses = (*clauses, *closing.late)
        amount += late
        if readings.other("late-bet"):
            basis += late
    return Stake(amount, basis, clauses)


def _taken_in_time(round_: Round, bet: Bet) -> int:
    """Chips of a later bet that were taken back before it counted.

    Chips of a double that leave after its card was dealt add nothing: the decision to withdraw
    speaks for itself, and without it the bet stays as it lay.
    """
    if bet.bet != "double":
        return bet.taken
    place = (bet.box, bet.hand)
    doubled = [
        d.at for d in round_.decisions if (d.box, d.hand) == place and d.decision == "double"
    ]
    dealt = [c.at for c in round_.cards if (c.dealt_box, c.dealt_hand) == place]
    card = min((at for at in dealt if doubled and at > doubled[0]), default=NEVER)
    key = (bet.box, bet.hand, bet.player, bet.bet)
    return sum(amount for at, k, amount in round_.withdrawn if k == key and at < card)


def _late_finding(
    findings: Findings, round_: Round, bet: Bet, clauses: tuple[str, ...], what: str
) -> None:
    at = next((i for i, key, _ in round_.withdrawn if key[0] == bet.box and i > round_.close), None)
    findings.add(
        "late_bet",
        clauses,
        f"{what} after the close of bets and let through",
        at=bet.last if bet.late else at,
        box=bet.box,
        hand=bet.hand,
        player=bet.player,
        bet=bet.bet,
    )
