"""Had any bet conclusively won or lost at a moment? Asked after a technical interruption.

The round is cut at that moment and the game's own rules are asked: what they settle without
knowing the rest is established.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.answer import Key
from replay.cut import cut_at
from replay.facts import Round
from replay.findings import Findings
from replay.readings import Readings
from replay.rules import NoRule, ask
from replay.stakes import Stake
from replay.twentyone.case import Case
from replay.twentyone.table import Hand, Table
from replay.twentyone.values import dealer_view

if TYPE_CHECKING:
    from replay.twentyone.game import Game

ONE_CARD_DECIDES = {"under_13": "A2", "over_13": "A23"}  # with a 3 there are 13 at the most


def established(game: Game, table: Table, stakes: dict[Key, Stake], at: int) -> bool:
    """Whether an outcome was established before the event at `at`."""
    readings = table.readings
    turned = table.readings.turned
    if _any_decided(game, table.round, stakes, at, turned, wide=False):
        return True
    if not _any_decided(game, table.round, stakes, at, turned, wide=True):
        return False
    return readings.other("outcome-established")


def _any_decided(
    game: Game,
    round_: Round,
    stakes: dict[Key, Stake],
    at: int,
    turned: frozenset[str],
    *,
    wide: bool,
) -> bool:
    """`wide`: a surrender, a single card and cards face down count too."""
    cut = cut_at(round_, at, face_down_counts=wide)
    readings = Readings(turned)
    table = Table(game, cut, readings, Findings(cut, quiet=True))
    dealer = dealer_view(table.dealer, game.must_draw, closed=False, cut=lambda: True)
    counts = {"win", "lose", "surrendered"} if wide else {"win", "lose"}
    for key, bet in cut.bets.items():
        if key not in stakes or bet.bet not in game.rules:
            continue
        box = table.boxes[bet.box]
        hand = box.hands.get(bet.hand) or Hand(bet.box, bet.hand)
        case = Case(table, dealer, bet, box, hand, stakes[key], game.view)
        if wide and _single_card(bet.bet, hand):
            return True
        try:
            _, result = ask(game.rules[bet.bet], case)
        except NoRule:
            continue
        if result.outcome in counts:
            return True
    return False


def _single_card(bet: str, hand: Hand) -> bool:
    """One card may decide these bets: the second one is worth 10 at the most."""
    return len(hand.cards) == 1 and hand.faces[0][0] in ONE_CARD_DECIDES.get(bet, "")
