"""What the dealer of a game of 21 pays, by the tables printed on the layout.

Small functions over cards and chips, written from the texts; each answers one question.
"""

from __future__ import annotations

from collections.abc import Sequence

from events.devices.chips import Chips, Money, halved, lost, returned, won
from events.devices.twentyone.games import SimulatedGame
from events.devices.twentyone.hands import POINTS, SimulatedBox, SimulatedHand, count, is_natural

Odds = tuple[int, int]
SUPER_BONUS_FROM = 10_00
SUPER_BONUS_HIGH_FROM = 100_00
SHARE_CENTS = 50_00


def pair_odds(cards: Sequence[str]) -> Odds | None:
    """Player Pair: the same number or the same picture."""
    return (11, 1) if cards[0][0] == cards[1][0] else None


def bonus_odds(cards: Sequence[str]) -> Odds | None:
    """Pontoon Plus Bonus, by the first two cards."""
    first, second = cards[0], cards[1]
    ranks = {first[0], second[0]}
    if ranks == {"A"}:
        return (40, 1) if first[1] == second[1] else (11, 1)
    if len(ranks) == 1:
        return (8, 1) if first[0] in "KQJ" else (3, 1)
    if "A" in ranks:
        return (4, 1) if ranks & set("KQJ") else (1, 1)
    return None


def thirteen_odds(bet: str, cards: Sequence[str]) -> Odds | None:
    """Under 13 and Over 13; an ace counts 1, and thirteen itself is the house's."""
    total = POINTS[cards[0]] + POINTS[cards[1]]
    wins = total < 13 if bet == "under_13" else total > 13
    return (1, 1) if wins else None


def side_odds(bet: str, cards: Sequence[str]) -> Odds | None:
    """The odds of a side bet that wins by the first two cards, None where it loses."""
    if bet == "player_pair":
        return pair_odds(cards)
    if bet == "bonus":
        return bonus_odds(cards)
    return thirteen_odds(bet, cards)


def side_money(chips: Chips, cards: Sequence[str]) -> Money:
    odds = side_odds(chips.bet, cards)
    return lost(chips) if odds is None else won(chips, odds)


def row_of_21(cards: Sequence[str], *, natural: bool) -> str:
    """The row of the Pontoon pay table that a hand of 21 belongs to."""
    if natural:
        return "pontoon"
    if len(cards) >= 5:
        return f"{min(len(cards), 7)} cards"
    ranks = "".join(sorted(c[0] for c in cards))
    if ranks not in {"678", "777"}:
        return "regular"
    suits = {c[1] for c in cards}
    if len(suits) > 1:
        return f"{ranks} mixed"
    return f"{ranks} spades" if suits == {"S"} else f"{ranks} suited"


ODDS_OF_ROW: dict[str, Odds] = {
    "pontoon": (3, 2),
    "5 cards": (3, 2),
    "6 cards": (2, 1),
    "7 cards": (3, 1),
    "678 mixed": (3, 2),
    "678 suited": (2, 1),
    "678 spades": (3, 1),
    "777 mixed": (3, 2),
    "777 suited": (2, 1),
    "777 spades": (3, 1),
    "regular": (1, 1),
}


def odds_of_21(hand: SimulatedHand) -> Odds:
    """Pontoon games: what a hand of 21 is paid at once. A doubled one gets even odds."""
    if hand.doubled:
        return (1, 1)
    return ODDS_OF_ROW[row_of_21(hand.cards, natural=hand.natural)]


def super_bonus_cents(hand: SimulatedHand, dealer_first: str, bet_cents: int) -> int:
    """Pontoon games: three sevens of one suit, not split, not doubled, against a seven."""
    if hand.doubled or hand.from_split or dealer_first[0] != "7" or len(hand.cards) != 3:
        return 0
    if {c[0] for c in hand.cards} != {"7"} or len({c[1] for c in hand.cards}) != 1:
        return 0
    if bet_cents < SUPER_BONUS_FROM:
        return 0
    return 5_000_00 if bet_cents >= SUPER_BONUS_HIGH_FROM else 1_000_00


def insurance_money(chips: Chips, dealer: Sequence[str]) -> Money:
    return won(chips, (2, 1)) if is_natural(dealer) else lost(chips)


def final_money(
    game: SimulatedGame, box: SimulatedBox, hand: SimulatedHand, chips: Chips, dealer: Sequence[str]
) -> Money:
    """A bet that waited for the dealer: he has his cards now, and the hand is not bust."""
    if game.pays_21_at_once:
        return _pontoon_money(hand, chips, dealer)
    return _blackjack_money(box, hand, chips, dealer)


def _compare(hand: SimulatedHand, chips: Chips, dealer: Sequence[str]) -> Money:
    mine, his = hand.total, count(dealer)[0]
    if his > 21 or mine > his:
        return won(chips)
    return returned(chips) if mine == his else lost(chips)


def _pontoon_money(hand: SimulatedHand, chips: Chips, dealer: Sequence[str]) -> Money:
    """Against a dealer Pontoon a surrender is worth nothing and only a double is saved."""
    if is_natural(dealer):
        return returned(chips) if chips.bet == "double" else lost(chips)
    if hand.surrendered:
        return halved(chips)
    return _compare(hand, chips, dealer)


def _blackjack_money(
    box: SimulatedBox, hand: SimulatedHand, chips: Chips, dealer: Sequence[str]
) -> Money:
    if hand.natural:
        return returned(chips) if is_natural(dealer) else won(chips, (3, 2))
    if not is_natural(dealer):
        return _compare(hand, chips, dealer)
    if chips.bet == "double":
        return returned(chips)
    if len(box.hands) > 1:
        return lost(chips) if hand is _first_unbust(box, chips) else returned(chips)
    if not hand.doubled and hand.total == 21:
        return returned(chips)
    return lost(chips)


def _first_unbust(box: SimulatedBox, chips: Chips) -> SimulatedHand | None:
    """Split hands against a Blackjack: one amount like the initial bet is lost per player."""
    for hand in box.hands:
        if hand.total <= 21 and any(c.guest is chips.guest for c in hand.chips):
            return hand
    return None
