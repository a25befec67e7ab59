"""The order in which a round of 3 Card Poker is settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replay.answer import Key, Line
from replay.facts import NEVER, Round
from replay.findings import Findings
from replay.grounds import unreadable, void
from replay.lines import line_of
from replay.readings import Readings
from replay.rulebook import Outcome
from replay.rulebooks.three_card_poker_rws_v3.betting import bets, chips, jackpot, limits
from replay.rulebooks.three_card_poker_rws_v3.irregular import section5
from replay.rulebooks.three_card_poker_rws_v3.irregular.established import (
    open_hands,
    shown_down,
    went_on,
)
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.play import deal, decisions
from replay.rulebooks.three_card_poker_rws_v3.play.table import BURN, PokerTable
from replay.rulebooks.three_card_poker_rws_v3.settling.case import PokerCase
from replay.rulebooks.three_card_poker_rws_v3.settling.lines import ante_bonus, line
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import ANTE_BONUS, RULES
from replay.rules import RETURNED, NoRule, ask, explain
from replay.stakes import Stake


def settle(round_: Round, readings: Readings, findings: Findings, trace: bool) -> Outcome:
    """One round of 3 Card Poker."""
    decisions.check_setup(round_, findings)
    if unreadable(round_, findings):
        return Outcome("unreplayable", None, [])
    stakes = chips.on_the_table(round_, readings, findings)
    table = PokerTable(round_, stakes, readings, findings)
    returned = table.off = bets.check(table)
    limits.count(table, returned)
    happened = section5.incidents(table)
    returned = table.off = {**returned, **happened.returned}
    if happened.void:
        _breaches(table, happened)
        return _with_episodes(table, void(round_, stakes, happened.void))
    _hide_what_was_not_shown(table, happened)
    settler = _Settler(table, returned, happened, trace)
    if not settler.run():
        return Outcome("unreplayable", None, [])
    envy = jackpot.envy(table, returned)
    if trace:
        settler.traces.update((line.key, [jackpot.envy_step(line)]) for line in envy)
    lines = settler.lines + envy
    _breaches(table, happened)
    if settler.skipped and happened.established and round_.closed:
        says = "an outcome was established, but play did not go on"
        findings.add("round_not_concluded", ("5.7.1",), says)
    lines.sort()
    out = Outcome("settled", None, lines, settler.traces)
    if happened.void_otherwise and not findings.quiet:
        out.otherwise[BURN] = void(round_, stakes, happened.void_otherwise)
    return _with_episodes(table, out)


def _with_episodes(table: PokerTable, outcome: Outcome) -> Outcome:
    """What was irregular goes with the answer, for who explains the round."""
    outcome.episodes = None if table.bound is None else table.bound.episodes
    return outcome


def _breaches(table: PokerTable, happened: PokerIncidents) -> None:
    """What the play did against the text; in a void round too, as far as it had come."""
    round_ = table.round
    if table.findings.quiet:
        return
    ended = bool(happened.void)
    decisions.check_decisions(table, ended=ended)
    decisions.check_looks(table)
    stopped = happened.stopped_at
    went = round_.closed and (stopped == NEVER or went_on(table, stopped))
    deal.check(table, complete=went and not ended)


def _hide_what_was_not_shown(table: PokerTable, happened: PokerIncidents) -> None:
    """Where play stopped or the log ends early, only what was turned over has decided anything."""
    round_ = table.round
    if round_.closed and happened.stopped_at == NEVER:
        return
    if round_.closed and went_on(table, happened.stopped_at):
        table.undecided_stay_open()
    elif not round_.closed and shown_down(table):
        table.show_only(frozenset(table.hands))
    else:
        table.show_only(open_hands(table) | table.folded())


class _Settler:
    """Asks the rules for every bet."""

    __slots__ = ("happened", "lines", "returned", "skipped", "table", "trace", "traces")

    def __init__(
        self,
        table: PokerTable,
        returned: Mapping[Key, tuple[str, ...]],
        happened: PokerIncidents,
        trace: bool,
    ) -> None:
        self.table, self.returned, self.happened, self.trace = table, returned, happened, trace
        self.lines: list[Line] = []
        self.traces: dict[Key, list[dict[str, Any]]] = {}
        self.skipped = False  # a bet was left undecided

    def run(self) -> bool:
        """False where no rule settles a bet of a round that was played to its end."""
        table = self.table
        meter = jackpot.meter(table.round)
        cases: dict[tuple[int, str], PokerCase] = {}
        for key, stake in table.stakes.items():
            back = self.returned.get(key)
            if back is None and not stake.basis:
                back = stake.clauses  # none of its chips was there in time
            if back is not None:
                self._goes_back(key, stake, back)
                continue
            who, rules = (key[0], key[2]), RULES[key[3]]
            case = cases.get(who)
            if case is None:
                case = cases[who] = PokerCase(table, *who, meter)
            case.stake = stake
            try:
                rule, result = ask(rules, case)
            except NoRule:
                if table.round.closed and self.happened.stopped_at == NEVER:
                    self._unsettled(key)
                    return False
                self.skipped = True
                if key[3] == "ante" and case.goes_on:
                    self._bonus(key, case)  # it is due whatever the dealer holds
                continue  # not yet decided: no line
            clauses = rule.clauses
            if key[3] == "progressive" and jackpot.top_hand_without_ante(table):
                clauses = (*clauses, "4.8")
            if self.happened.extra:
                clauses = (*clauses, *self.happened.extra.get(key, ()))
            self.lines.append(line(table, key, case, result, clauses))
            if self.trace:
                self.traces[key] = explain(rules, case)
            if key[3] == "ante":
                self._bonus(key, case)
        return True

    def _bonus(self, key: Key, case: PokerCase) -> None:
        paid = ante_bonus(self.table, key, case)
        if paid is not None:
            self.lines.append(paid)
            if self.trace:
                self.traces[paid.key] = explain(ANTE_BONUS, case)

    def _goes_back(self, key: Key, stake: Stake, clauses: tuple[str, ...]) -> None:
        whole = Stake(stake.amount, stake.basis)
        self.lines.append(line_of(self.table.round.bets[key], whole, RETURNED, clauses))
        if self.trace:
            when = "the text says that this bet is returned"
            step = {"rule": "goes back", "clauses": list(clauses), "applies": True, "when": when}
            self.traces[key] = [step]

    def _unsettled(self, key: Key) -> None:
        box, hand, player, bet = key
        says = "no rule of the rulebook settles this bet on the events that are there"
        at = self.table.round.bets[key].at
        self.table.findings.add(
            "incomplete_round", (), says, at=at, box=box, hand=hand, player=player, bet=bet
        )
