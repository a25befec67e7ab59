"""The order of the deal (3.10, 3.11). What nobody noted is a finding and changes no money."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from replay.episodes import Episode
from replay.facts import NEVER, Card
from replay.rulebooks.three_card_poker_rws_v3.irregular import misdeal
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import (
    MISDEALT,
    NO_BURN,
    WRONG_COUNT,
    said_about,
)
from replay.rulebooks.three_card_poker_rws_v3.play.order import ring as ring_of
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER, HAND, PokerTable


def check(table: PokerTable, *, complete: bool) -> None:
    """Burnt cards, and the first card in the deal that is out of order."""
    clause = "3.11" if table.round.dealt_from == "shuffler" else "3.10"
    _check_burns(table, clause)
    given = _given(table)
    expected = _expected(table, given)
    in_order = given == expected or (not complete and given == expected[: len(given)])
    if in_order and not table.episodes:
        return
    if _wrong_counts(table, clause, complete=complete):
        return
    errors = _errors(table)
    miscounted = _miscounted(errors) if complete else None
    if errors and (miscounted is None or _by_counts(given, expected, miscounted)):
        _check_the_rest(table, clause, _excused_until(table, errors))
    elif not in_order and (given or set(expected) != {DEALER}):  # without a bet nobody is dealt to
        _out_of_order(table, clause, given, expected)


def _errors(table: PokerTable) -> list[Episode]:
    """The errors that were noticed, and not put right: they speak for the order of the deal."""
    return [
        episode
        for episode in table.episodes
        if episode.kinds & misdeal.OUT_OF_ORDER
        and said_about(episode)
        and episode.put_right_at == NEVER
    ]


def _excused_until(table: PokerTable, errors: list[Episode]) -> int:
    """Up to when they do."""
    until = 0
    for episode in errors:
        cards = [card.at for card in table.round.cards if card.draw in episode.cards]
        until = max(until, episode.noted_until + 1, *cards, 0)
    return until


def _miscounted(errors: list[Episode]) -> list[int] | None:
    """The places with a wrong number of cards, where nothing else was noticed."""
    if any(e.box is None or e.kinds != {WRONG_COUNT} for e in errors):
        return None
    return sorted({e.box for e in errors if e.box is not None})


def _by_counts(given: list[int], expected: list[int], boxes: list[int]) -> bool:
    """Whether wrong numbers of cards on these places alone make the order what it is."""
    if not boxes:
        return given == expected
    box, *rest = boxes
    surplus = given.count(box) - expected.count(box)
    if surplus == 0:
        return True  # a card came or went since: no longer the order of one deal
    longer = given if surplus > 0 else expected
    for gone in combinations([n for n, b in enumerate(longer) if b == box], abs(surplus)):
        kept = [b for n, b in enumerate(longer) if n not in gone]
        if _by_counts(*((kept, expected) if surplus > 0 else (given, kept)), rest):
            return True
    return False


def _check_the_rest(table: PokerTable, clause: str, since: int) -> None:
    """The cards after such an error: each goes to the next place that still waits for one."""
    short = _stopped_short(table)
    ring = [box for box in ring_of(table) if box not in short]
    there: Counter[int] = Counter()
    last: int | None = None
    for card, box in zip(_dealt(table), _given(table), strict=True):
        missed = None if last is None else _passed_over(ring, there, last, box)
        if missed is not None and table.round.dealt_from != "shuffler":
            says = f"after {_place(last or DEALER)}: expected {_place(missed)}, found {_place(box)}"
            _say(table, (clause,), card.at, box, says)
            return
        there[box] += 1
        last = box if card.at >= since and box in ring else None


def _passed_over(ring: list[int], there: Counter[int], last: int, box: int) -> int | None:
    """A place between two cards that has no more cards than the one that was dealt to."""
    if box not in ring:
        return None
    at = ring.index(last) + 1
    for place in ring[at:] + ring[:at]:
        if place == box:
            return None
        if there[place] <= there[box]:
            return place
    return None


def _wrong_counts(table: PokerTable, clause: str, *, complete: bool) -> bool:
    """Hands that are not of three cards, where nobody noticed it; whether there are any. Where play
    did not go on to the end, a hand with fewer had its cards still to come."""
    counts = misdeal.unnoticed_counts(table) if table.round.closed else []
    if not complete:
        dealt = Counter(card.dealt_box for card in table.round.cards)
        counts = [box for box in counts if min(dealt[box], len(table.hands[box])) > HAND]
    for box in counts:
        hand = table.hands[box]
        says = f"expected 3 cards, found {len(hand)}"
        _say(table, (clause, "5.15" if box else "5.8.7"), hand[-1].at, box, says)
    return bool(counts)


def _given(table: PokerTable) -> list[int]:
    """Where the cards went, without hands that stop short because they were off by then."""
    places = table.lies() if table.rearranged else {}
    return [places.get(card.draw, card.dealt_box) for card in _dealt(table)]


def _dealt(table: PokerTable) -> list[Card]:
    if not table.gone:
        return table.sequence
    short = _stopped_short(table)
    return [card for card in table.sequence if card.dealt_box not in short]


def _stopped_short(table: PokerTable) -> set[int]:
    if not table.gone:
        return set()
    cards = Counter(card.dealt_box for card in table.round.cards)
    return {box for box, _ in table.gone if cards[box] < HAND}


def _expected(table: PokerTable, given: list[int]) -> list[int]:
    """The places of a whole deal, one card at a time or in the shuffler's sets of three."""
    short = _stopped_short(table)
    ring = [box for box in ring_of(table) if box not in short or box in given]
    if table.round.dealt_from == "shuffler":
        return [box for box in ring for _ in range(HAND)]
    return ring * HAND


def _check_burns(table: PokerTable, clause: str) -> None:
    """One card is burnt, before the first one is dealt; whether it is missing is judged in 5.9."""
    cards, burnt = table.round.cards, table.round.burnt
    if burnt and _noted_after(table, burnt[-1].at):
        return  # whoever noted an error of the deal as a whole has noticed that too
    begins = cards[0].at if cards else NEVER
    late = [card for card in burnt if card.at > begins]
    missed = any(NO_BURN in e.kinds and e.noted for e in table.episodes)
    if late and not missed:  # else it is judged as a missing burn
        _say(table, (clause,), late[0].at, None, "a card was burnt after the deal had begun")
    elif len(burnt) > 1 and not late:
        _say(table, (clause,), burnt[1].at, None, "two cards were burnt")


def _noted_after(table: PokerTable, at: int) -> bool:
    """Whether an error of the deal without a place was noted after a moment, and stays."""
    return any(
        note.box is None and note.at > at and note.kind in MISDEALT
        for episode in _errors(table)
        for note in episode.notes
    )


def _out_of_order(table: PokerTable, clause: str, given: list[int], expected: list[int]) -> None:
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
    table: PokerTable, clauses: tuple[str, ...], at: int | None, box: int | None, says: str
) -> None:
    hand = None if box is None else min(box, 1)
    table.findings.add("deal_order", clauses, says, at=at, box=box, hand=hand)
