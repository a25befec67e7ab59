"""A game to 21 as its rulebook states it, and the order in which a round is settled by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.answer import Key, Line
from replay.episodes import Episode, Text
from replay.facts import Card, Discard, Moved, Round
from replay.findings import Findings
from replay.grounds import unreadable, void
from replay.readings import Readings
from replay.rulebook import Outcome
from replay.rules import Result, without_21
from replay.stakes import Closing, Stake, stakes_of
from replay.twentyone import deal
from replay.twentyone.case import TwentyOneCase, TwentyOneRule
from replay.twentyone.check_bets import BetCheck, by_bet, check_bets
from replay.twentyone.dealer import check_chips, check_dealer
from replay.twentyone.hands import Hand, View
from replay.twentyone.later import fixed_at
from replay.twentyone.moment import DecisionCheck
from replay.twentyone.settler import Settler
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import Dealer, MustDraw, dealer_view
from replay.twentyone.withdrawals import without_a_word


@dataclass(slots=True)
class Incidents:
    """What irregularities do to a round."""

    void_clauses: tuple[str, ...] = ()  # the ground, and the paragraph that sends bets back
    returned: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    extra: dict[Key, tuple[str, ...]] = field(default_factory=dict)  # clauses beside the rule's
    stopped: bool = False  # play may have stopped: what is undecided has no line
    left: dict[int, int] = field(default_factory=dict)  # boxes whose player walked away, and when
    perhaps_left: dict[int, int] = field(default_factory=dict)  # in one of two readings
    established: str | None = None  # an outcome was established, so play had to go on (clause)

    @property
    def void_clause(self) -> str | None:
        return self.void_clauses[0] if self.void_clauses else None


class Section5(NamedTuple):
    """What a text says on irregularities, limits and the close of bets. None: it says nothing."""

    closing: Closing
    incidents: Callable[[TwentyOneTable, dict[Key, Stake], Game, Findings], Incidents]
    overdraw_cut: Callable[[Readings], bool]  # whether cards past the dealer's stand are nothing
    text: Text  # how its notes, rulings, moves and discards belong together
    may_move: Callable[[TwentyOneTable, Moved, Episode | None], bool]
    may_discard: Callable[[TwentyOneTable, Discard, Episode | None], bool]
    no_reconstruction: Callable[[TwentyOneTable, Discard, Card], bool]  # taking it away is none
    collects: Callable[[TwentyOneTable, Card], bool] | None = None  # hands that are cleared away
    limits: Callable[[TwentyOneTable, dict[Key, Stake], Findings], None] | None = None
    dealt_wrongly: str | None = None  # under which a misdeal makes the round void
    gives_choice: bool = False  # after a dealing error players go on or have their bets back


Payments = Callable[[TwentyOneTable, Dealer, Mapping[Key, Line], Readings], list[Line]]
"""What is due without a stake, once all bets have their lines."""


@dataclass(frozen=True, slots=True)
class Game:
    """One rulebook's own statements. Nothing here is shared unless the texts agree."""

    deck: frozenset[str]
    bet_clause: str  # where the text says which bets there are
    setup: Callable[[Round, Findings], None]
    checks: Mapping[str, tuple[DecisionCheck, ...]]
    bet_checks: tuple[BetCheck, ...]
    rules: Mapping[str, tuple[TwentyOneRule, ...]]
    cites: tuple[
        tuple[str, Callable[[TwentyOneCase, TwentyOneRule, Result], bool]], ...
    ]  # further clauses of a line
    view: Callable[[Hand, bool, Readings], View]
    pays_21_at_once: bool
    low_aces: bool  # aces of a doubled hand's first two cards count 1
    withdraw_up_to: int  # the highest total on which a double may be withdrawn; 0: on none
    withdrawal_may_bind: bool  # the text leaves open whether the seated player's word does
    must_draw: MustDraw
    draw_clause: str
    overdraw_clauses: tuple[str, ...]
    double_clause: str
    split_clause: str
    deal_order: deal.DealOrder
    section5: Section5
    # bets that need an event of their own: clause and words
    waits_for: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    payments: Payments | None = None
    # found from the others once, because every bet of a night asks for them
    rules_under_21: Mapping[str, tuple[TwentyOneRule, ...]] = field(init=False)
    checks_by_bet: Mapping[str, tuple[BetCheck, ...]] = field(init=False)
    highest_decides: bool = False  # with nobody seated, the text puts the highest bet in charge

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules_under_21", without_21(self.rules))
        object.__setattr__(self, "checks_by_bet", by_bet(self.bet_checks, self.rules))


def settle(
    game: Game, round_: Round, readings: Readings, findings: Findings, trace: bool
) -> Outcome:
    """One round of a game to 21, settled by the game's own rules."""
    game.setup(round_, findings)
    if unreadable(round_, findings):
        return Outcome("unreplayable", None, [])
    section5 = game.section5
    table = TwentyOneTable(game, round_, readings, findings)
    off = without_a_word(table) if round_.withdrawn else frozenset()
    stakes = stakes_of(round_, section5.closing, readings, findings, fixed_at(table), off)
    table.stakes = stakes
    if section5.limits is not None:
        section5.limits(table, stakes, findings)
    incidents = section5.incidents(table, stakes, game, findings)
    table.cut_short = incidents.stopped or incidents.void_clause is not None
    dealer = dealer_view(
        table.dealer,
        game.must_draw,
        closed=round_.closed and not table.cut_short,
        cut=lambda: table.replaced() or section5.overdraw_cut(readings),
    )
    returned = dict(incidents.returned)
    check_bets(game, table, stakes, returned, findings)
    if incidents.void_clause is not None:
        _breaches(game, table, dealer, 0, incidents, findings)
        out = void(round_, stakes, incidents.void_clauses)
        out.episodes = table.episodes
        return out
    settler = Settler(game, table, dealer, stakes, incidents, returned, trace)
    status = settler.run(findings)
    if status is None:
        return Outcome("unreplayable", None, [])
    lines = settler.lines
    if game.payments is not None:
        lines += game.payments(table, dealer, {line.key: line for line in lines}, readings)
    _breaches(game, table, dealer, settler.needs, incidents, findings)
    if settler.skipped and incidents.established is not None:
        findings.add(
            "round_not_concluded",
            (incidents.established,),
            "an outcome was established, but play did not go on",
        )
    lines.sort()
    return Outcome(status, None, lines, settler.traces, table.episodes)


def _breaches(
    game: Game,
    table: TwentyOneTable,
    dealer: Dealer,
    needs: int,
    incidents: Incidents,
    findings: Findings,
) -> None:
    """What broke a rule of play. What was no longer done in a void round is none."""
    if findings.quiet:
        return
    deal.check(game.deal_order, table, incidents.left, findings, incidents.perhaps_left)
    check_chips(game, table)
    check_dealer(game, table, dealer, needs, findings)
