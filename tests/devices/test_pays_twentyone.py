"""The dealer's settlement at the games of 21, against rounds worked out by hand from the texts.

Each case: the paragraph, the hand and how it came about, the dealer's cards, what 20.00 on it gets.
"""

from __future__ import annotations

import pytest

from events.devices.chips import Chips, halved, won
from events.devices.people import Guest
from events.devices.twentyone import pays
from events.devices.twentyone.games import BLACKJACK, MBS, PANDEMONIUM, PLUS, SimulatedGame
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand, count, count_doubled

STAKE = 20_00
LOST, BACK, EVEN = (0, 0), (20_00, 0), (20_00, 20_00)
GUEST = Guest("P1", STAKE, 0.0, 1, {})


def a_hand(game: SimulatedGame, cards: str, how: str = "") -> tuple[SimulatedBox, SimulatedHand]:
    box = SimulatedBox(1, GUEST, low_aces=game.pays_21_at_once)
    hand = box.first
    hand.cards = cards.split()
    hand.doubled = "doubled" in how
    hand.surrendered = "surrendered" in how
    hand.chips.append(Chips(1, 1, GUEST, "initial", STAKE, seated=True))
    if hand.doubled:
        hand.chips.append(Chips(1, 1, GUEST, "double", STAKE, seated=True))
    if "split" in how:
        hand.from_split = True
        other = SimulatedHand(1, 2, low_aces=game.pays_21_at_once)
        other.from_split = True
        other.cards = ["8S", "9S"]
        other.chips.append(Chips(1, 2, GUEST, "split", STAKE, seated=True))
        box.hands.append(other)
    return box, hand


FINAL = [
    # Pontoon Plus
    (PLUS, "3.27.1 dealer bust", "KS 5H", "", "KH 6D QC", EVEN),
    (PLUS, "3.27.2 higher", "KS 9H", "", "KH 8D", EVEN),
    (PLUS, "3.27.3 lower", "KS 7H", "", "KH 8D", LOST),
    (PLUS, "3.27.4 the same", "KS 8H", "", "9H 9D", BACK),
    (PLUS, "3.19.1 surrendered, dealer Pontoon", "KS 6H", "surrendered", "AH KD", LOST),
    (PLUS, "3.19.2 surrendered, no Pontoon", "KS 6H", "surrendered", "AH 9D", (10_00, 0)),
    (PLUS, "3.24.5 split, dealer Pontoon", "8H 9H", "split", "AH KD", LOST),
    (PLUS, "3.25.2 low ace in a double", "AS 5H 4D", "doubled", "KH 7D", LOST),
    (PLUS, "3.25.2 third card an ace", "5S 4H AD", "doubled", "KH 9D", EVEN),
    (PLUS, "3.25.4 doubled, dealer Pontoon", "6S 5H 9D", "doubled", "AH KD", LOST),
    # Pandemonium and MBS
    (PANDEMONIUM, "3.10.1", "KS 6H", "surrendered", "AH KD", LOST),
    (PANDEMONIUM, "3.10.2", "KS 6H", "surrendered", "KH 7D", (10_00, 0)),
    (PANDEMONIUM, "3.18.4", "KS 8H", "", "KH 8D", BACK),
    (MBS, "3.10.1", "KS 6H", "surrendered", "KH AD", LOST),
    (MBS, "4.3.3", "KS 9H", "", "KH AD", LOST),
    (MBS, "4.5.1", "KS 9H", "", "KH 9D", BACK),
    # Blackjack
    (BLACKJACK, "3.15 Blackjack against 21", "AS KH", "", "TH 5D 6C", (20_00, 30_00)),
    (BLACKJACK, "3.15 Blackjack against Blackjack", "AS KH", "", "TH AD", BACK),
    (BLACKJACK, "3.14.1 the same, ace first", "AS TH", "", "AH TD", BACK),
    (BLACKJACK, "3.23.4 21 against Blackjack", "7S 7H 7D", "", "TH AD", BACK),
    (BLACKJACK, "3.23.3 20 against Blackjack", "KS QH", "", "TH AD", LOST),
    (BLACKJACK, "3.22.2 doubled 21 against Blackjack", "6S 5H TD", "doubled", "TH AD", LOST),
    (BLACKJACK, "3.22 an ace in a double is 11", "AS 6H 3D", "doubled", "TH 9D", EVEN),
    (BLACKJACK, "3.21.3 first hand of a split", "8S 9H", "split", "TH AD", LOST),
    (BLACKJACK, "3.23.4", "KS 7H", "", "TH 7D", BACK),
]


@pytest.mark.parametrize(
    ("game", "cards", "how", "dealer", "money"),
    [pytest.param(g, c, h, d, m, id=f"{g.rulebook} {p}") for g, p, c, h, d, m in FINAL],
)
def test_a_main_bet(
    game: SimulatedGame, cards: str, how: str, dealer: str, money: tuple[int, int]
) -> None:
    box, hand = a_hand(game, cards, how)
    assert pays.final_money(game, box, hand, hand.chips[0], dealer.split()) == money


@pytest.mark.parametrize("game", [PLUS, PANDEMONIUM, MBS, BLACKJACK])
def test_a_double_comes_back_from_a_dealer_natural(game: SimulatedGame) -> None:
    box, hand = a_hand(game, "6S 5H 9D", "doubled")
    assert pays.final_money(game, box, hand, hand.chips[1], ["KH", "AD"]) == BACK


def test_blackjack_3_21_3_the_second_hand_of_a_split_is_spared() -> None:
    box, _ = a_hand(BLACKJACK, "8S 9H", "split")
    second = box.hands[1]
    assert pays.final_money(BLACKJACK, box, second, second.chips[0], ["TH", "AD"]) == BACK


def test_blackjack_3_21_3_the_second_hand_pays_where_the_first_is_bust() -> None:
    box, first = a_hand(BLACKJACK, "8S 9H KD", "split")
    second = box.hands[1]
    assert first.total > 21
    assert pays.final_money(BLACKJACK, box, second, second.chips[0], ["TH", "AD"]) == LOST


ROWS = [
    ("AS KH", (3, 2)),
    ("2S 3H 4D 5C 7S", (3, 2)),
    ("2S 3H 4D 2C 3S 7D", (2, 1)),
    ("2S 3H 2D 2C 3S 3D 6D", (3, 1)),
    ("2S 2H 2D 2C 3S 3D 3H 4S", (3, 1)),
    ("6S 7H 8D", (3, 2)),
    ("8H 6H 7H", (2, 1)),
    ("6S 8S 7S", (3, 1)),
    ("7S 7H 7D", (3, 2)),
    ("7D 7D 7D", (2, 1)),
    ("7S 7S 7S", (3, 1)),
    ("KS 5H 6D", (1, 1)),
]


@pytest.mark.parametrize(("cards", "odds"), ROWS)
def test_4_1_odds_of_21(cards: str, odds: tuple[int, int]) -> None:
    _, hand = a_hand(PLUS, cards)
    assert pays.odds_of_21(hand) == odds


def test_3_25_5_a_doubled_21_gets_even_odds() -> None:
    _, hand = a_hand(PLUS, "6S 7S 8S", "doubled")
    assert pays.odds_of_21(hand) == (1, 1)


def test_3_24_3_an_ace_and_a_picture_after_a_split_is_no_pontoon() -> None:
    _, hand = a_hand(PLUS, "AS KH", "split")
    assert pays.odds_of_21(hand) == (1, 1)


@pytest.mark.parametrize(
    ("cards", "how", "dealer", "bet_cents", "bonus_cents"),
    [
        ("7S 7S 7S", "", "7H", 10_00, 1_000_00),
        ("7S 7S 7S", "", "7H", 99_00, 1_000_00),
        ("7S 7S 7S", "", "7H", 100_00, 5_000_00),
        ("7S 7S 7S", "", "7H", 9_99, 0),
        ("7S 7S 7S", "", "8H", 50_00, 0),
        ("7S 7S 7H", "", "7H", 50_00, 0),
        ("7S 7S 7S", "split", "7H", 50_00, 0),
        ("7S 7S 7S", "doubled", "7H", 50_00, 0),
    ],
)
def test_4_1_2_super_bonus(
    cards: str, how: str, dealer: str, bet_cents: int, bonus_cents: int
) -> None:
    _, hand = a_hand(PLUS, cards, how)
    assert pays.super_bonus_cents(hand, dealer, bet_cents) == bonus_cents


@pytest.mark.parametrize(
    ("bet", "cards", "times"),
    [
        ("player_pair", "8S 8H", 11),
        ("player_pair", "KS QH", None),
        ("bonus", "AS AS", 40),
        ("bonus", "AS AH", 11),
        ("bonus", "JS JH", 8),
        ("bonus", "KS AH", 4),
        ("bonus", "2S 2H", 3),
        ("bonus", "AS 9H", 1),
        ("bonus", "KS QH", None),
        ("under_13", "AS KH", 1),
        ("under_13", "6S 7H", None),
        ("over_13", "6S 7H", None),
        ("over_13", "KS 4H", 1),
        ("over_13", "AS KH", None),
    ],
)
def test_side_bets(bet: str, cards: str, times: int | None) -> None:
    odds = pays.side_odds(bet, cards.split())
    assert odds == (None if times is None else (times, 1))


def test_insurance_pays_two_to_one_for_a_natural_of_two_cards_only() -> None:
    chips = Chips(1, 1, GUEST, "insurance", 10_00, seated=True)
    assert pays.insurance_money(chips, ["AH", "KD"]) == (10_00, 20_00)
    assert pays.insurance_money(chips, ["AH", "5D", "5C"]) == LOST


def test_points() -> None:
    assert count(["AS", "KH"]) == (21, True)
    assert count(["AS", "AH", "9D"]) == (21, True)
    assert count(["AS", "KH", "5D"]) == (16, False)
    assert count_doubled(["AS", "5H", "4D"]) == (10, False)
    assert count_doubled(["AS", "5H", "AD"]) == (17, True)


def test_part_of_a_cent_goes_to_the_player() -> None:
    chips = Chips(1, 1, GUEST, "initial", 15, seated=True)
    assert won(chips, (3, 2)) == (15, 23)
    assert halved(chips) == (8, 0)


def test_what_never_counted_goes_back() -> None:
    chips = Chips(1, 1, GUEST, "initial", 1_000, seated=True)
    chips.counts_cents = 600
    assert won(chips, (3, 2)) == (1_000, 900)
    assert halved(chips) == (700, 0)
