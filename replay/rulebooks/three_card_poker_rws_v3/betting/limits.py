"""How much of a bet counts: the limits of a box (5.1, 5.2), and Play against Ante (5.3)."""

from __future__ import annotations

from collections.abc import Container

from replay.answer import Key
from replay.findings import dollars
from replay.rulebooks.three_card_poker_rws_v3.play.table import PokerTable
from replay.stakes import Stake

LIMITED = frozenset({"ante", "pair_plus"})


def count(table: PokerTable, returned: Container[Key]) -> None:
    """Set what counts of every bet that does not go back anyway."""
    limits, stakes = table.round.limits, table.stakes
    plays: list[Key] = []
    for key, stake in stakes.items():
        bet = key[3]
        if bet == "play":
            plays.append(key)
        elif bet in LIMITED and bet in limits and key not in returned:
            low, high = limits[bet]
            if stake.basis > high:
                _over(table, key, high)
            elif stake.basis and stake.basis < low:
                _under(table, key, low)
    for key in plays:
        ante = stakes.get((key[0], 1, key[2], "ante"))
        if ante is not None and ante.basis and key not in returned:
            placed = ante.basis + table.over[key[0], 1, key[2], "ante"]
            if not stakes[key].basis == placed == ante.basis:
                _play(table, key, placed, ante.basis)
            _own_limit(table, key)


def _over(table: PokerTable, key: Key, high: int) -> None:
    """What is above the maximum does not count."""
    basis = table.stakes[key].basis
    table.over[key] += basis - high
    _set(table, key, high, "5.1.1")
    says = f"{dollars(basis)}, the maximum is {dollars(high)}"
    _outside(table, key, "over_limit", ("5.1.1", "5.1"), says)


def _own_limit(table: PokerTable, key: Key) -> None:
    """A limit that is displayed for the play; it must equal the ante all the same."""
    limit = table.round.limits.get("play")
    if limit is None or table.stakes[key].basis <= limit[1]:
        return
    if table.readings.other("play-limit-of-its-own"):
        _over(table, key, limit[1])


def _under(table: PokerTable, key: Key, low: int) -> None:
    """Nobody noticed: it wins or loses as it lies."""
    basis = table.stakes[key].basis
    _set(table, key, basis, "5.2.1")
    says = f"{dollars(basis)}, the minimum is {dollars(low)}"
    _outside(table, key, "under_limit", ("5.2.1", "5.2"), says)


def _outside(table: PokerTable, key: Key, kind: str, clauses: tuple[str, ...], says: str) -> None:
    box, hand, player, bet = key
    placed = table.round.bets[key]
    table.findings.add(
        kind,
        clauses,
        says,
        at=placed.at if placed.late else placed.last,  # late chips are not what shows it
        box=box,
        hand=hand,
        player=player,
        bet=bet,
    )


def _play(table: PokerTable, key: Key, placed: int, counts: int) -> None:
    """A play bet that is not simply the ante's amount, or an ante of which a part counts.

    `placed` is the ante as it lay at the close, `counts` what the limit leaves of it.
    """
    play = table.stakes[key].basis
    if play > placed:
        _differs(table, key, "5.3.1", f"{dollars(play)}, above the ante of {dollars(placed)}")
        basis = counts
        if table.readings.other("play-above-ante"):
            basis = max(counts, min(play, _maximum(table, play)))
        _set(table, key, basis, "5.3.1")
        return
    if play not in {placed, counts}:
        _differs(table, key, "5.3.2", f"{dollars(play)}, below the ante of {dollars(placed)}")
        _below(table, key, play)
    if play > counts and not table.readings.other("play-on-over-limit-ante"):
        table.over[key] = play - counts
        _set(table, key, counts, "5.1.1")


def _below(table: PokerTable, key: Key, play: int) -> None:
    """Both bets stand on their own amounts, or, in the other reading, on the play's."""
    _set(table, key, play, "5.3.2")
    ante = (key[0], 1, key[2], "ante")
    counts = table.stakes[ante].basis
    if play < counts and table.readings.other("play-below-ante"):
        _set(table, ante, play, "5.3.2")


def _maximum(table: PokerTable, otherwise: int) -> int:
    limit = table.round.limits.get("ante")
    return otherwise if limit is None else limit[1]


def _set(table: PokerTable, key: Key, basis: int, clause: str) -> None:
    amount, _, clauses = table.stakes[key]
    table.stakes[key] = Stake(amount, basis, (*clauses, clause))


def _differs(table: PokerTable, key: Key, clause: str, says: str) -> None:
    box, hand, player, bet = key
    table.findings.add(
        "illegal_bet",
        (clause, "3.12.2"),
        says,
        at=table.round.bets[key].last,
        box=box,
        hand=hand,
        player=player,
        bet=bet,
    )
