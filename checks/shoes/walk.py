"""The life of a shoe, over all its rounds: cards that do not add up although no round shows it.

A card seen more often than the decks have it, draws that repeat or skip, a round that says another
number of decks than the shoe was started with, and a count at the end that does not fit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from checks.record.file import record_finding
from checks.record.links import RecordLink, RecordProblem
from events.model import Envelope
from replay.answer import Finding
from replay.cards import DECK_52
from replay.registry import rulebook

KNOWN_COUNT_IS_OFF = frozenset({"card_shortage", "card_excess", "foreign_card"})
"""What, once noted, says that a shoe's count is off: then its count at the end is no news."""

TYPES = frozenset("ShoeStarted ShoeEnded RoundOpened CardDealt CardBurnt IrregularityNoted".split())


def deck_size(rulebook_id: str | None) -> int | None:
    """How many cards a deck of the game has; None where the game is not known."""
    book = rulebook(rulebook_id or "")
    return None if book is None else len(book.deck)


class ShoeStep(NamedTuple):
    """What an event says about a shoe; the rest is None."""

    type: str
    seq: int
    round: str | None
    shoe: str | None = None
    decks: int | None = None
    rulebook: str | None = None
    draw: int | None = None
    card: str | None = None
    cards_left: int | None = None
    kind: str | None = None


_FIELDS = ("shoe", "decks", "rulebook", "draw", "card", "cards_left", "kind")


def shoe_step(e: Envelope, seq: int) -> ShoeStep:
    """What an event says about a shoe."""
    own = [getattr(e.event, name, None) for name in _FIELDS]
    return ShoeStep(e.type, seq, e.round, *own)


@dataclass(slots=True)
class _Life:
    """One shoe from its start, or from where we first see it."""

    name: str
    decks: int | None
    draw: int | None  # the last one; 0 right after the start, None where it is not known
    seq: int  # of the last event that told about it
    size: int | None = None
    round: str | None = None
    foreign: int = 0
    off: bool = False  # its count is known to be off
    seen: Counter[str] = field(default_factory=Counter)
    seen_in_round: Counter[str] = field(default_factory=Counter)
    told: set[str] = field(default_factory=set)

    def copy(self) -> _Life:
        return replace(
            self,
            seen=self.seen.copy(),
            seen_in_round=self.seen_in_round.copy(),
            told=self.told.copy(),
        )


class ShoeWalk:
    """The walk itself, for whoever goes along as events come; `out` is what was found so far.

    gaps: numbers of events before which others are missing, in order.
    """

    def __init__(self, gaps: Sequence[int] = ()) -> None:
        self._gaps = gaps
        self._lives: dict[str, _Life] = {}
        self._of_round: dict[str, _Life] = {}
        self._current: _Life | None = None
        self.out: list[RecordProblem] = []

    def branch(self, gaps: Sequence[int]) -> ShoeWalk:
        """A walk that goes on from here by itself, with other gaps, and has found nothing yet."""
        out = ShoeWalk(gaps)
        known = [*self._lives.values(), *self._of_round.values()]
        known += [] if self._current is None else [self._current]
        own = {id(life): life.copy() for life in known}
        out._lives = {name: own[id(life)] for name, life in self._lives.items()}
        out._of_round = {name: own[id(life)] for name, life in self._of_round.items()}
        out._current = None if self._current is None else own[id(self._current)]
        return out

    def forget(self, rounds: Collection[str]) -> None:
        """Rounds of which no card comes any more."""
        for name in rounds:
            self._of_round.pop(name, None)
        self.out.clear()

    def take(self, step: ShoeStep) -> None:
        if step.type == "ShoeStarted" and step.shoe is not None:
            self._current = self._lives[step.shoe] = _Life(step.shoe, step.decks, 0, step.seq)
        elif step.type == "RoundOpened":
            self._opened(step)
        elif step.type in {"CardDealt", "CardBurnt"}:
            life = self._life_of(step)
            if life is not None and step.draw is not None:
                self._drawn(life, step, step.draw)
        elif step.type == "IrregularityNoted":
            life = self._life_of(step)
            if life is not None and step.kind in KNOWN_COUNT_IS_OFF:
                life.off = True
        elif step.type == "ShoeEnded":
            self._ended(step)

    def _life_of(self, step: ShoeStep) -> _Life | None:
        if step.round is None:
            return self._current
        return self._of_round.get(step.round)

    def _opened(self, step: ShoeStep) -> None:
        if step.shoe is None or step.round is None or step.round in self._of_round:
            return
        life = self._lives.get(step.shoe)
        if life is None:
            life = self._lives[step.shoe] = _Life(step.shoe, step.decks, None, step.seq)
        elif life.decks != step.decks:
            says = f"says {_many(step.decks, 'deck')}, but shoe {life.name} was started with "
            says += f"{life.decks}"
            self._add(step, step.round, says)
        life.size = deck_size(step.rulebook)
        life.round = step.round
        life.seen_in_round.clear()
        self._current = self._of_round[step.round] = life

    def _drawn(self, life: _Life, step: ShoeStep, draw: int) -> None:
        last = life.draw
        if last is not None and draw != last + 1 and not self._gap_within(life.seq, step.seq):
            if draw <= last:
                says = f"draw {draw} of shoe {life.name} came again, after draw {last}"
            else:
                lost = f"draw {last + 1}" if draw == last + 2 else f"draws {last + 1} to {draw - 1}"
                says = f"{lost} of shoe {life.name} never came, the next is {draw}"
            self._add(step, step.round or life.round, says)
        life.draw = draw if last is None else max(last, draw)
        life.seq = step.seq
        if step.card is not None:
            self._count(life, step, step.card)

    def _count(self, life: _Life, step: ShoeStep, card: str) -> None:
        if card not in DECK_52:
            life.foreign += card != "??"
            return
        life.seen[card] += 1
        life.seen_in_round[card] += 1
        decks = life.decks or 0
        shown_by_round = life.seen_in_round[card] > decks  # the round's own answer says it
        if life.seen[card] > decks and not shown_by_round and card not in life.told:
            life.told.add(card)
            says = f"{card} came out of shoe {life.name} {life.seen[card]} times, "
            says += f"of {_many(decks, 'deck')}"
            self._add(step, step.round or life.round, says)

    def _ended(self, step: ShoeStep) -> None:
        life = self._lives.pop(step.shoe or "", None)
        if life is None or life.draw is None or life.size is None or step.cards_left is None:
            return
        if life.off or life.decks is None or self._gap_within(life.seq, step.seq):
            return
        left = life.decks * life.size - life.draw
        if not left <= step.cards_left <= left + life.foreign:
            counted, decks = _many(step.cards_left, "card"), _many(life.decks, "deck")
            says = f"shoe {life.name} ended with {counted} left; "
            says += f"{decks} of {life.size} less {life.draw} drawn leave {left}"
            self._add(step, life.round, says)

    def _gap_within(self, after: int, until: int) -> bool:
        """Whether events are missing between two numbers: then cards may be among them."""
        at = bisect_left(self._gaps, after + 1)
        return at < len(self._gaps) and self._gaps[at] <= until

    def _add(self, step: ShoeStep, round_: str | None, says: str) -> None:
        link = RecordLink(step.seq, None, round_, None, None, 0)
        self.out.append(RecordProblem("shoe_mismatch", link, says))


def _many(count: int | None, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def shoe_problems(steps: Iterable[ShoeStep], gaps: Sequence[int] = ()) -> list[RecordProblem]:
    """What does not add up in one table's shoes, from its events in order.

    `gaps` are the numbers of events before which others are missing, in order.
    """
    shoes = ShoeWalk(gaps)
    for step in steps:
        shoes.take(step)
    return shoes.out


def shoe_finding(table: str | None, problem: RecordProblem) -> Finding:
    """A shoe that does not add up."""
    return record_finding(table, problem)
