"""How each bet is settled: rules in the order in which they are asked, each with its clauses.

A hand that is not known yet ranks nowhere: then only what holds for every hand applies, which is
what "already decided" means after an interruption or where the log ends early.
"""

from __future__ import annotations

from collections.abc import Mapping

from replay.rulebooks.three_card_poker_rws_v3.play import ranking as r
from replay.rulebooks.three_card_poker_rws_v3.play.table import FOLDED, LEFT, UNDECIDED
from replay.rulebooks.three_card_poker_rws_v3.settling.case import PokerCase
from replay.rules import LOSE, RETURNED, STAND_OFF, Result, Rule, win

PokerRule = Rule[PokerCase]

OUT: tuple[PokerRule, ...] = (
    Rule(
        "folded",
        ("3.12.1",),
        "the player folded",
        lambda c: c.state == FOLDED,
        LOSE,
    ),
    Rule(
        "left",
        ("5.5", "3.12.1"),
        "the player left with a decision open, which is a fold",
        lambda c: c.state == LEFT,
        LOSE,
    ),
    Rule(
        "never decided",
        ("3.12.1", "3.12"),
        "the player neither folded nor played, which counts as a fold",
        lambda c: c.state == UNDECIDED,
        LOSE,
    ),
)

NO_CARDS: PokerRule = Rule(
    "no cards",
    ("3.10",),
    "no card was dealt to the hand",
    lambda c: c.never_dealt,
    RETURNED,
)

COMPARED: tuple[PokerRule, ...] = (
    Rule(
        "higher",
        ("3.15.1", "4.1"),
        "the dealer qualifies and the hand ranks above his",
        lambda c: c.goes_on and c.both and c.rank > c.dealer,  # type: ignore[operator] # c.both
        win(1),
    ),
    Rule(
        "lower",
        ("3.15.2",),
        "the dealer qualifies and the hand ranks below his",
        lambda c: not c.out and c.both and c.rank < c.dealer,  # type: ignore[operator] # c.both
        LOSE,
    ),
    Rule(
        "stand off",
        ("3.15.3", "1.21"),
        "the dealer qualifies and both hands rank the same",
        lambda c: c.goes_on and c.both and c.rank == c.dealer,
        STAND_OFF,
    ),
)

ANTE: tuple[PokerRule, ...] = (
    *OUT,
    NO_CARDS,
    Rule(
        "dealer does not qualify",
        ("3.13", "4.1", "1.16"),
        "the dealer has less than a queen high",
        lambda c: c.goes_on and c.qualifies is False,
        win(1),
    ),
    *COMPARED,
)

PLAY: tuple[PokerRule, ...] = (
    Rule(
        "no play without going on",
        ("3.12.2", "1.12"),
        "the player is out, and a play bet belongs to a player who goes on",
        lambda c: c.out,
        RETURNED,
    ),
    NO_CARDS,
    Rule(
        "dealer does not qualify",
        ("3.13", "1.16"),
        "the dealer has less than a queen high: the play bet goes back",
        lambda c: c.goes_on and c.qualifies is False,
        RETURNED,
    ),
    *COMPARED,
)


def _row(kind: int, odds: int, clauses: tuple[str, ...]) -> PokerRule:
    """A row of a pay table that looks at the player's own hand alone."""
    name = r.NAMES[kind]
    return Rule(name, clauses, f"the hand is a {name}", lambda c: c.kind == kind, win(odds))


PAIR_PLUS_PAYS: Mapping[int, int] = {
    r.PAIR: 1,
    r.FLUSH: 4,
    r.STRAIGHT: 5,
    r.THREE: 30,
    r.STRAIGHT_FLUSH: 40,
}


def _won_going_on(kind: int, odds: int) -> PokerRule:
    """A row of pair plus: a player with an ante must have decided to go on."""
    row = _row(kind, odds, ("4.2", "3.16"))
    row.when = lambda c: c.kind == kind and c.goes_on
    return row


PAIR_PLUS: tuple[PokerRule, ...] = (
    *OUT,
    NO_CARDS,
    Rule(
        "less than a pair",
        ("4.2", "3.16", "1.11"),
        "the hand is three odd cards, which is lost whatever the player decides",
        lambda c: c.kind == r.ODD_CARDS,
        LOSE,
    ),
    *(_won_going_on(kind, odds) for kind, odds in PAIR_PLUS_PAYS.items()),
)

JACKPOT_CLAUSES = ("4.4", "3.17")
PROGRESSIVE: tuple[PokerRule, ...] = (
    *OUT,
    NO_CARDS,
    Rule(
        "no jackpot hand",
        JACKPOT_CLAUSES,
        "the hand is not in the jackpot's list",
        lambda c: c.rank is not None and c.row is None,
        LOSE,
    ),
    Rule(
        "ace, king, queen of spades",
        JACKPOT_CLAUSES,
        "the top hand: it takes the whole meter",
        lambda c: c.goes_on and c.row == r.SPADES and c.meter is not None,
        Result("win"),
    ),
    Rule(
        "minor jackpot",
        JACKPOT_CLAUSES,
        "a hand of the minor list, paid a fixed amount",
        lambda c: c.goes_on and c.row is not None and c.row != r.SPADES,
        Result("win"),
    ),
)
JACKPOT_PAYS: Mapping[int, int] = {
    r.SUITED: 1250_00,
    r.MINOR_FLUSH: 175_00,
    r.MINOR_THREE: 150_00,
    r.MINOR_STRAIGHT: 15_00,
}
"""Fixed amounts in cents; the top row pays the meter."""

ENVY_PAYS: Mapping[int, int] = {r.SPADES: 250_00, r.SUITED: 50_00}

ANTE_BONUS_PAYS: Mapping[int, int] = {r.STRAIGHT_FLUSH: 5, r.THREE: 4, r.STRAIGHT: 1}
ANTE_BONUS: tuple[PokerRule, ...] = tuple(
    _row(kind, odds, ("4.3", "3.16", "1.2")) for kind, odds in ANTE_BONUS_PAYS.items()
)
"""Asked only for an ante that counts; whether the player is out is asked beside it."""

RULES: Mapping[str, tuple[PokerRule, ...]] = {
    "ante": ANTE,
    "play": PLAY,
    "pair_plus": PAIR_PLUS,
    "progressive": PROGRESSIVE,
}
