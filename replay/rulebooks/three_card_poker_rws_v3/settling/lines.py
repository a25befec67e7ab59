"""From a rule's result to a line, where 3 Card Poker has its own way: jackpots, limits, bonus."""

from __future__ import annotations

from replay.answer import Key, Line
from replay.lines import line_of, odds_text, payment
from replay.rulebooks.three_card_poker_rws_v3.play.ranking import SPADES
from replay.rulebooks.three_card_poker_rws_v3.play.table import OPEN, PokerTable
from replay.rulebooks.three_card_poker_rws_v3.settling.case import PokerCase
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import (
    ANTE_BONUS,
    ANTE_BONUS_PAYS,
    JACKPOT_PAYS,
)
from replay.rules import Result, ask, ceil_part


def line(
    table: PokerTable, key: Key, case: PokerCase, result: Result, clauses: tuple[str, ...]
) -> Line:
    """The line of a bet. Chips that never counted go back whatever the outcome."""
    out = line_of(table.round.bets[key], case.stake, result, clauses)
    if out.outcome == "win" and key[3] == "progressive":
        return _jackpot(out, case)
    if out.outcome == "lose" and key in table.over and table.readings.other("over-limit-excess"):
        return out._replace(stake_returned=out.stake_returned - table.over[key])
    return out


def _jackpot(won: Line, case: PokerCase) -> Line:
    """The jackpot pays an amount and not odds; the bet itself is collected."""
    row, meter = case.row or SPADES, case.meter
    winnings = meter if row == SPADES and meter is not None else JACKPOT_PAYS[row]
    back = won.stake if case.other("jackpot-stake") else won.stake - won.basis
    return won._replace(stake_returned=back, winnings=winnings)


def ante_bonus(table: PokerTable, key: Key, case: PokerCase) -> Line | None:
    """What a straight or better earns an ante, whatever the dealer holds."""
    if case.kind not in ANTE_BONUS_PAYS:
        return None
    rule, result = ask(ANTE_BONUS, case)
    out = case.out and not case.other("ante-bonus-when-folded")
    if case.state == OPEN or out or result.odds is None:
        return None
    basis, clauses = case.stake.basis, rule.clauses
    over = table.over.get(key)
    if over:
        clauses = (*clauses, "5.1.1")
        if case.other("over-limit-and-later-bets"):
            basis += over
    paid = payment(key[0], key[2], "ante_bonus", ceil_part(basis, *result.odds), clauses)
    return paid._replace(odds=odds_text(result.odds))
