"""What the text demands of a bet, and which bets go back because of it."""

from __future__ import annotations

from replay.answer import Key
from replay.facts import NEVER
from replay.findings import dollars
from replay.rulebooks.three_card_poker_rws_v3.play.players import out_before
from replay.rulebooks.three_card_poker_rws_v3.play.table import PokerTable
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import RULES

Returned = dict[Key, tuple[str, ...]]


def check(table: PokerTable) -> Returned:
    """Each bet against the text. The answer says which go back, and by which clauses."""
    returned: Returned = {}
    boxes = table.round.boxes
    for key in table.stakes:
        box, hand, player, bet = key
        if bet not in RULES:
            _illegal(table, key, ("3.6",), f"{bet} is no bet of this game")
            returned[key] = ("3.6",)
        elif hand != 1:
            _illegal(table, key, ("2.1.1a",), "there is no such hand on the layout")
            returned[key] = ("2.1.1a",)
        else:
            if box > boxes and bet != "play":
                _illegal(table, key, ("2.1.1a",), f"the layout has {boxes} boxes")
            if player != table.owner[box]:
                _second_player(table, key, returned)
            if key not in returned and bet == "progressive":
                _progressive(table, key, returned)
            elif key not in returned and bet == "play":
                _play(table, key, returned)
    return returned


def _second_player(table: PokerTable, key: Key, returned: Returned) -> None:
    """One player to a box; what somebody else puts there goes back."""
    clauses = ("3.8.1", "3.5") if key[3] == "progressive" else ("3.5", "3.7")
    _illegal(table, key, clauses, f"the box is {table.owner[key[0]]}'s")
    if not table.readings.other("second-player-on-a-box"):
        returned[key] = clauses


def _play(table: PokerTable, key: Key, returned: Returned) -> None:
    """Beside an ante of his own that is still there: a fold has lost it."""
    box, _, player, _ = key
    if not table.ante(box, player):
        _illegal(table, key, ("3.12.2",), "a play bet without an ante")
        if not table.readings.other("play-without-ante"):
            returned[key] = ("3.12.2",)
    elif out_before(table, box, player, table.round.bets[key].at):
        _illegal(table, key, ("3.12.2", "3.12.1"), "a play bet after a fold, which lost the ante")
        returned[key] = ("3.12.2", "3.12.1")


def _progressive(table: PokerTable, key: Key, returned: Returned) -> None:
    """Beside an ante of his own, and of the prescribed amount."""
    box, _, player, _ = key
    if not table.ante(box, player):
        elsewhere = any(
            k[2] == player and k[3] == "ante" and stake.basis for k, stake in table.stakes.items()
        )
        clauses = ("5.4", "3.8.1" if elsewhere else "3.8")
        _illegal(table, key, clauses, "no ante beside it", kind="side_bet_alone")
        returned[key] = ("5.4",)
        return
    wanted, counts = table.round.jackpot_bet, table.stakes[key].basis
    if counts in {wanted, 0}:
        return
    if wanted is None:
        _illegal(table, key, ("3.4", "5.17.2c"), "this table takes no progressive bets")
    else:
        says = f"{dollars(counts)}, the prescribed amount is {dollars(wanted)}"
        bet = table.round.bets[key]
        at = bet.at if bet.late else bet.last  # the chips that made it another amount
        _illegal(table, key, ("3.4",), says, at=at)
    if table.readings.other("progressive-amount"):
        returned[key] = ("3.4",)


def after_the_end(table: PokerTable) -> Returned:
    """Play bets on a hand that was no longer in the round."""
    out: Returned = {}
    for key in table.stakes:
        box, _, player, bet = key
        if bet == "play" and table.gone.get((box, player), NEVER) < table.round.bets[key].at:
            _illegal(table, key, ("3.12.2",), "a play bet on a hand that is out of the round")
            out[key] = ("3.12.2",)
    return out


def _illegal(
    table: PokerTable,
    key: Key,
    clauses: tuple[str, ...],
    says: str,
    kind: str = "illegal_bet",
    at: int | None = None,
) -> None:
    box, hand, player, bet = key
    at = table.round.bets[key].at if at is None else at
    table.findings.add(kind, clauses, says, at=at, box=box, hand=hand, player=player, bet=bet)
