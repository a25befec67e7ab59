"""What lay on the table when the bets were closed, and how much of it counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from replay.answer import Key, made
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
    double_is_final: bool = False  # the text has a paragraph of its own on withdrawing a double


def stakes_of(
    round_: Round,
    closing: Closing,
    readings: Readings,
    findings: Findings,
    fixed_at: Callable[[Bet], int] | None = None,
    taken_off: frozenset[Key] = frozenset(),
) -> dict[Key, Stake]:
    """Every bet that lay on the table, with late chips and late withdrawals looked at.

    `fixed_at`: from when on a bet that follows from others can't be placed, raised or withdrawn.
    `taken_off`: doubles that were withdrawn by taking their chips off.
    """
    look = _Look(round_, closing, readings, findings, taken_off)
    out: dict[Key, Stake] = {}
    for key, bet in round_.bets.items():
        if fixed_at is not None and bet.bet in LATER_BETS:
            stake = _later(look, key, bet, fixed_at(bet))
        elif not (bet.late or bet.taken or bet.taken_late):
            out[key] = made(Stake, (bet.stake, bet.stake, ()))
            continue
        else:
            stake = _stake(look, key, bet)
        if stake.amount > 0:
            out[key] = stake
    return out


class _Look(NamedTuple):
    """What every look at a bet's chips needs."""

    round: Round
    closing: Closing
    readings: Readings
    findings: Findings
    taken_off: frozenset[Key]


def _stake(look: _Look, key: Key, bet: Bet) -> Stake:
    if bet.bet in LATER_BETS:
        left = max(0, bet.stake - bet.taken)
        return Stake(left, left)
    in_time = max(0, bet.stake - bet.taken)
    taken_late = min(bet.taken_late, _withdrawn(look.round, key, look.round.close))
    late = max(0, bet.late - taken_late)
    gone = min(in_time, max(0, taken_late - bet.late))
    if bet.late and not late:
        _came_and_went(look, key, bet, gone)
    return _with_late(look, key, bet, in_time, late, gone)


def _came_and_went(look: _Look, key: Key, bet: Bet, gone: int) -> None:
    """Late chips that are gone in the end, or that came for others taken off after the close:
    a breach as soon as a card was dealt while the bet lay otherwise than at the close."""
    round_ = look.round
    close = round_.close
    acts = [(at, amount) for at, amount in chips_of(bet) if at > close]
    acts += [(at, -amount) for at, k, amount in round_.withdrawn if k == key and at > close]
    more = 0
    for at, amount in sorted(acts):
        lay_until = min((later for later, _ in acts if later > at), default=at)
        more += amount
        told = more == 0 or (more < 0 and gone > 0)  # what is gone in the end has its own finding
        if told or not any(at < card.at < lay_until for card in round_.cards):
            continue
        what = "placed" if more > 0 else "withdrawn"
        clauses = look.closing.late if more > 0 else look.closing.withdrawal
        last = bet.last if more > 0 else at
        _late_finding(look.findings, bet, clauses, f"{dollars(abs(more))} {what}", last)
        return


def _later(look: _Look, key: Key, bet: Bet, fixed_at: int) -> Stake:
    """A bet that follows from others: chips count until the card that decides them is dealt."""
    round_ = look.round
    late = sum(amount for at, amount in chips_of(bet) if at > fixed_at)
    if not late and not bet.taken:
        return Stake(bet.stake, bet.stake)
    after = _withdrawn(round_, key, fixed_at)
    double = bet.bet == "double"
    final = double and look.closing.double_is_final
    before = 0 if final else bet.taken - _taken_after(round_, key, fixed_at)
    in_time = max(0, bet.stake - late - before)
    gone = min(in_time, max(0, after - late))
    late = max(0, late - after)
    if final or (double and (key in look.taken_off or called_off(round_, bet))):
        gone = 0  # the text, or the player's word, says it elsewhere
    if bet.bet == "insurance" and late:  # a paragraph of its own too
        if not in_time or look.readings.other("insurance-out-of-place"):
            return Stake(in_time + late, in_time + late)
        return Stake(in_time + late, in_time)
    return _with_late(look, key, bet, in_time, late, gone)


def _with_late(look: _Look, key: Key, bet: Bet, in_time: int, late: int, gone: int) -> Stake:
    round_, closing, readings, findings, _ = look
    clauses: tuple[str, ...] = ()
    amount = basis = in_time
    if gone:
        at = max(at for at, k, _ in round_.withdrawn if k == key and at > round_.close)
        _late_finding(findings, bet, closing.withdrawal, f"{dollars(gone)} withdrawn", at)
        clauses = closing.withdrawal
        if closing.silent_on_withdrawal and readings.other("late-withdrawal"):
            amount = basis = in_time - gone
    if late:
        _late_finding(findings, bet, closing.late, f"{dollars(late)} placed", bet.last)
        clauses = (*clauses, *closing.late)
        amount += late
        if readings.other("late-bet"):
            basis += late
    return Stake(amount, basis, clauses)


def chips_of(bet: Bet) -> list[tuple[int, int]]:
    """When chips were put down, and how many."""
    first = bet.stake + bet.late - sum(amount for _, amount in bet.more)
    return [(bet.at, first), *bet.more]


def _withdrawn(round_: Round, key: Key, after: int) -> int:
    """Chips withdrawn after a moment. Once the bet is settled the player only picks up his own."""
    settled = min((s.at for s in round_.settled if s.key == key), default=NEVER)
    return sum(n for at, k, n in round_.withdrawn if k == key and after < at < settled)


def _taken_after(round_: Round, key: Key, at: int) -> int:
    return sum(n for when, k, n in round_.withdrawn if k == key and when > at)


def called_off(round_: Round, bet: Bet) -> bool:
    """Whether the player said that he withdraws his double."""
    mine = (bet.box, bet.hand, bet.player, "withdraw_double")
    return any((d.box, d.hand, d.player, d.decision) == mine for d in round_.decisions)


def _late_finding(
    findings: Findings, bet: Bet, clauses: tuple[str, ...], what: str, at: int
) -> None:
    findings.about(
        bet,
        "late_bet",
        clauses,
        f"{what} after the close of bets and let through",
        at=at,
    )
