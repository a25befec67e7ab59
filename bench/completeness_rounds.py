"""The kinds of rounds that completeness is looked for in: hands, dealers, and what players do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class RoundKind:
    """One round in the language of golden rounds."""

    name: str
    play: list[str]
    gap: str  # how a bet without a rule is put down to it
    closed: bool = True


# The first two cards, then what is drawn.
HANDS = {
    "natural": "AS KH",
    "suited aces": "AS AS",
    "aces, soft 21": "AS AH 9D",
    "aces bust": "AS AH 9D 8C 6D",
    "court pair": "KS KH",
    "court cards": "KS QH",
    "pair of 7s": "7S 7H",
    "pair of 8s bust": "8S 8H 8D",
    "pair of 9s": "9S 9H",
    "pair of 2s": "2S 2H 9D 3C",
    "ace and number": "AS 7H",
    "soft 21": "AS 4H 6D",
    "exactly 13": "9S 4H",
    "6-7-8 all spades": "6S 7S 8S",
    "6-7-8 one suit": "6H 7H 8H",
    "6-7-8": "6S 7H 8S",
    "7-7-7 all spades": "7S 7S 7S",
    "7-7-7 one suit": "7H 7H 7H",
    "7-7-7": "7S 7H 7D",
    "21": "KS 5H 6D",
    "five cards 21": "2S 3H 4S 5H 7D",
    "six cards 21": "2S 2H 3S 3H 4D 7C",
    "seven cards 21": "2S 2H 2D 3H 3D 4C 5C",
    "20": "KS 4H 6D",
    "19": "KS 9H",
    "18": "KS 8H",
    "17": "9S 8H",
    "12": "KS 2H",
    "low": "2S 3H",
    "bust": "KS 6H 8D",
}
DEALERS = {
    "natural, ace first": "AD KC",
    "natural, ten first": "KD AC",
    "21, ace first": "AD 3C 7D",
    "21": "KD 5C 6D",
    "20": "9D 2C 9C",
    "19": "KD 9C",
    "18": "9D 9C",
    "17": "8D 9C",
    "bust": "6D KC 9C",
    "one card": "6D",
    "one ace": "AD",
    "one ace, and the log ends": "AD",
}
# The card that a split hand begins with, then what is drawn to it.
SPLIT_HANDS = {
    "no more": "9S",
    "ace and court card": "KS AH",
    "split aces": "AS KH",
    "21": "9S 7H 5D",
    "6-7-8 all spades": "8S 7S 6S",
    "6-7-8 one suit": "8H 7H 6H",
    "6-7-8": "8S 7H 6D",
    "7-7-7 all spades": "7S 7S 7S",
    "7-7-7 one suit": "7H 7H 7H",
    "7-7-7": "7S 7H 7D",
    "five cards 21": "2S 3H 4D 5C 7H",
    "six cards 21": "2S 2H 3S 3H 4D 7C",
    "seven cards 21": "2S 2H 2D 3S 3H 4D 5C",
    "18": "9S 9H",
    "bust": "9S 8H 7D",
}
NOT_SPLIT = "chips for a split that was none"
ACTS = (
    "stand", "surrender", "double", "double, withdrawn", "split", "split, doubled",
    "split, doubled, withdrawn", "split, surrendered", "even money", "no cards",
    NOT_SPLIT,
)  # fmt: skip
PRESSES = ("nobody", "the player", "another")


def rounds_of(book: str) -> Iterator[RoundKind]:
    return _poker() if book.startswith("three") else _twenty_one(book)


def _twenty_one(book: str) -> Iterator[RoundKind]:
    presses = PRESSES if "pandemonium" in book else PRESSES[:1]
    shared = ("alone", "standing player follows", "standing player does not")
    for hand, dealer, act, company, press in product(HANDS, DEALERS, ACTS, shared, presses):
        cards = HANDS[hand].split()
        if act.startswith("split") and cards[0][0] != cards[1][0]:
            continue
        if act == "even money" and hand != "natural":
            continue
        if act in {"no cards", NOT_SPLIT} and hand != "19":
            continue
        if act in {"stand", "no cards", NOT_SPLIT} and company != "alone":
            continue
        if press != "nobody" and hand != "natural":
            continue
        play = [*_chips(book, company), "close", *_hand(cards, dealer, act, company, press)]
        name = f"{hand} against {dealer}, {act}, {company}, pressed by {press}"
        yield RoundKind(name, play, _gap(dealer, act, hand, press), "log ends" not in dealer)
    yield from _second_hands(book)


def _second_hands(book: str) -> Iterator[RoundKind]:
    """A split whose first hand stands or busts, and whose second is of each kind."""
    for hand, dealer, first in product(SPLIT_HANDS, DEALERS, ("stands", "busts")):
        begins, *drawn = SPLIT_HANDS[hand].split()
        up, *more = DEALERS[dealer].split()
        play = [*_chips(book, "alone"), "close", f"deal 1:{begins[0]}C 0:{up} 1:{begins}"]
        play += ["split 1 P1 -> 2", "bet 1.2 P1 split 20.00", "deal 1:6C"]
        if first == "busts":
            play += _draws("1", ["KC", "9D"])
        play += ["stand 1 P1", *[f"deal 1.2:{card}" for card in drawn[:1]]]
        play += [*_draws("1.2", drawn[1:]), "stand 1.2 P1", *_dealer(more)]
        name = f"split, first hand {first}, second {hand} against {dealer}"
        yield RoundKind(name, play, _gap(dealer, "split", hand, ""), "log ends" not in dealer)


def _gap(dealer: str, act: str, hand: str, press: str) -> str:
    if "log ends" in dealer:
        return "the log ends before the dealer's second card"
    if dealer.startswith("one"):
        return "the dealer drew no second card"
    if hand == "natural" and press == "nobody":
        return "a Pontoon and nobody pressed the button"
    return f"{hand} against {dealer}, {act}"


def _chips(book: str, company: str) -> list[str]:
    from replay.registry import rulebook

    found = rulebook(book)
    bets = ("initial",) if found is None else found.opening_bets
    play = [f"bet 1 P1 {bet} 20.00" for bet in bets]
    if company != "alone":
        play += [f"bet 1 P2 {bet} 20.00 standing" for bet in bets]
    return play


def _hand(cards: list[str], dealer: str, act: str, company: str, press: str) -> list[str]:
    first, second, *drawn = cards
    up, *more = DEALERS[dealer].split()
    if act == "no cards":
        return ["bet 2 P3 initial 20.00", f"deal 2:9C 0:{up} 2:9S", "stand 2 P3", *_dealer(more)]
    play = [f"deal 1:{first} 0:{up} 1:{second}"]
    if press != "nobody":
        play.append(f"button 1 {'P1' if press == 'the player' else 'P7'} 5")
    if up[0] == "A":
        play.append("bet 1 P1 insurance 10.00")
    play += _acted(drawn, act, ["P1"] + ["P2"] * (company == "standing player follows"))
    return [*play, *_dealer(more)]


def _dealer(cards: list[str]) -> list[str]:
    return [f"deal 0:{card}" for card in cards]


def _draws(hand: str, drawn: list[str]) -> list[str]:
    return [step for card in drawn for step in (f"hit {hand} P1", f"deal {hand}:{card}")]


def _acted(drawn: list[str], act: str, players: list[str]) -> list[str]:
    if act == "stand":
        return [*_draws("1", drawn), "stand 1 P1"]
    if act == "surrender":
        return ["surrender 1 P1"]
    if act == "even money":
        return ["even_money 1 P1"]
    if act.startswith("double"):
        return _doubled("1", drawn[:1] or ["4C"], players, withdrawn="withdrawn" in act)
    play = [] if act == NOT_SPLIT else ["split 1 P1 -> 2"]
    play += [f"bet 1.2 {player} split 20.00" for player in players]
    if act == NOT_SPLIT:
        return [*play, "stand 1 P1"]
    if act == "split":
        return [
            *play,
            "deal 1:3D",
            *_draws("1", drawn),
            "stand 1 P1",
            "deal 1.2:KD",
            "stand 1.2 P1",
        ]
    if act == "split, surrendered":
        return [*play, "deal 1:3D", "surrender 1 P1", "deal 1.2:KD", "surrender 1.2 P1"]
    withdrawn = "withdrawn" in act
    one = _doubled("1", drawn[:1] or ["5C"], players, withdrawn=withdrawn)
    two = _doubled("1.2", drawn[1:2] or ["8C"], players, withdrawn=withdrawn)
    return [*play, "deal 1:3D", *one, "deal 1.2:4D", *two]


def _doubled(hand: str, drawn: list[str], players: list[str], *, withdrawn: bool) -> list[str]:
    play = [f"double {hand} P1"]
    play += [f"bet {hand} {player} double 20.00" for player in players]
    play += [f"deal {hand}:{card}" for card in drawn]
    if withdrawn:
        play += [f"withdraw_double {hand} {player}" for player in players]
    return play


RANKED = {
    "queen high": "QS 9H 4S",
    "nine high": "9S 6H 4S",
    "pair": "8S 8H 4S",
    "flush": "2S 9S JS",
    "straight": "5S 6H 7S",
    "three of a kind": "8S 8H 8D",
    "straight flush": "5S 6S 7S",
    "three aces": "AS AH AD",
    "top of spades": "AS KS QS",
    "top of hearts": "AH KH QH",
}
QUALIFYING = {
    "jack high": "JC 9D 3C",
    "queen high": "QC 9D 4C",
    "queen high, lower": "QC 7D 3C",
    "king high": "KC 7D 3C",
    "pair": "TC TD 2C",
    "straight": "5C 6D 7C",
    "straight flush": "8C 9C TC",
    "not dealt whole": "QC 9D",
}
DECISIONS = (
    "play",
    "fold",
    "nothing",
    "left",
    "play bet after a fold",
    "fold after the play bet",
    "no cards",
)


def _poker() -> Iterator[RoundKind]:
    for hand, dealer, decision, meter in product(RANKED, QUALIFYING, DECISIONS, (True, False)):
        mine, his = RANKED[hand].split(), QUALIFYING[dealer].split()
        box = 2 if decision == "no cards" else 1
        play = [f"bet 1 P1 {bet} 20.00" for bet in ("ante", "pair_plus")]
        play += ["bet 1 P1 progressive 5.00"]
        play += ["bet 2 P2 ante 20.00"] if box == 2 else []
        play += ["meter 90000.00"] if meter else []
        play += ["close", "burn 2D"]
        dealt = [f"deal {box}:{card}- 0:{other}-" for card, other in zip(mine, his, strict=False)]
        dealt += [f"deal {box}:{card}-" for card in mine[len(his) :]]
        play += [*dealt, f"examine {box} P{box}", *_decided(decision, box)]
        play += ["reveal 0", f"reveal {box}"]
        name = f"{hand} against {dealer}, {decision}, {'meter' if meter else 'no meter'}"
        gap = "the dealer's hand is not whole" if "whole" in dealer else f"{hand}, {decision}"
        yield RoundKind(name, play, gap if meter else f"{gap}, no meter")


def _decided(decision: str, box: int) -> list[str]:
    went_on = [f"play {box} P{box}", f"bet {box} P{box} play 20.00"]
    return {
        "play": went_on,
        "no cards": [*went_on, "bet 1 P1 play 20.00"],
        "fold": [f"fold {box} P{box}"],
        "nothing": [],
        "left": [f"note player_left box {box} player P{box}"],
        "fold after the play bet": [*went_on, f"fold {box} P{box}"],
        "play bet after a fold": [f"fold {box} P{box}", f"bet {box} P{box} play 20.00"],
    }[decision]
