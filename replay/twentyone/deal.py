"""The order of the deal. A wrong order that nobody noted is a finding and changes no money."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import NamedTuple

from replay.answer import Key
from replay.cards import value
from replay.episodes import Episode
from replay.facts import NEVER, Card, Round
from replay.findings import Findings, box_name
from replay.twentyone.hands import Hand
from replay.twentyone.table import TwentyOneTable

ERRORS = frozenset("dealing_error simultaneous_cards cards_to_empty_box wrong_card_count".split())
"""Notes that something went wrong in the deal. A card face up in the shoe is used like any other,
and an interruption deals no card."""

PLAYING = frozenset({"hit", "stand", "split", "double"})


class DealOrder(NamedTuple):
    """A rulebook's paragraphs on the order of the deal."""

    initial: str  # round the table from the dealer's left, himself last, once; then again
    dealer: str  # he draws after all players have decided
    hit: str  # a card is dealt to a player who asked for it
    split: str | None  # the second split hand waits for the first; None where the text is silent
    walked_away: str | None  # the house draws for a player who left, up to 12
    minimum: str | None  # a hand under 12 must draw; None where the text has no such demand


def check(
    order: DealOrder,
    table: TwentyOneTable,
    left: Mapping[int, int],
    findings: Findings,
    perhaps_left: Mapping[int, int],
) -> None:
    """The first thing in the deal that is out of order, and hands that were left as they may not.

    `left`: boxes whose player is gone; `perhaps_left`: where the house may draw in one reading.
    """
    round_ = table.round
    judged = _judged(table)
    for_house = _Drawn(order.walked_away, table, left, perhaps_left)
    _order(order, table, for_house, judged, findings)
    played_on = table.concluded and not round_.voids and not _stopped(round_)
    if played_on or _dealers_turn(table, judged):
        _left_open(order, table, left, judged, findings)


def _dealers_turn(table: TwentyOneTable, judged: _Judged) -> bool:
    """Whether play stopped when the dealer was drawing: the players' hands were left before it."""
    second = table.dealer_second_at
    if second == NEVER or judged.there(second):
        return False
    return not any(made.at > second for made in table.round.decisions) and not table.dealt_wrongly


class _Judged(NamedTuple):
    """What was judged where an error was noted or put right: the cards from it up to there.

    Neither a card before it nor a later one, nor a hand that was left too low, has to do with it.
    """

    spans: tuple[tuple[int, int], ...] = ()  # from the first card in question to the last word

    def there(self, at: int) -> bool:
        return any(begins <= at < ends for begins, ends in self.spans)

    def after(self, at: int) -> bool:
        """Whether an error was judged later than that."""
        return any(at < ends for _, ends in self.spans)


_NOTHING_JUDGED = _Judged()


def _judged(table: TwentyOneTable) -> _Judged:
    round_ = table.round
    if not round_.irregular:
        return _NOTHING_JUDGED
    spans = []
    for episode in table.known_episodes().all:
        said = [note.at for note in episode.notes] + [step.at for step in episode.moves]
        if said and episode.kinds & ERRORS:
            spans.append((_begins(table, episode), max(said)))
    declared = table.game.section5.dealt_wrongly
    spans += [(-1, void.at) for void in round_.voids if void.clause == declared]
    return _Judged(tuple(spans))


def _begins(table: TwentyOneTable, episode: Episode) -> int:
    """The first card in question. In the initial deal one card out of turn shifts all others."""
    cards = table.round.cards
    first = min((card.at for card in cards if card.draw in episode.cards), default=-1)
    size = 2 * sum(bool(box.initials) for box in table.boxes.values()) + 1
    return -1 if any(card.at == first for card in cards[:size]) else first


def _stopped(round_: Round) -> bool:
    """Whether play ended with a technical interruption."""
    cut = [note.at for note in round_.notes if note.kind == "technical_interruption"]
    return bool(cut) and not any(step.at > cut[-1] for step in round_.steps)


class _Drawn(NamedTuple):
    """Cards that nobody asked for because the house drew them for a player who left."""

    clause: str | None
    table: TwentyOneTable
    left: Mapping[int, int]
    perhaps_left: Mapping[int, int]

    def by_the_house(self, card: Card) -> bool:
        if self.clause is None:
            return False
        if self.left.get(card.box, NEVER) < card.at:
            return True
        hand = self.table.hand_at(card.box, card.hand)
        if hand is None or self.perhaps_left.get(card.box, NEVER) >= card.at:
            return False
        total, _ = value([c.face for c in hand.cards if c.at < card.at])
        return total < 12  # in one reading the house draws, and stops there


def _order(
    order: DealOrder,
    table: TwentyOneTable,
    drawn: _Drawn,
    judged: _Judged,
    findings: Findings,
) -> None:
    if not _initial(order, table, judged, findings):
        return
    second_at = table.dealer_second_at
    if second_at < NEVER and not judged.there(second_at) and not table.replaced():
        if any(d.at > second_at and d.decision in PLAYING for d in table.round.decisions):
            second = next(card for card in table.round.cards if card.at == second_at)
            _say(findings, order.dealer, second, "dealt before all players had decided")
            return
        for card in table.dealt_wrongly:
            _say(findings, order.dealer, card, "dealt after the dealer's second card")
            return
    for card in table.unasked:
        if not judged.there(card.at) and not drawn.by_the_house(card):
            _say(findings, order.hit, card, "dealt to a hand that had not asked for it")
            return
    if order.split is not None:
        _split(order.split, table, judged, findings)


def _left_open(
    order: DealOrder,
    table: TwentyOneTable,
    left: Mapping[int, int],
    judged: _Judged,
    findings: Findings,
) -> None:
    """A card that was asked for and never came, or a hand under 12 that was left as it was."""
    split_bets = [key for key in table.round.bets if key[3] == "split"]
    for hand in table.player_hands():
        box = table.boxes[hand.box]
        if not hand.cards or not _played(table, hand, split_bets) or table.given_up(box, hand):
            continue
        last = hand.cards[-1].at
        total, _ = value(hand.faces)
        if hand.pending > hand.early and total < 21:
            if judged.after(_asked_at(table, hand)):
                continue  # its card went astray there
            clause = (order.split or order.hit) if hand.split else order.hit
            says = "a card that was asked for never came"
            findings.add("deal_order", (clause,), says, at=last, box=hand.box, hand=hand.no)
        elif (
            order.minimum is not None
            and total < 12
            and len(hand.cards) > 1
            and hand.doubled_at == hand.stood_at == NEVER
            and hand.box not in left
        ):
            says = f"the hand was left at {total}; under 12 it must draw"
            cited = (order.minimum,)
            findings.add("illegal_decision", cited, says, at=last, box=hand.box, hand=hand.no)


def _played(table: TwentyOneTable, hand: Hand, split_bets: list[Key]) -> bool:
    """Whether somebody's bet still lies on the hand."""
    if split_bets:
        on_it = [key for key in split_bets if key[0] == hand.box and key[1] == hand.no]
        if on_it:
            return any((hand.box, key[2]) not in table.taken_back for key in on_it)
    return table.plays(table.boxes[hand.box])


def _asked_at(table: TwentyOneTable, hand: Hand) -> int:
    """When a card was last asked for on the hand, or the hand was made by a split."""
    return max(
        (
            made.at
            for made in table.round.decisions
            if made.box == hand.box
            and made.decision in {"hit", "double", "split"}
            and hand.no in {made.hand, table.splits.get(made.at)}
        ),
        default=-1,
    )


def _say(findings: Findings, clause: str, card: Card, what: str) -> None:
    findings.add(
        "deal_order",
        (clause,),
        f"card {card.draw} ({card.face}) was {what}",
        at=card.at,
        box=card.dealt_box,
        hand=card.dealt_hand,
    )


def _initial(order: DealOrder, table: TwentyOneTable, judged: _Judged, findings: Findings) -> bool:
    """Each box with a bet in turn, then the dealer; then the boxes again; only then the rest."""
    given = [card.box for card in table.initial]
    expected = _slots(table, given)
    stopped = not table.concluded or _stopped(table.round)
    if given == expected or (stopped and given == expected[: len(given)]):
        return _complete_first(order, table, judged, findings)
    pairs = enumerate(zip_longest(table.initial, expected))
    place, card, wanted = next(
        (n, card, box) for n, (card, box) in pairs if card is None or card.box != box
    )
    shown = card or (table.initial[-1] if table.initial else None)
    if shown is not None and judged.there(shown.at):
        return True
    found = None if card is None else card.box
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


def _slots(table: TwentyOneTable, given: list[int]) -> list[int]:
    """Whose turn it is in the initial deal; a box that was taken back meanwhile is passed over."""
    playing = {no for no, box in table.boxes.items() if table.plays(box)}
    boxes = sorted(playing.union(table.boxes.keys() & given))
    every = [*boxes, 0, *boxes] if boxes else []  # without a bet nobody is dealt to
    if not table.taken_back:
        return every
    out: list[int] = []
    for no in every:
        at = table.initial[len(out)].at if len(out) < len(given) else NEVER
        if no == 0 or given[len(out) : len(out) + 1] == [no] or table.plays(table.boxes[no], at):
            out.append(no)
    return out


def _complete_first(
    order: DealOrder, table: TwentyOneTable, judged: _Judged, findings: Findings
) -> bool:
    """No further card comes before the initial deal is complete."""
    began = table.extra_at
    if not table.initial or judged.there(began) or began >= table.initial[-1].at:
        return True
    card = next(card for card in table.round.cards if card.at == began)
    _say(findings, order.initial, card, "dealt before the initial deal was complete")
    return False


def _split(clause: str, table: TwentyOneTable, judged: _Judged, findings: Findings) -> None:
    """With two hands, the second gets its cards after the first is decided."""
    for box in table.boxes.values():
        if len(box.hands) != 2:
            continue  # after a second split the hands may be finished in either order
        first, second = box.hands[min(box.hands)], box.hands[max(box.hands)]
        if len(second.cards) < 2:
            continue
        begun = second.cards[1]
        if not judged.there(begun.at) and _open_at(first, table, judged, begun.at):
            _say(findings, clause, begun, "dealt before the first hand was decided")
            return


def _open_at(hand: Hand, table: TwentyOneTable, judged: _Judged, at: int) -> bool:
    """Whether a hand still waited for a card or a decision at that moment. A card that it had not
    asked for, and that was judged as an error, is none that it waited for."""
    own = [c for c in hand.cards if c not in table.unasked or not judged.there(c.at)]
    if len(own) < 2 or own[-1].at > at:
        return True
    return not hand.aces and hand.stood_at != NEVER and hand.stood_at > at
