"""The order of the deal (3.10, 3.11). What nobody noted is a finding and changes no money."""

from __future__ import annotations

from collections import Counter

from replay.facts import NEVER, Card
from replay.rulebooks.three_card_poker_rws_v3 import misdeal
from replay.rulebooks.three_card_poker_rws_v3.table import DEALER, Table


def check(table: Table, *, complete: bool) -> None:
    """Burnt cards, and the first card in the deal that is out of order."""
    clause = "3.11" if table.round.dealt_from == "shuffler" else "3.10"
    if misdeal.dealt_with(table):  # noted, moved or discarded: judged there
        _wrong_counts(table, clause, complete=complete)
        return
    _check_burns(table, clause)
    given = _given(table)
    expected = _expected(table, given)
    if given == expected or (not complete and given == expected[: len(given)]):
        return
    if not given and set(expected) == {DEALER}:  # without a bet nobody is dealt to
        return
    if not _wrong_counts(table, clause, complete=complete):
        _out_of_order(table, clause, given, expected)


def _wrong_counts(table: Table, clause: str, *, complete: bool) -> bool:
    """Hands that are not of three cards, where nobody noticed it; whether there are any."""
    counts = misdeal.unnoticed_counts(table) if complete else []
    for box in counts:
        hand = table.hands[box]
        says = f"expected 3 cards, found {len(hand)}"
        _say(table, (clause, "5.15" if box else "5.8.7"), hand[-1].at, box, says)
    return bool(counts)


def out_of_order(table: Table) -> bool:
    """Whether the cards that were dealt so far went elsewhere than they had to."""
    given = _given(table)
    return given != _expected(table, given)[: len(given)]


def _given(table: Table) -> list[int]:
    """Where the cards went, without hands that stop short because they were off by then."""
    return [card.dealt_box for card in _dealt(table)]


def _dealt(table: Table) -> list[Card]:
    if not table.gone:
        return table.round.cards
    short = _stopped_short(table)
    return [card for card in table.round.cards if card.dealt_box not in short]


def _stopped_short(table: Table) -> set[int]:
    if not table.gone:
        return set()
    cards = Counter(card.dealt_box for card in table.round.cards)
    return {box for box, _ in table.gone if cards[box] < misdeal.HAND}


def _expected(table: Table, given: list[int]) -> list[int]:
    """The places of a whole deal, one card at a time or in the shuffler's sets of three."""
    taking_part = {
        key[0]
        for key, stake in table.stakes.items()
        if key[3] in {"ante", "pair_plus"} and stake.basis
    }
    taking_part -= _stopped_short(table)
    ring = [*sorted(taking_part | (table.owner.keys() & set(given))), DEALER]
    if table.round.dealt_from == "shuffler":
        return [box for box in ring for _ in range(3)]
    return ring * 3


def _check_burns(table: Table, clause: str) -> None:
    """One card is burnt, before the first one is dealt; whether it is missing is judged in 5.9."""
    burnt, cards = table.round.burnt, table.round.cards
    begins = cards[0].at if cards else NEVER
    late = [card for card in burnt if card.at > begins]
    if late:
        _say(table, (clause,), late[0].at, None, "a card was burnt after the deal had begun")
    elif len(burnt) > 1:
        _say(table, (clause,), burnt[1].at, None, "two cards were burnt")


def _out_of_order(table: Table, clause: str, given: list[int], expected: list[int]) -> None:
    pairs = enumerate(zip(given, expected, strict=False))
    place = next((i for i, (found, want) in pairs if found != want), min(len(given), len(expected)))
    wanted = _place(expected[place]) if place < len(expected) else "no further card"
    found = _place(given[place]) if place < len(given) else "nothing"
    cards = _dealt(table)
    card = cards[min(place, len(cards) - 1)] if cards else None
    says = f"card {place + 1} of the deal: expected {wanted}, found {found}"
    at, box = (None, None) if card is None else (card.at, card.dealt_box)
    _say(table, (clause,), at, box, says)


def _place(box: int) -> str:
    return "the dealer" if box == DEALER else f"box {box}"


def _say(
    table: Table, clauses: tuple[str, ...], at: int | None, box: int | None, says: str
) -> None:
    hand = None if box is None else min(box, 1)
    table.findings.add("deal_order", clauses, says, at=at, box=box, hand=hand)
