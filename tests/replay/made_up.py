"""Rounds made up by Hypothesis: legal ones that a simple table plays, and wild ones.

A wild round is any order of well-formed events: the replay must answer it without a crash and
without a guess, whatever it says.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from events.jsonl import from_flat
from events.model import Envelope
from replay.registry import rulebooks

BETS_OF = {book.id: book.opening_bets for book in rulebooks()}
TWENTY_ONE = [book for book in BETS_OF if not book.startswith("three")]
RANKS_48, RANKS_52 = "A23456789JQK", "A23456789TJQK"
POINTS = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}


def points(card: str) -> int:
    return POINTS.get(card[0]) or int(card[0])


def best(cards: list[str], low: int = 0) -> int:
    total = sum(points(card) for card in cards)
    high = any(card[0] == "A" for card in cards[low:])
    return total + 10 if high and total <= 11 else total


class LegalTable:
    """Plays one round of a game to 21 by the book, with simple random players."""

    def __init__(self, book: str, seed: int) -> None:
        self.book, self.rng = book, random.Random(seed)
        ranks = RANKS_52 if book.startswith("black") else RANKS_48
        self.shoe = [rank + suit for rank in ranks for suit in "SHDC"] * 6
        self.rng.shuffle(self.shoe)
        self.out: list[dict[str, Any]] = []
        self.draw = 0
        self.hands: dict[tuple[int, int], list[str]] = {}

    def add(self, kind: str, /, **own: Any) -> None:
        self.out.append({"type": kind, "round": "R1", **own})

    def deal(self, box: int, hand: int) -> str:
        card = self.shoe.pop()
        self.draw += 1
        self.hands.setdefault((box, hand), []).append(card)
        self.add("CardDealt", draw=self.draw, box=box, hand=hand, card=card, face_up=True)
        return card

    def play(self) -> list[Envelope]:
        rng = self.rng
        limits = {bet: {"min": 100, "max": 10_000_000} for bet in BETS_OF[self.book]}
        self.add("RoundOpened", rulebook=self.book, shoe="S", decks=6, boxes=7, limits=limits)
        boxes = sorted(rng.sample(range(1, 8), rng.randint(1, 4)))
        self.initial = {box: rng.randint(100, 50_000) for box in boxes}
        for box in boxes:
            self._bet(box, 1, f"P{box}", "initial", self.initial[box])
            if rng.random() < 0.4:
                self._bet(box, 1, f"P{box}", "player_pair", rng.randint(100, 5_000))
        self.add("BetsClosed")
        for box in (*boxes, 0, *boxes):
            self.deal(box, 0 if box == 0 else 1)
        for box in boxes:
            self._decide(box, 1)
        while best(self.hands[0, 0]) < 17:
            self.deal(0, 0)
        if best(self.hands[0, 0]) == 17 and not self.book.startswith("black"):
            cards = self.hands[0, 0]
            while best(cards) == 17 and sum(points(c) for c in cards) == 7:
                self.deal(0, 0)
            while best(cards) < 17:
                self.deal(0, 0)
        self.add("RoundClosed")
        return [from_flat(event) for event in self.out]

    def _bet(self, box: int, hand: int, player: str, bet: str, amount: int) -> None:
        self.add(
            "BetPlaced", box=box, hand=hand, player=player, bet=bet, amount=amount, seated=True
        )

    def _choose(self, box: int, hand: int, decision: str, new: int | None = None) -> None:
        self.add(
            "DecisionMade", box=box, hand=hand, player=f"P{box}", decision=decision, new_hand=new
        )

    def _decide(self, box: int, hand: int) -> None:
        cards, rng = self.hands[box, hand], self.rng
        if best(cards) >= 21:
            return
        pair = len(cards) == 2 and points(cards[0]) == points(cards[1]) and cards[0][0] != "A"
        if pair and hand == 1 and (box, 2) not in self.hands and rng.random() < 0.7:
            self._choose(box, 1, "split", 2)
            self._bet(box, 2, f"P{box}", "split", self.initial[box])
            self.hands[box, 2] = [cards.pop()]
            self.deal(box, 1)
            self._decide(box, 1)
            self.deal(box, 2)
            self._decide(box, 2)
            return
        if len(cards) == 2 and rng.random() < 0.2:
            self._choose(box, hand, "double")
            self._bet(box, hand, f"P{box}", "double", self.initial[box])
            self.deal(box, hand)
            return
        while best(cards) < 12 or (best(cards) < 21 and rng.random() < 0.3):
            self._choose(box, hand, "hit")
            self.deal(box, hand)
        if best(cards) < 21:
            self._choose(box, hand, "stand")


legal_rounds = st.builds(
    lambda book, seed: LegalTable(book, seed).play(),
    st.sampled_from(TWENTY_ONE),
    st.integers(0, 2**32),
)


def _wild_event(rng: random.Random, draw: int) -> dict[str, Any]:
    """One well-formed event of a round, any at all."""
    box, hand = rng.randint(1, 4), rng.choice([1, 1, 1, 2, 3])
    player, amount = rng.choice(["P1", "P2", "P3"]), rng.choice([100, 777, 1000, 10_000, 600_000])
    card = rng.choice("A23456789TJQK") + rng.choice("SHDC")
    bet = rng.choice(
        "initial initial player_pair bonus under_13 over_13 pandemonium insurance double split "
        "ante pair_plus play progressive".split()
    )
    place = {"box": box, "hand": hand, "player": player}
    kind = rng.choice(
        "BetPlaced BetPlaced BetPlaced BetWithdrawn BetsClosed CardDealt CardDealt CardDealt "
        "CardDealt DecisionMade DecisionMade CardBurnt CardDiscarded CardsMoved HandExamined "
        "HandRevealed ButtonPressed JackpotRead IrregularityNoted OptionTaken RulingMade "
        "BetSettled SettlementCorrected RoundVoided".split()
    )
    settled = {**place, "bet": bet, "stake": amount, "stake_returned": rng.choice([0, amount])}
    own: dict[str, Any] = {
        "BetPlaced": {**place, "bet": bet, "amount": amount, "seated": rng.random() < 0.5},
        "BetWithdrawn": {**place, "bet": bet, "amount": amount},
        "BetsClosed": {},
        "CardDealt": rng.choice([{"box": box, "hand": hand}, {"box": 0, "hand": 0}])
        | {"draw": draw, "card": card, "face_up": rng.random() < 0.7},
        "DecisionMade": {
            **place,
            "decision": rng.choice(
                "hit stand split double surrender even_money withdraw_double fold play".split()
            ),
            "new_hand": rng.choice([None, 2, 3]),
        },
        "CardBurnt": {"draw": draw, "card": rng.choice([None, card])},
        "CardDiscarded": {"draw": rng.randint(1, 12), "reason": "error"},
        "CardsMoved": {"moves": [{"draw": rng.randint(1, 12), "box": box, "hand": hand}]},
        "HandExamined": {"box": box, "player": player},
        "HandRevealed": {"box": box, "hand": hand},
        "ButtonPressed": {"box": box, "player": player, "multiplier": rng.choice([2, 25, 7])},
        "JackpotRead": {"amount": amount},
        "IrregularityNoted": {
            "kind": rng.choice(
                "foreign_card card_excess not_shuffled technical_interruption dealing_error "
                "simultaneous_cards cards_to_empty_box missing_burn card_exposed "
                "wrong_card_count jackpot_malfunction extra_hand_examined player_left "
                "bet_error".split()
            ),
            "by": "dealer",
            "box": rng.choice([None, 0, box]),
        },
        "OptionTaken": {
            "box": box,
            "player": player,
            "option": rng.choice(["continue", "take_back"]),
        },
        "RulingMade": {
            "by": "pit_manager",
            "clause": "5.9",
            "ruling": rng.choice(["reconstructable", "not_reconstructable", "card_order"]),
        },
        "BetSettled": {**settled, "winnings": amount, "phase": "final"},
        "SettlementCorrected": {**settled, "winnings": 0, "phase": "final", "reason": "x"},
        "RoundVoided": {"by": "pit_manager", "clause": "5.5.1", "reason": "x"},
    }[kind]
    if own.get("box") == 0 and kind == "IrregularityNoted":
        own["hand"] = 0
    return {"type": kind, "round": "R1", **own}


def wild_round(book: str, seed: int, *, closed: bool) -> list[Envelope]:
    rng = random.Random(seed)
    limits = {bet: {"min": 500, "max": 500_000} for bet in BETS_OF[book]}
    opened = {"rulebook": book, "shoe": "S", "boxes": 7, "limits": limits}
    decks = 1 if book.startswith("three") else rng.choice([6, 6, 1])
    out = [{"type": "RoundOpened", "round": "R1", "decks": decks, **opened}]
    out += [_wild_event(rng, draw) for draw in range(1, rng.randint(2, 40))]
    if closed:
        out.append({"type": "RoundClosed", "round": "R1"})
    return [from_flat(event) for event in out]


wild_rounds = st.builds(
    lambda book, seed, closed: wild_round(book, seed, closed=closed),
    st.sampled_from(sorted(BETS_OF)),
    st.integers(0, 2**32),
    st.booleans(),
)
