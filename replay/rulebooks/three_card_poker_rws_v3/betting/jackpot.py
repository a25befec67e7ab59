"""The progressive jackpot: which meter is paid, and who gets an envy bonus from whom."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from replay.answer import Key, Line
from replay.facts import NEVER, Round
from replay.lines import payment
from replay.rulebooks.three_card_poker_rws_v3.play.ranking import TOP, jackpot_row
from replay.rulebooks.three_card_poker_rws_v3.play.table import FOLDED, HAND, OPEN, PokerTable
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import ENVY_PAYS

ENVY_CLAUSES = ("4.7", "4.4")


def meter(round_: Round) -> int | None:
    """The last reading before the first decision; after a malfunction, the last before that.

    Chips for play are a decision too.

    Where every reading came later, the first one is the nearest to what was displayed.
    """
    readings = round_.meters
    if not readings:
        return None
    until = min((bet.at for bet in round_.bets.values() if bet.bet == "play"), default=NEVER)
    if round_.decisions:
        until = min(until, round_.decisions[0].at)
    broken = [note.at for note in round_.notes if note.kind == "jackpot_malfunction"]
    if broken:
        until = min(broken)
    in_time = [reading.amount for reading in readings if reading.at < until]
    return in_time[-1] if in_time else readings[0].amount


class TopHand(NamedTuple):
    """A hand of the top two rows, and what it earns others."""

    box: int
    player: str
    cents: int


def envy(table: PokerTable, returned: Container[Key]) -> list[Line]:
    """One line for each box with a progressive bet that another player's top hand pays."""
    tops = _top_hands(table, returned)
    if not tops:
        return []
    out = []
    for key in table.stakes:
        if key[3] == "progressive":
            cents = _owed(table, key, tops, returned)
            if cents:
                out.append(payment(key[0], key[2], "envy_bonus", cents, ENVY_CLAUSES))
    return out


def envy_step(paid: Line) -> dict[str, Any]:
    """The explanation of an envy bonus."""
    return {
        "rule": "envy bonus",
        "clauses": list(paid.clauses),
        "applies": True,
        "when": "another player with an ante has one of the top two hands",
    }


def top_hand_without_ante(table: PokerTable) -> bool:
    """A box has a top hand, but pair plus alone: it earns nobody an envy bonus."""
    return any(
        table.rank(box) == TOP for box, player in table.owner.items() if not table.ante(box, player)
    )


def _top_hands(table: PokerTable, returned: Container[Key]) -> list[TopHand]:
    """Top hands of players with an ante: with pair plus alone they earn nobody anything."""
    tops: list[TopHand] = []
    for key, stake in table.stakes.items():
        box, _, player, bet = key
        if table.rank(box) != TOP or player != table.owner[box]:
            continue
        if bet != "ante" and not _by_an_ante_elsewhere(table, key):
            continue
        off = key in returned or not stake.basis
        many = len(table.hands[box]) > HAND
        if many and not off and not table.readings.other("envy-of-a-wrong-count"):
            continue
        if _out(table, box, player, off) and not table.readings.other("envy-from-folded"):
            continue
        if off and not table.readings.other("envy-of-returned-bets"):
            continue
        row = jackpot_row(TOP, table.faces(box)) or 0
        tops.append(TopHand(box, player, ENVY_PAYS[row]))
    return tops


def _by_an_ante_elsewhere(table: PokerTable, key: Key) -> bool:
    """Whether pair plus alone counts as a hand of a player with an ante, on another box of his."""
    box, _, player, bet = key
    if bet != "pair_plus" or table.ante(box, player):
        return False
    others = {other for other, name in table.bettors if name == player} - {box}
    if not any(table.ante(other, player) for other in others):
        return False
    return table.readings.other("envy-with-an-ante-elsewhere")


def _out(table: PokerTable, box: int, player: str, off: bool) -> bool:
    """Whether a player is out, or may still fold a bet that does not go back anyway."""
    state = table.state(box, player)
    return state >= FOLDED or (state == OPEN and not off)


def _owed(table: PokerTable, key: Key, tops: list[TopHand], returned: Container[Key]) -> int:
    """What one progressive bet earns by the top hands of others."""
    box, _, player, _ = key
    others = [top for top in tops if top.box != box]
    own = [top for top in others if top.player == player]
    if own and not table.readings.other("envy-own-other-box"):
        others = [top for top in others if top.player != player]
    if not others:
        return 0
    off = key in returned or not table.stakes[key].basis
    if off and not table.readings.other("envy-of-returned-bets"):
        return 0
    if _out(table, box, player, off) and not table.readings.other("envy-when-folded"):
        return 0
    if len(others) > 1 and table.readings.other("envy-several-hands"):
        return max(top.cents for top in others)
    return sum(top.cents for top in others)
