"""The order of the deal. A wrong order that nobody noted is a finding and changes no money."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import NamedTuple

from replay.cards import value
from replay.facts import NEVER, Card
from replay.findings import Findings, box_name
from replay.twentyone.table import Hand, Table

DEALING_NOTES = frozenset(
    "dealing_error simultaneous_cards cards_to_empty_box card_face_up_in_shoe "
    "technical_interruption wrong_card_count".split()
)


PLAYING = frozenset({"hit", "stand", "split", "double"})


class DealOrder(NamedTuple):
    """A rulebook's paragraphs on the order of the deal."""

    initial: str  # round the table from the dealer's left, himself last, once; then again
    dealer: str  # he draws after all players have decided
    hit: str  # a card is dealt to a player who asked for it
    split: str | None  # the second split hand waits for the first; None where the text is silent
    walked_away: str | None  # the house draws for a player who left, up to 12
    minimum: str | None  # a hand under 12 must draw; None where the text has no such demand


def check(order: DealOrder, table: Table, left: Mapping[int, int], findings: Findings) -> None:
    """The first thing in the deal that is out of order. `left`: boxes whose player is gone."""
    round_ = table.round
    if any(note.kind in DEALING_NOTES for note in round_.notes) or table.by_draw is not None:
        return  # noted, moved or discarded: judged there
    if not _initial(order, table, findings):
        return
    early = next((d for d in round_.decisions if d.at > table.dealer_second_at), None)
    if early is not None and early.decision in PLAYING:
        _say(findings, order.dealer, table.dealer[1], "dealt before all players had decided")
        return
    if table.dealt_wrongly:
        _say(findings, order.dealer, table.dealt_wrongly[0], "dealt after the dealer's second card")
        return
    for card in table.unasked:
        by_the_house = order.walked_away is not None and left.get(card.box, NEVER) < card.at
        if not by_the_house:
            _say(findings, order.hit, card, "dealt to a hand that had not asked for it")
            return
    if order.split is not None:
        _split(order.split, table, findings)
    if round_.closed and not round_.voids:
        _left_open(order, table, left, findings)


def _left_open(order: DealOrder, table: Table, left: Mapping[int, int], findings: Findings) -> None:
    """A card that was asked for and never came, or a hand under 12 that was left as it was."""
    for hand in table.player_hands():
        box = table.boxes[hand.box]
        if not hand.cards or not box.initials or table.given_up(box, hand):
            continue
        last = hand.cards[-1].at
        total, _ = value(hand.faces)
        if hand.pending > hand.early and total < 21:
            clause = (order.split or order.hit) if hand.split else order.hit
            says = "a card that was asked for never came"
            findings.add("deal_order", (clause,), says, at=last, box=hand.box, hand=hand.no)
        elif (
            order.minimum is not None
            and total < 12
            and hand.doubled_at == hand.stood_at == NEVER
            and hand.box not in left
        ):
            says = f"the hand was left at {total}; under 12 it must draw"
            cited = (order.minimum,)
            findings.add("illegal_decision", cited, says, at=last, box=hand.box, hand=hand.no)


def _say(findings: Findings, clause: str, card: Card, what: str) -> None:
    findings.add(
        "deal_order",
        (clause,),
        f"card {card.draw} ({card.face}) was {what}",
        at=card.at,
        box=card.dealt_box,
        hand=card.dealt_hand,
    )


def _initial(order: DealOrder, table: Table, findings: Findings) -> bool:
    """Each box with a bet in turn, then the dealer; then the boxes again."""
    given = [card.dealt_box for card in table.initial]
    bet_on = {no for no, box in table.boxes.items() if box.initials}
    boxes = sorted(bet_on.union(table.boxes.keys() & given))
    expected = [*boxes, 0, *boxes] if boxes else []  # without a bet nobody is dealt to
    if given == expected or (not table.round.closed and given == expected[: len(given)]):
        return True
    pairs = enumerate(zip_longest(table.initial, expected))
    place, card, wanted = next(
        (n, card, box) for n, (card, box) in pairs if card is None or card.dealt_box != box
    )
    shown = card or (table.initial[-1] if table.initial else None)
    found = None if card is None else card.dealt_box
    findings.add(
        "deal_order",
        (order.initial,),
        f"card {place + 1} of the initial deal: expected {box_name(wanted)}, "
        f"found {box_name(found)}",
        at=None if shown is None else shown.at,
        box=None if shown is None else shown.dealt_box,
        hand=None if shown is None else shown.dealt_hand,
    )
    return False


def _split(clause: str, table: Table, findings: Findings) -> None:
    """With two hands, the second gets its cards after the first is decided."""
    for box in table.boxes.values():
        if len(box.hands) != 2:
            continue  # after a second split the hands may be finished in either order
        first, second = box.hands[min(box.hands)], box.hands[max(box.hands)]
        if len(second.cards) < 2:
            continue
        begun = second.cards[1]
        if _open_at(first, begun.at):
            _say(findings, clause, begun, "dealt before the first hand was decided")
            return


def _open_at(hand: Hand, at: int) -> bool:
    """Whether a hand still waited for a card or a decision at that moment."""
    if len(hand.cards) < 2 or hand.cards[-1].at > at:
        return True
    return not hand.aces and hand.stood_at != NEVER and hand.stood_at > at
