"""Asking the game's rules for every bet of a round."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from replay.answer import Key, Line
from replay.facts import NEVER, Bet
from replay.findings import Findings
from replay.lines import line_of
from replay.rules import RETURNED, NoRule, Result, ask, explain
from replay.stakes import Stake
from replay.twentyone.case import TwentyOneCase, TwentyOneRule
from replay.twentyone.established import rests_on_an_error
from replay.twentyone.hands import Hand
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import Dealer

if TYPE_CHECKING:
    from replay.twentyone.game import Game, Incidents


ON_THE_HAND = frozenset({"initial", "split", "double"})
"""Bets that a split or a double is about; side bets and insurance owe nothing to either."""


class Settler:
    """Asks the rules for every bet, and remembers how much of the dealer's hand they needed."""

    __slots__ = (
        "dealer",
        "game",
        "incidents",
        "lines",
        "needs",
        "returned",
        "skipped",
        "stakes",
        "table",
        "trace",
        "traces",
    )

    def __init__(
        self,
        game: Game,
        table: TwentyOneTable,
        dealer: Dealer,
        stakes: dict[Key, Stake],
        incidents: Incidents,
        returned: dict[Key, tuple[str, ...]],
        trace: bool,
    ) -> None:
        self.game, self.table, self.dealer, self.stakes = game, table, dealer, stakes
        self.incidents, self.returned, self.trace = incidents, returned, trace
        self.lines: list[Line] = []
        self.traces: dict[Key, list[dict[str, Any]]] = {}
        self.needs = 0
        self.skipped = False  # a bet of a closed round was left undecided

    def run(self, findings: Findings) -> str | None:
        """The status, or None where no rule settles a bet of a closed round."""
        game, table, dealer = self.game, self.table, self.dealer
        round_, extra = table.round, self.incidents.extra
        dealer_erred = dealer.overdrawn is not None or bool(table.dealer_gone)
        for key, stake in self.stakes.items():
            bet = round_.bets[key]
            back = self.returned.get(key)
            if back is None:
                back = self._nothing_to_play_for(bet, stake)
            if back is not None:
                self.lines.append(line_of(bet, stake, RETURNED, back))
                if self.trace:
                    self.traces[key] = [_remedy_step(back)]
                continue
            box = table.boxes[bet.box]
            hand = box.hands.get(bet.hand) or Hand(bet.box, bet.hand)
            case = TwentyOneCase(table, dealer, bet, box, hand, stake, game.view)
            asked = game.rules if case.view.total == 21 else game.rules_under_21
            try:
                rule, result = ask(asked[bet.bet], case)
            except NoRule:
                waits = game.waits_for.get(bet.bet)
                if waits is not None and dealer.final:
                    clause, says = waits
                    findings.about(bet, "round_not_concluded", (clause,), says)
                    continue
                if not round_.closed or self.incidents.stopped:
                    self.skipped = round_.closed
                    continue  # not yet decided: no line
                findings.about(
                    bet,
                    "incomplete_round",
                    (),
                    "no rule of the rulebook settles this bet on the events that are there",
                )
                return None
            cut_off = not round_.closed or self.incidents.stopped
            if cut_off and rests_on_an_error(game, table, self.stakes, key):
                self.skipped = round_.closed
                continue  # whether the card stays was never decided
            self.needs = max(self.needs, rule.needs)
            clauses = rule.clauses
            eventful = hand.split or hand.doubled_at != NEVER or dealer_erred
            if eventful and bet.bet in ON_THE_HAND:
                clauses = _further(game.cites, clauses, case, rule, result)
            if extra:
                clauses = (*clauses, *extra.get(key, ()))
            self.lines.append(line_of(bet, stake, result, clauses))
            if self.trace:
                self.traces[key] = explain(game.rules[bet.bet], case)
        return "settled" if round_.closed else "incomplete"

    def _nothing_to_play_for(self, bet: Bet, stake: Stake) -> tuple[str, ...] | None:
        """None of its chips count, or the hand was split off one that was paid already."""
        if not stake.basis:
            return stake.clauses
        if bet.bet in {"split", "double"}:
            hand = self.table.hand_at(bet.box, bet.hand)
            if hand is not None and hand.nothing:
                return (self.game.split_clause,)
        return None


def _further(
    cites: tuple[tuple[str, Callable[[TwentyOneCase, TwentyOneRule, Result], bool]], ...],
    clauses: tuple[str, ...],
    case: TwentyOneCase,
    rule: TwentyOneRule,
    result: Result,
) -> tuple[str, ...]:
    more = tuple(c for c, when in cites if c not in clauses and when(case, rule, result))
    return (*clauses, *more) if more else clauses


def _remedy_step(clauses: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rule": "goes back",
        "clauses": list(clauses),
        "applies": True,
        "when": "the text says that this bet is returned",
    }
