"""Had any bet conclusively won or lost at a moment? Asked after a technical interruption.

The round is cut at that moment and the game's own rules are asked: what they settle without
knowing the rest is established.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from replay.answer import Key
from replay.cut import cut_at
from replay.episodes import DEALING_ERRORS
from replay.facts import NEVER, Round
from replay.findings import Findings
from replay.readings import Readings
from replay.rules import NoRule, ask
from replay.stakes import Stake
from replay.twentyone.case import TwentyOneCase
from replay.twentyone.check_bets import check_bets
from replay.twentyone.hands import Hand
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import dealer_view

if TYPE_CHECKING:
    from replay.twentyone.game import Game

ONE_CARD_DECIDES = {"under_13": "A2", "over_13": "A23"}  # with a 3 there are 13 at the most


def established(game: Game, table: TwentyOneTable, stakes: dict[Key, Stake], at: int) -> bool:
    """Whether an outcome was established before the event at `at`."""
    if _any_decided(game, table, stakes, at, wide=False):
        return True
    if not _any_decided(game, table, stakes, at, wide=True):
        return False
    return table.readings.other("outcome-established")


def rests_on_an_error(
    game: Game, table: TwentyOneTable, stakes: dict[Key, Stake], key: Key
) -> bool:
    """Whether a bet is decided only by a card that lies wrongly in an error that is still open.

    Asked where the log ends or play stopped: such a card establishes no outcome.
    """
    if table.episodes is None:
        return False
    open_to_him = _lying_wrongly(table, (key[0], key[2]), NEVER)
    cards = (card for draw in open_to_him if (card := table.find(draw)) is not None)
    wrong = frozenset(card.draw for card in cards if not table.intended().lies_rightly(card))
    if not wrong:
        return False
    found = _results(game, table, stakes, NEVER, wrong)
    return not any(other == key and outcome is not None for other, outcome in found)


def _any_decided(
    game: Game, whole: TwentyOneTable, stakes: dict[Key, Stake], at: int, *, wide: bool
) -> bool:
    """`wide`: a surrender, a single card and cards face down count too."""
    live = _in_play(whole.round, stakes, at)
    groups: dict[frozenset[int], dict[Key, Stake]] = {}
    for key, stake in live.items():
        groups.setdefault(_lying_wrongly(whole, (key[0], key[2]), at), {})[key] = stake
    return any(
        _decided(game, whole, some, at, without, wide=wide) for without, some in groups.items()
    )


def _lying_wrongly(table: TwentyOneTable, seat: tuple[int, str], at: int) -> frozenset[int]:
    """The cards of errors that are open to a player at that moment: they establish nothing."""
    round_, out = table.round, set()
    for episode in table.known_episodes().all:
        if not (episode.kinds & DEALING_ERRORS and episode.open_at(at)):
            continue
        said = (o for o in round_.options if (o.box, o.player) == seat)
        if not any(episode.at < option.at < at for option in said):
            out |= episode.cards
    return frozenset(out)


def _decided(
    game: Game,
    whole: TwentyOneTable,
    live: dict[Key, Stake],
    at: int,
    without: frozenset[int],
    *,
    wide: bool,
) -> bool:
    counts = {"win", "lose", "surrendered"} if wide else {"win", "lose"}
    found = _results(game, whole, live, at, without, wide=wide)
    return any(outcome is None or outcome in counts for _, outcome in found)


def _results(
    game: Game,
    whole: TwentyOneTable,
    live: dict[Key, Stake],
    at: int,
    without: frozenset[int],
    *,
    wide: bool = True,
) -> Iterator[tuple[Key, str | None]]:
    """What the rules give for each bet without knowing the rest; None: by one card, or given up."""
    round_ = whole.round
    cut = cut_at(round_, at, face_down_counts=wide, without=without)
    table = TwentyOneTable(game, cut, Readings(whole.readings.turned), Findings(cut, quiet=True))
    table.stakes = live
    returned: dict[Key, tuple[str, ...]] = {}
    check_bets(game, table, live, returned, table.findings)
    dealer = dealer_view(table.dealer, game.must_draw, closed=False, cut=lambda: True)
    hidden = _hidden(round_, cut, at)
    for key, stake in live.items():
        bet = cut.bets[key]
        if key in returned or bet.bet not in game.rules:
            continue
        if (bet.box, bet.hand) in hidden:
            continue  # who knows what the hand is
        box = table.boxes[bet.box]
        hand = box.hands.get(bet.hand) or Hand(bet.box, bet.hand)
        case = TwentyOneCase(table, dealer, bet, box, hand, stake, game.view)
        if wide and (_single_card(bet.bet, hand) or _given_up(case)):
            yield key, None
        try:
            _, result = ask(game.rules[bet.bet], case)
        except NoRule:
            continue
        yield key, result.outcome


def _given_up(case: TwentyOneCase) -> bool:
    return case.surrendered and case.bet.bet in {"initial", "split"}


def _in_play(round_: Round, stakes: Mapping[Key, Stake], at: int) -> dict[Key, Stake]:
    """Bets that can win or lose: their chips count, and nobody took them back."""
    gone = {(o.box, o.player) for o in round_.options if o.at < at and o.option == "take_back"}
    return {
        key: stake
        for key, stake in stakes.items()
        if round_.bets[key].at < at and stake.basis and (key[0], key[2]) not in gone
    }


def _hidden(round_: Round, cut: Round, at: int) -> set[tuple[int, int]]:
    """Hands of which a card was dealt and not yet seen."""
    shown = {card.draw for card in cut.cards}
    return {
        (card.dealt_box, card.dealt_hand)
        for card in round_.cards
        if card.at < at and card.draw not in shown
    }


def _single_card(bet: str, hand: Hand) -> bool:
    """One card may decide these bets: the second one is worth 10 at the most."""
    return len(hand.cards) == 1 and hand.faces[0][0] in ONE_CARD_DECIDES.get(bet, "")
