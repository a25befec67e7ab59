"""The order of the deal (3.10, 3.11). What nobody noted is a finding and changes no money."""

from __future__ import annotations

from replay.facts import Card
from replay.rulebooks.three_card_poker_rws_v3.misdeal import wrong_counts
from replay.rulebooks.three_card_poker_rws_v3.table import Table

JUDGED_THERE = frozenset(
    "dealing_error simultaneous_cards cards_to_empty_box wrong_card_count missing_burn".split()
)


def check(table: Table) -> None:
    """The first thing in the deal that is out of order."""
    round_ = table.round
    given = [card.dealt_box for card in round_.cards]
    taking_part = {key[0] for key in table.stakes if key[3] in {"ante", "pair_plus"}}
    boxes = sorted(taking_part | (table.owner.keys() & set(given)))
    shuffler = round_.dealt_from == "shuffler"
    ring = [*boxes, 0]
    expected = [box for box in ring for _ in range(3)] if shuffler else ring * 3
    burnt = round_.burnt
    late_burn = bool(burnt and round_.cards and burnt[0].at > round_.cards[0].at)
    if given == expected and len(burnt) <= 1 and not late_burn:
        return
    if table.rearranged or any(note.kind in JUDGED_THERE for note in round_.notes):
        return  # noted, moved or discarded: judged there
    clause = "3.11" if shuffler else "3.10"
    if late_burn or len(burnt) > 1:
        says = "a card was burnt after the deal had begun" if late_burn else "two cards were burnt"
        _say(table, (clause,), burnt[-1].at, None, says)
    if given == expected or (not round_.closed and given == expected[: len(given)]):
        return
    if not boxes and not given:  # without a bet nobody is dealt to
        return
    counts = wrong_counts(table)
    for box in counts:
        hand = table.hands[box]
        says = f"expected 3 cards, found {len(hand)}"
        _say(table, (clause, "5.15" if box else "5.8.7"), hand[-1].at, box, says)
    if not counts:
        _out_of_order(table, clause, given, expected)


def _out_of_order(table: Table, clause: str, given: list[int], expected: list[int]) -> None:
    pairs = enumerate(zip(given, expected, strict=False))
    place = next((i for i, (found, want) in pairs if found != want), min(len(given), len(expected)))
    wanted = _place(expected[place]) if place < len(expected) else "no further card"
    found = _place(given[place]) if place < len(given) else "nothing"
    cards: list[Card] = table.round.cards
    card = cards[min(place, len(cards) - 1)] if cards else None
    says = f"card {place + 1} of the deal: expected {wanted}, found {found}"
    at, box = (None, None) if card is None else (card.at, card.dealt_box)
    _say(table, (clause,), at, box, says)


def _place(box: int) -> str:
    return "the dealer" if box == 0 else f"box {box}"


def _say(
    table: Table, clauses: tuple[str, ...], at: int | None, box: int | None, says: str
) -> None:
    hand = None if box is None else min(box, 1)
    table.findings.add("deal_order", clauses, says, at=at, box=box, hand=hand)
