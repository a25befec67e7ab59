"""How a hand counts at the end, and the dealer's. Each rulebook names the functions it uses."""

from __future__ import annotations

from collections.abc import Callable

from replay.cards import first_21, value
from replay.facts import Card
from replay.readings import Readings
from replay.twentyone.hands import Hand, View

MustDraw = Callable[[int, bool], bool]


def draws_to_hard_16_or_soft_17(total: int, soft: bool) -> bool:
    """The Pontoon dealer."""
    return total < 17 or (total == 17 and soft)


def draws_to_16(total: int, soft: bool) -> bool:
    """The Blackjack dealer: he stands on every 17."""
    return total < 17


def _counting(hand: Hand, readings: Readings) -> list[Card]:
    """The cards of a hand; those that came when it had stood are nothing in one reading."""
    if hand.strays and readings.other("stray-card-on-a-hand-that-stood"):
        return [card for card in hand.cards if card not in hand.strays]
    return hand.cards


def pontoon_view(hand: Hand, doubled: bool, readings: Readings) -> View:
    """A hand where 21 is paid at once: what is drawn on it is nothing. Low aces when doubled."""
    faces = [card.face for card in _counting(hand, readings)]
    low = 2 if doubled else 0
    count = first_21(faces, low) or len(faces)
    if count < len(faces) and not readings.other("drawing-on-21"):
        faces = faces[:count]
    total, soft = value(faces, low)
    natural = total == 21 and len(faces) == 2 and not hand.split
    return View(tuple(faces), total, soft, natural)


def blackjack_view(hand: Hand, doubled: bool, readings: Readings) -> View:
    """A hand where every card counts and a doubled hand's aces count as any other's.

    The first two cards alone make a Blackjack: what comes after them is nothing.
    """
    faces = [card.face for card in _counting(hand, readings)]
    if len(faces) > 2 and not hand.split and value(faces[:2])[0] == 21:
        faces = faces[:2]
    total, soft = value(faces)
    natural = len(faces) == 2 and total == 21 and not hand.split
    return View(tuple(faces), total, soft, natural)


class Dealer:
    """The dealer's hand as it counts."""

    __slots__ = ("bust", "complete", "faces", "final", "first", "natural", "overdrawn", "total")

    def __init__(
        self,
        faces: tuple[str, ...],
        total: int,
        natural: bool,
        complete: bool,
        final: bool,
        overdrawn: Card | None,
    ) -> None:
        self.faces = faces
        self.total = total
        self.natural = natural
        self.bust = total > 21
        self.first = faces[0] if faces else ""  # his first card
        self.complete = complete  # he may draw no more
        self.final = final  # nothing can change any more: he is complete, or the round was closed
        self.overdrawn = overdrawn  # the first card that he drew past his stand


def dealer_view(
    cards: list[Card], must_draw: MustDraw, *, closed: bool, cut: Callable[[], bool]
) -> Dealer:
    """What counts of the dealer's cards; `cut` is asked only where he drew past his stand."""
    faces = [card.face for card in cards]
    over = None
    complete = False
    for count, _ in enumerate(faces[1:], 2):
        total, soft = value(faces[:count])
        if not must_draw(total, soft):
            complete = True
            if count < len(faces):
                over = cards[count]
                if cut():
                    faces = faces[:count]
            break
    total, _ = value(faces)
    return Dealer(
        tuple(faces),
        total,
        len(faces) >= 2 and value(faces[:2])[0] == 21,
        complete,
        complete or closed,
        over,
    )
