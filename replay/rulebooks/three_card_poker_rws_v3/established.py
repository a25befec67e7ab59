"""Had any bet conclusively won or lost at a moment (5.7)?

The round is cut at that moment and the rules are asked: what they settle without knowing the rest
is established. Cards that lie face down are not known, unless the other reading lets them count.
"""

from __future__ import annotations

from replay.answer import Key
from replay.cut import cut_at
from replay.facts import NEVER, Card, Decision, Look, Round
from replay.findings import Findings
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3 import jackpot, players
from replay.rulebooks.three_card_poker_rws_v3.case import Case
from replay.rulebooks.three_card_poker_rws_v3.incident import Incidents
from replay.rulebooks.three_card_poker_rws_v3.rules import RULES
from replay.rulebooks.three_card_poker_rws_v3.table import FOLDED, Table
from replay.rules import NoRule, ask

DECIDED = frozenset({"win", "lose"})


def established(table: Table, at: int) -> bool:
    """Whether an outcome was established before the event at `at`."""
    if _any_decided(table, at, face_down_counts=False):
        return True
    if not _any_decided(table, at, face_down_counts=True):
        return False
    return table.readings.other("outcome-established")


def _any_decided(table: Table, at: int, *, face_down_counts: bool) -> bool:
    cut = cut_at(table.round, at, face_down_counts=face_down_counts)
    cut.irregular = table.round.irregular
    cut.notes = [note for note in table.round.notes if note.at < at]
    stakes = {key: stake for key, stake in table.stakes.items() if key in cut.bets}
    then = Table(cut, stakes, Readings(table.readings.turned), Findings(cut, quiet=True))
    then.turned = frozenset(then.hands)  # what the cut left is open
    players.leaving(then, Incidents())
    shown = jackpot.meter(table.round)
    for key, stake in stakes.items():
        if key[3] not in RULES or not stake.basis:
            continue
        if key in table.off or table.gone.get((key[0], key[2]), NEVER) < at:
            continue  # it goes back
        try:
            _, result = ask(RULES[key[3]], Case(then, key[0], key[2], shown))
        except NoRule:
            continue
        if result.outcome in DECIDED:
            return True
    return False


def open_hands(round_: Round) -> frozenset[int]:
    """The boxes whose cards all lie open: turned over, or dealt so."""
    turned = {look.box for look in round_.revealed}
    hidden = {card.box for card in round_.cards if not card.face_up}
    return frozenset({card.box for card in round_.cards if card.box not in hidden} | turned)


def went_on(table: Table, at: int) -> bool:
    """Whether play went on after a moment: a card, a decision, a hand turned over, a payment."""
    round_ = table.round
    acts: tuple[Card | Decision | Look, ...] = (
        *round_.cards,
        *round_.decisions,
        *round_.revealed,
    )
    return any(act.at > at for act in acts) or shown_down(table, at)


def _by_the_hand(table: Table, key: Key) -> bool:
    """Whether a payment is for what a hand won or lost, and not a bet that goes back."""
    stake = table.stakes.get(key)
    if stake is None:
        return (key[0], key[2]) in table.bettors  # a bonus
    return key not in table.off and bool(stake.basis)


def shown_down(table: Table, after: int | None = None) -> bool:
    """Whether somebody who did not fold was settled: then the hands had been shown."""
    return any(
        (after is None or settled.at > after)
        and _by_the_hand(table, settled.key)
        and table.state(settled.key[0], settled.key[2]) < FOLDED
        for settled in table.round.settled
    )
