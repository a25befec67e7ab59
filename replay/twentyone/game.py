"""A game to 21 as its rulebook states it, and the order in which a round is settled by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from replay.answer import Key, Line
from replay.facts import Bet, Discard, Moved, Round
from replay.findings import Findings
from replay.grounds import unreadable, void
from replay.readings import Readings
from replay.rulebook import Outcome
from replay.rules import Result, Rule
from replay.stakes import Closing, Stake, stakes_of
from replay.twentyone import deal
from replay.twentyone.case import Case
from replay.twentyone.dealer import check_chips, check_dealer
from replay.twentyone.moment import Check
from replay.twentyone.settler import Settler
from replay.twentyone.table import Box, Hand, Table, View
from replay.twentyone.values import Dealer, MustDraw, dealer_view


class BetMoment(NamedTuple):
    """A bet as a check of bets looks at it."""

    table: Table
    bet: Bet
    amount: int
    box: Box
    stakes: Mapping[Key, Stake]

    def lay_in_time(self, key: Key) -> int:
        """What a bet amounts to without the chips that came too late."""
        stake = self.stakes.get(key)
        if stake is None:
            return 0
        late = self.table.round.bets[key].late_left
        if late and self.table.readings.other("late-bet"):
            return stake.amount
        return stake.amount - late

    @property
    def own_initial(self) -> int:
        """The player's own initial bet on the box."""
        return self.lay_in_time((self.bet.box, 1, self.bet.player, "initial"))

    @property
    def box_initial(self) -> int:
        """All initial bets on the box."""
        box = self.bet.box
        return sum(
            self.lay_in_time(key) for key in self.stakes if key[0] == box and key[3] == "initial"
        )


class BetCheck(NamedTuple):
    """One demand of the text on a bet. Where the bet goes back, `returns` has the clauses."""

    bets: tuple[str, ...]
    kind: str
    clauses: tuple[str, ...]
    breaks: Callable[[BetMoment], bool]
    says: str
    returns: tuple[str, ...] | None = None
    reading: str | None = None  # the reading under which it goes back


@dataclass(slots=True)
class Incidents:
    """What irregularities do to a round."""

    void_clauses: tuple[str, ...] = ()  # the ground, and the paragraph that sends bets back
    returned: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    extra: dict[Key, tuple[str, ...]] = field(default_factory=dict)  # clauses beside the rule's
    stopped: bool = False  # play may have stopped: what is undecided has no line
    left: dict[int, int] = field(default_factory=dict)  # boxes whose player walked away, and when
    established: str | None = None  # an outcome was established, so play had to go on (clause)

    @property
    def void_clause(self) -> str | None:
        return self.void_clauses[0] if self.void_clauses else None


class Section5(NamedTuple):
    """What a text says on irregularities, limits and the close of bets. None: it says nothing."""

    closing: Closing
    incidents: Callable[[Table, dict[Key, Stake], Game, Findings], Incidents]
    overdraw_cut: Callable[[Readings], bool]  # whether cards past the dealer's stand are nothing
    limits: Callable[[Table, dict[Key, Stake], Findings], None] | None = None
    may_move: Callable[[Table, Moved], bool] | None = None
    may_discard: Callable[[Table, Discard], bool] | None = None


Payments = Callable[[Table, Dealer, Mapping[Key, Line], Readings], list[Line]]
"""What is due without a stake, once all bets have their lines."""


@dataclass(frozen=True, slots=True)
class Game:
    """One rulebook's own statements. Nothing here is shared unless the texts agree."""

    deck: frozenset[str]
    bet_clause: str  # where the text says which bets there are
    setup: Callable[[Round, Findings], None]
    checks: Mapping[str, tuple[Check, ...]]
    bet_checks: tuple[BetCheck, ...]
    rules: Mapping[str, tuple[Rule, ...]]
    cites: tuple[tuple[str, Callable[[Case, Rule, Result], bool]], ...]  # further clauses of a line
    view: Callable[[Hand, bool, Readings], View]
    pays_21_at_once: bool
    low_aces: bool  # aces of a doubled hand's first two cards count 1
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
    highest_decides: bool = False  # with nobody seated, the text puts the highest bet in charge


def settle(
    game: Game, round_: Round, readings: Readings, findings: Findings, trace: bool
) -> Outcome:
    """One round of a game to 21, settled by the game's own rules."""
    game.setup(round_, findings)
    if unreadable(round_, findings):
        return Outcome("unreplayable", None, [])
    section5 = game.section5
    table = Table(game, round_, readings, findings)
    stakes = stakes_of(round_, section5.closing, readings, findings)
    if section5.limits is not None:
        section5.limits(table, stakes, findings)
    incidents = section5.incidents(table, stakes, game, findings)
    if incidents.void_clause is not None:
        return void(round_, stakes, incidents.void_clauses)
    dealer = dealer_view(
        table.dealer,
        game.must_draw,
        closed=round_.closed and not incidents.stopped,
        cut=lambda: section5.overdraw_cut(readings),
    )
    returned = dict(incidents.returned)
    _check_bets(game, table, stakes, returned, findings)
    settler = Settler(game, table, dealer, stakes, incidents, returned, trace)
    status = settler.run(findings)
    if status is None:
        return Outcome("unreplayable", None, [])
    lines = settler.lines
    if game.payments is not None:
        lines += game.payments(table, dealer, {line.key: line for line in lines}, readings)
    if not findings.quiet:
        deal.check(game.deal_order, table, incidents.left, findings)
        check_chips(game, table)
        check_dealer(game, table, dealer, settler.needs, findings)
        if settler.skipped and incidents.established is not None:
            findings.add(
                "round_not_concluded",
                (incidents.established,),
                "an outcome was established, but play did not go on",
            )
    lines.sort()
    return Outcome(status, None, lines, settler.traces)


@cache
def _checks_of(checks: tuple[BetCheck, ...], bet: str) -> tuple[BetCheck, ...]:
    return tuple(check for check in checks if bet in check.bets)


def _check_bets(
    game: Game,
    table: Table,
    stakes: Mapping[Key, Stake],
    returned: dict[Key, tuple[str, ...]],
    findings: Findings,
) -> None:
    """Each bet against what the text says of it; some of them go back."""
    for key, stake in stakes.items():
        bet = table.round.bets[key]
        if bet.bet not in game.rules:
            findings.add(
                "illegal_bet",
                (game.bet_clause,),
                f"{bet.bet} is no bet of this game",
                at=bet.at,
                box=bet.box,
                hand=bet.hand,
                player=bet.player,
                bet=bet.bet,
            )
            returned.setdefault(key, (game.bet_clause,))
            continue
        moment = BetMoment(table, bet, stake.amount, table.boxes[bet.box], stakes)
        told = False
        for check in _checks_of(game.bet_checks, bet.bet):
            if not check.breaks(moment):
                continue
            if not told:
                findings.add(
                    check.kind,
                    check.clauses,
                    check.says,
                    at=bet.at,
                    box=bet.box,
                    hand=bet.hand,
                    player=bet.player,
                    bet=bet.bet,
                )
                told = True
            if check.reading is None or not table.readings.other(check.reading):
                if check.returns is not None:
                    returned.setdefault(key, check.returns)
                break  # else: read otherwise it is no reason, but there may be another one
