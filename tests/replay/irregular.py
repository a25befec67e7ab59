"""Honest rounds with two or three irregularities put into them.

Each irregularity befalls a moment of the round: before the deal, in it, after a look at the first
cards, after an interim payment, in the subsequent deal, at settlement. It comes with or without a
note, a ruling and the players' options. A seed makes the same round every time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from checks.golden.opening import opening
from checks.golden.script import Script
from tests.replay.made_up import LegalTable
from tests.replay.test_three_card_poker_pairs import BOOK as POKER
from tests.replay.test_three_card_poker_pairs import Honest

Flat = dict[str, Any]
MOMENTS = (
    "before the deal", "in the deal", "after a look", "after an interim payment",
    "in the subsequent deal", "at settlement",
)  # fmt: skip
KINDS = (
    "dealing_error", "simultaneous_cards", "card_exposed", "technical_interruption", "missing_burn",
    "bet_error", "player_left", "card_excess",
)  # fmt: skip
RULINGS = ("reconstructable", "not_reconstructable", "card_order")


def honest(book: str, seed: int) -> list[Flat]:
    table = LegalTable(book, seed)
    table.play()
    return table.out


def honest_poker(seed: int) -> list[Flat]:
    script = Script("R1")
    script.add("RoundOpened", **opening(POKER, {}))
    for line in Honest(seed).play():
        script.run(line)
    script.add("RoundClosed")
    return script.out


@dataclass
class Irregular:
    """A round as flat events, and what was done to it."""

    book: str
    seed: int
    events: list[Flat] = field(default_factory=list)
    tried: list[tuple[str, str]] = field(default_factory=list)  # irregularity and moment

    def __post_init__(self) -> None:
        self.events = honest_poker(self.seed) if self.poker else honest(self.book, self.seed)
        self.rng = random.Random(self.seed)

    @property
    def poker(self) -> bool:
        return self.book == POKER

    def boxes(self) -> list[int]:
        return sorted({e["box"] for e in self.events if e["type"] == "BetPlaced"})

    def place(self, moment: str) -> int:
        """Where in the events a moment is; anywhere within it."""
        kinds = [e["type"] for e in self.events]
        close, end = kinds.index("BetsClosed"), len(kinds) - 1
        dealt = [n for n, kind in enumerate(kinds) if kind == "CardDealt"]
        hands = len(self.boxes())
        # of the initial deal: two each and the dealer's one; at 3 Card Poker three each
        last = dealt[3 * hands + 2 if self.poker else 2 * hands]
        return {
            "before the deal": close + 1,
            "in the deal": self.rng.randint(dealt[0] + 1, last),
            "after a look": last + 1,
            "after an interim payment": last + 1,
            "in the subsequent deal": self.rng.randint(min(last + 2, end), end),
            "at settlement": end,
        }[moment]

    def put(self, name: str, moment: str) -> None:
        """One irregularity at a moment; one that cannot happen then is left out."""
        at = self.place(moment)
        steps = IRREGULARITIES[name](self, at)
        if not steps:
            return
        paid = self._interim(at) if moment == "after an interim payment" else []
        self.events[at:at] = paid + steps
        self.tried.append((name, moment))
        self._number()

    def _interim(self, at: int) -> list[Flat]:
        """A bet that the first cards decided is paid on the spot."""
        pairs = [e for e in self.events[:at] if e.get("bet") == "player_pair"]
        if not pairs or any(e["type"] == "BetSettled" for e in self.events):
            return []
        bet = pairs[0]
        cards = [
            e["card"]
            for e in self.events[:at]
            if e["type"] == "CardDealt" and e["box"] == bet["box"]
        ][:2]
        won = len(cards) == 2 and cards[0][0] == cards[1][0]
        amount = bet["amount"]
        return [settled(bet, amount, amount if won else 0, 11 * amount if won else 0, "interim")]

    def _number(self) -> None:
        """Cards are numbered as they came; who names a card goes on naming the same."""
        drawn = [e for e in self.events if e["type"] in {"CardDealt", "CardBurnt"}]
        new = {e["draw"]: number for number, e in enumerate(drawn, start=1)}
        for event in self.events:
            if "draw" in event:
                event["draw"] = new[event["draw"]]
            for move in event.get("moves", ()):
                move["draw"] = new[move["draw"]]

    def dealt(self, at: int) -> list[Flat]:
        return [e for e in self.events[:at] if e["type"] == "CardDealt"]

    def copy(self) -> Irregular:
        return deepcopy(self)


def event(kind: str, /, **own: Any) -> Flat:
    return {"type": kind, "round": "R1", **own}


def settled(bet: Flat, stake: int, back: int, winnings: int, phase: str = "final") -> Flat:
    place = {name: bet[name] for name in ("box", "hand", "player", "bet")}
    money = {"stake": stake, "stake_returned": back, "winnings": winnings}
    return event("BetSettled", **place, **money, phase=phase)


def _silent_discard(round_: Irregular, at: int) -> list[Flat]:
    cards = round_.dealt(at)
    return (
        [event("CardDiscarded", draw=round_.rng.choice(cards)["draw"], reason="x")] if cards else []
    )


def _silent_move(round_: Irregular, at: int) -> list[Flat]:
    cards = round_.dealt(at)
    if not cards:
        return []
    card = round_.rng.choice(cards)
    other = [box for box in (0, *round_.boxes()) if box != card["box"]]
    box = round_.rng.choice(other)
    move = {"draw": card["draw"], "box": box, "hand": 0 if box == 0 else 1}
    return [event("CardsMoved", moves=[move])]


def _stray_card(round_: Irregular, at: int) -> list[Flat]:
    """A card too many, on a hand or on an empty box, which stays."""
    box = round_.rng.choice([*round_.boxes(), 7])
    out = {card["card"] for card in round_.dealt(at)}
    face = next((face for face in ("9H", "8H", "7H", "6H", "5H") if face not in out), "9H")
    card = {"box": box, "hand": 1, "card": face, "face_up": True}
    return [event("CardDealt", draw=10_000 + at, **card)] if round_.dealt(at) else []


def _late_chips(round_: Irregular, at: int) -> list[Flat]:
    """Chips after the close, which stay or are taken back."""
    (refused,) = _refused_chips(round_, at)
    placed = {**refused, "type": "BetPlaced", "seated": True}
    taken = {**refused, "type": "BetWithdrawn"}
    return round_.rng.choice(([placed], [placed, taken]))


def _refused_chips(round_: Irregular, at: int) -> list[Flat]:
    box = round_.rng.choice(round_.boxes())
    bet = "ante" if round_.poker else "initial"
    chips = {"box": box, "hand": 1, "player": f"P{box}", "bet": bet, "amount": 700}
    return [event("BetRefused", **chips)]


def _note(round_: Irregular, at: int) -> list[Flat]:
    own: Flat = {"kind": round_.rng.choice(KINDS), "by": "dealer"}
    if round_.rng.random() < 0.5:
        box = round_.rng.choice(round_.boxes())
        own |= {"box": box, "hand": 1, "player": f"P{box}"}
    return [event("IrregularityNoted", **own)]


def _noted(of: Callable[[Irregular, int], list[Flat]]) -> Callable[[Irregular, int], list[Flat]]:
    """The same with a note before it, perhaps a ruling, perhaps everybody's option."""

    def steps(round_: Irregular, at: int) -> list[Flat]:
        rng, done = round_.rng, of(round_, at)
        if not done:
            return []
        out = [event("IrregularityNoted", kind="dealing_error", by="dealer")]
        if rng.random() < 0.5:
            ruling = rng.choice(RULINGS)
            out.append(event("RulingMade", ruling=ruling, clause="5.9", by="pit_manager"))
        out += done
        if rng.random() < 0.5:
            option = rng.choice(("continue", "take_back"))
            out += [
                event("OptionTaken", box=box, player=f"P{box}", option=option)
                for box in round_.boxes()
            ]
        return out

    return steps


def _ruling(round_: Irregular, at: int) -> list[Flat]:
    ruling = round_.rng.choice(RULINGS)
    return [event("RulingMade", ruling=ruling, clause="5.9", by="pit_manager")]


NEEDS_CARDS = frozenset(
    name + noted
    for name in ("card taken away", "card moved", "stray card")
    for noted in ("", ", noted")
)
"""What cannot happen before the deal."""

SILENT = {"card taken away": _silent_discard, "card moved": _silent_move}
IRREGULARITIES: dict[str, Callable[[Irregular, int], list[Flat]]] = {
    **SILENT,
    "card taken away, noted": _noted(_silent_discard),
    "card moved, noted": _noted(_silent_move),
    "stray card": _stray_card,
    "stray card, noted": _noted(_stray_card),
    "late chips": _late_chips,
    "late chips, refused": _refused_chips,
    "note": _note,
    "ruling": _ruling,
}


def irregular(book: str, seed: int) -> Irregular:
    """An honest round with two or three irregularities."""
    round_ = Irregular(book, seed)
    for _ in range(round_.rng.choice((2, 2, 3))):
        round_.put(round_.rng.choice(sorted(IRREGULARITIES)), round_.rng.choice(MOMENTS))
    return round_
