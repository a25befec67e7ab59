"""Had any bet conclusively won or lost at a moment (5.7)?

The round is cut at that moment and the rules are asked: what they settle without knowing the rest
is established. Cards that lie face down are not known, unless the other reading lets them count.
"""

from __future__ import annotations

from replay.answer import Key
from replay.cut import cut_at
from replay.episodes import LASTING
from replay.facts import NEVER, Card, Decision, Look
from replay.findings import Findings
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3.betting import jackpot
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.play import players
from replay.rulebooks.three_card_poker_rws_v3.play.table import FOLDED, PokerTable
from replay.rulebooks.three_card_poker_rws_v3.settling.case import PokerCase
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import RULES
from replay.rules import NoRule, ask

DECIDED = frozenset({"win", "lose"})


def established(table: PokerTable, at: int, out: PokerIncidents) -> bool:
    """Whether an outcome was established before the event at `at`."""
    if _any_decided(table, at, out, face_down_counts=False):
        return True
    if not _any_decided(table, at, out, face_down_counts=True):
        return False
    return table.readings.other("outcome-established")


def _any_decided(
    table: PokerTable, at: int, out: PokerIncidents, *, face_down_counts: bool
) -> bool:
    cut = cut_at(table.round, at, face_down_counts=face_down_counts)
    lies = table.lies_at(at)
    turned = {look.box for look in table.round.revealed if look.at < at}
    cut.cards = [
        card
        for card in table.round.cards
        if card.at < at
        and (card.face_up or face_down_counts or lies.get(card.draw, card.dealt_box) in turned)
    ]
    stakes = {key: stake for key, stake in table.stakes.items() if key in cut.bets}
    then = PokerTable(cut, stakes, Readings(table.readings.turned), Findings(cut, quiet=True))
    then.arrange(lies)
    then.turned = frozenset(then.hands)  # what the cut left is open
    players.leaving(then, PokerIncidents())
    shown = jackpot.meter(table.round)
    for key, stake in stakes.items():
        if key[3] not in RULES or not stake.basis:
            continue
        if key in table.off or table.gone.get((key[0], key[2]), NEVER) < at:
            continue  # it goes back
        if then.state(key[0], key[2]) < FOLDED and _lies_wrongly(out, key, at):
            continue
        try:
            _, result = ask(RULES[key[3]], PokerCase(then, key[0], key[2], shown))
        except NoRule:
            continue
        if result.outcome in DECIDED:
            return True
    return False


def _lies_wrongly(out: PokerIncidents, key: Key, at: int) -> bool:
    """Whether the cards that decide a bet lie in an error that is still open."""
    who = (key[0], key[2])
    return any(
        cause.at < at <= cause.episode.put_right_at
        and cause.episode.kind not in LASTING
        and cause.concerns(key[0])
        and not any(ruling.at < at for ruling in cause.episode.rulings)
        and out.answers.get((who, cause.episode), NEVER) > at
        for cause in out.causes
    )


def open_hands(table: PokerTable) -> frozenset[int]:
    """The boxes whose cards all lie open: turned over, or dealt so."""
    turned = {look.box for look in table.round.revealed}
    shown = {box for box, hand in table.hands.items() if all(card.face_up for card in hand)}
    return frozenset(turned | shown)


def went_on(table: PokerTable, at: int) -> bool:
    """Whether play went on after a moment: a card, a decision, a hand turned over, a payment."""
    round_ = table.round
    acts: tuple[Card | Decision | Look, ...] = (
        *round_.cards,
        *round_.decisions,
        *round_.revealed,
    )
    return any(act.at > at for act in acts) or shown_down(table, at)


def _by_the_hand(table: PokerTable, key: Key) -> bool:
    """Whether a payment is for what a hand won or lost, and not a bet that goes back."""
    stake = table.stakes.get(key)
    if stake is None:
        return (key[0], key[2]) in table.bettors  # a bonus
    return key not in table.off and bool(stake.basis)


def shown_down(table: PokerTable, after: int | None = None) -> bool:
    """Whether somebody who did not fold was settled: then the hands had been shown."""
    return any(
        (after is None or settled.at > after)
        and _by_the_hand(table, settled.key)
        and table.state(settled.key[0], settled.key[2]) < FOLDED
        for settled in table.round.settled
    )
