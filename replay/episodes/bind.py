"""Binding: every note, proof, ruling, move and discard of a round into episodes, once."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable

from replay.episodes.model import DEALING_ERRORS, LASTING, Episode
from replay.episodes.question import in_question
from replay.episodes.text import CARDS, Text
from replay.facts import NEVER, Card, Decision, Discard, Moved, Note, Round, Ruling

Where = Callable[[int], tuple[int, int] | None]
"""The place where a drawn card lies now."""


class Episodes:
    """The episodes of a round, bound while its play is walked through."""

    __slots__ = ("_notes", "_play", "_rulings", "_text", "all", "outside", "round", "unbound")

    def __init__(self, round_: Round, text: Text) -> None:
        self.round = round_
        self._text = text
        self._notes = deque(round_.notes)
        self._rulings = deque(round_.rulings)
        self._play: list[int] | None = None  # when cards came and people decided or paid
        self.all: list[Episode] = []
        self.outside: list[Moved | Discard] = []  # in no episode at all
        self.unbound: list[Ruling] = []  # rulings for which there is no error

    def of_kind(self, *kinds: str) -> list[Episode]:
        """Those that somebody called by one of these names, or that prove it."""
        return [episode for episode in self.all if episode.kinds & frozenset(kinds)]

    def open_at(self, at: int) -> list[Episode]:
        """Dealing errors that are neither put right nor ruled past repair at a moment."""
        return [e for e in self.all if e.kinds & CARDS and e.open_at(at)]

    def of_event(self, at: int) -> Episode | None:
        """The episode to which an event of the round belongs."""
        return next((episode for episode in self.all if at in episode.events()), None)

    def prove(
        self,
        kind: str,
        at: int,
        *,
        box: int | None = None,
        hand: int | None = None,
        cards: Iterable[int] = (),
    ) -> Episode:
        """What the cards alone prove; a note of the same fault joins it, or it joins the note."""
        drawn = set(cards)
        for episode in self.all:
            if kind in episode.kinds and self._same_card(episode, drawn, box):
                episode.cards |= drawn
                return episode
        episode = Episode(kind, at, box, hand, None)
        episode.cards = drawn
        return self._open(episode)

    def finish(self) -> None:
        """Bind what is left once the play is over."""
        self.advance(NEVER)

    def advance(self, at: int) -> None:
        """Open the episodes that were noted, and bind the rulings made, before a moment."""
        while self._notes or self._rulings:
            note = self._notes[0].at if self._notes else NEVER
            ruling = self._rulings[0].at if self._rulings else NEVER
            if min(note, ruling) >= at:
                return
            if note < ruling:
                self._note(self._notes.popleft())
            else:
                self._rule(self._rulings.popleft())

    def of_move(self, step: Moved, where: Where) -> Episode | None:
        """The episode that a reconstruction belongs to; None where nothing was wrong."""
        self.read_on(step.at)
        draws = {draw for draw, _, _ in step.moves}
        touched = {(box, hand) for _, box, hand in step.moves}
        touched |= {place for place in map(where, draws) if place is not None}
        belongs = self._text.belongs(step)
        episode = self._act(step, draws, touched, belongs)
        if episode is None and belongs:
            box, hand = min(touched)
            episode = self._open(Episode("dealing_error", step.at, box, hand, None))
        if episode is None:
            self.outside.append(step)
            return None
        episode.add_move(step)
        episode.cards |= draws
        return episode

    def of_discard(self, step: Discard, where: Where) -> Episode | None:
        """The episode in which a card was taken away."""
        self.read_on(step.at)
        place = where(step.draw)
        episode = self._act(step, {step.draw}, set() if place is None else {place}, belongs=False)
        if episode is None:
            self.outside.append(step)
            return None
        episode.add_discard(step)
        episode.cards.add(step.draw)
        return episode

    def holding(self, step: Discard) -> Episode | None:
        """The episode of a card that is taken away and that is no reconstruction."""
        self.read_on(step.at)
        found = [episode for episode in self.all if step.draw in episode.cards]
        if not found:
            return None
        found[-1].add_discard(step)
        return found[-1]

    def _open(self, episode: Episode) -> Episode:
        self.all.append(episode)
        self.all.sort(key=lambda e: e.at)
        for number, each in enumerate(self.all, 1):
            each.number = number
        return episode

    def _note(self, note: Note) -> None:
        episode = next((e for e in reversed(self.all) if self._repeats(note, e)), None)
        if episode is None:
            episode = self._open(Episode(note.kind, note.at, note.box, note.hand, note.player))
        elif episode.box is None:
            episode.box, episode.hand = note.box, note.hand
        episode.add_note(note)
        episode.cards.update(self._question(note))

    def _repeats(self, note: Note, episode: Episode) -> bool:
        """Whether a note speaks of a fault that is known already: no card came since."""
        if not any(self._text.same_fault(note.kind, kind) for kind in episode.kinds):
            return False
        if not episode.notes:  # the cards proved it, or showed it by being moved
            return self._same_card(episode, set(self._question(note)), note.box)
        elsewhere = None not in (note.box, episode.box) and note.box != episode.box
        if elsewhere and not episode.cards.intersection(self._question(note)):
            return False  # else the card is noted where it lies and where it belongs
        if note.kind == "card_exposed" and note.box is not None and self._known_card(note, episode):
            return True
        if self._is_yet_to_come(note, episode):
            return False
        if note.kind == "card_exposed" and any(n.by == note.by for n in episode.notes):
            return False  # one person notes each card once
        spoken = max(episode.noted_until, episode.acted_at)
        return not self._dealt(spoken, note.at)

    def _known_card(self, note: Note, episode: Episode) -> bool:
        """Whether a note can only mean the card that was noted before, whatever was dealt since:
        another person notes it, or no other card lies on that box."""
        if not episode.cards.issuperset(self._question(note)):
            return False
        dealt = (c for c in self.round.cards if c.at < note.at and c.dealt_box == note.box)
        others = any(card.draw not in episode.cards for card in dealt)
        return not others or all(n.by != note.by for n in episode.notes)

    def _is_yet_to_come(self, note: Note, episode: Episode) -> bool:
        """Whether cards that come out together are noted before they lie there, and no such thing
        is known yet: they are no cards of an error that was noted before."""
        if note.kind != "simultaneous_cards" or note.kind in episode.kinds:
            return False
        cards = self._question(note)
        return bool(cards) and not any(
            card.draw in cards and card.at < note.at for card in self.round.cards
        )

    def _question(self, note: Note) -> tuple[int, ...]:
        return self._text.question(note) or in_question(self.round, note)

    def _same_card(self, episode: Episode, cards: set[int], box: int | None) -> bool:
        if episode.cards and cards:
            return bool(episode.cards & cards) or episode.kind in LASTING - {"card_exposed"}
        return box is None or episode.box is None or box == episode.box

    def _rule(self, ruling: Ruling) -> None:
        """A ruling stands for its own episode and for no other."""
        fitting = [e for e in self.all if self._text.fits(ruling, e)]
        if ruling.box is not None:
            there = [e for e in fitting if self._speaks_of(ruling, e)]
            fitting = there or [e for e in fitting if e.box is None]
        still = [e for e in fitting if self._unfinished(e, ruling.at)]
        chosen = still or fitting
        if not chosen:
            self.unbound.append(ruling)
            return
        chosen[-1].rulings.append(ruling)

    def _speaks_of(self, ruling: Ruling, episode: Episode) -> bool:
        if episode.box == ruling.box:
            return ruling.hand is None or episode.hand in {None, ruling.hand}
        return any(note.box == ruling.box for note in episode.notes)

    def _unfinished(self, episode: Episode, at: int) -> bool:
        """Neither put right nor ruled on, and play did not go on after the players were asked."""
        if episode.put_right_at < at or any(r.at < at for r in episode.rulings):
            return False
        return not self._gone_on(episode, at)

    def _gone_on(self, episode: Episode, at: int) -> bool:
        """Whether players were asked about it and play went on before a moment."""
        asked = [o.at for o in self.round.options if episode.at < o.at < at]
        return bool(asked) and self._dealt(asked[0], at)

    def read_on(self, at: int) -> None:
        """Read the notes up to a move, and those right after it: people write when they can."""
        self.advance(at)
        following = next((card.at for card in self.round.cards if card.at > at), NEVER)
        if self._notes and self._notes[0].at < following:
            self.advance(self._notes[0].at + 1)

    def _act(
        self,
        step: Moved | Discard,
        draws: set[int],
        touched: set[tuple[int, int]],
        belongs: bool,
    ) -> Episode | None:
        """The error about which cards are moved or taken away: by card, by place, or the last.

        One that was answered, and play went on, is no cover for cards that it was not about.
        """
        known = [e for e in self.all if e.kinds & CARDS and self._about(e, draws)]
        known = [e for e in known if belongs or e.cards & draws or not self._gone_on(e, step.at)]
        known = [
            e for e in known if e.put_right_at == NEVER or self._goes_on(e, step, draws, belongs)
        ]
        if belongs:
            known = [e for e in known if not _only_unburnt(e)] or known
        by_card = [e for e in known if e.cards & draws]
        by_place = [e for e in known if e.box is not None and self._touches(e, touched)]
        unplaced = [e for e in known if e.box is None]
        if belongs and any(e.notes and e.open_at(step.at) for e in unplaced):
            by_place = [e for e in by_place if e.notes or e.rulings]  # what somebody spoke of
        rest = [e for e in known if belongs and e.open_at(step.at)]
        for some in (by_card, by_place, unplaced, rest):
            still = [e for e in some if e.open_at(step.at) or e.at > step.at]
            if still or some:
                return _to_be_put_right(still or some, step)[-1]
        return None

    def _about(self, episode: Episode, draws: set[int]) -> bool:
        """Whether one of the cards lay there when the error was last spoken of."""
        if episode.cards & draws:
            return True
        until = max(episode.noted_until, max((r.at for r in episode.rulings), default=-1))
        return any(card.at < until for card in self.round.cards if card.draw in draws)

    @staticmethod
    def _touches(episode: Episode, touched: set[tuple[int, int]]) -> bool:
        return any(box == episode.box and episode.hand in {None, hand} for box, hand in touched)

    def _goes_on(
        self, episode: Episode, act: Moved | Discard, draws: set[int], belongs: bool
    ) -> bool:
        """Whether the same reconstruction goes on: its own cards, and play stood still so far.

        A card that it has put where it belongs stays there.
        """
        back = self._text.moved_once and draws & (
            episode.moved_cards | {step.draw for step in episode.discards}
        )
        if not belongs and (back or not episode.cards & draws):
            return False
        if self._play is None:
            steps = self.round.steps
            played = [step.at for step in steps if isinstance(step, Card | Decision)]
            self._play = sorted([*played, *(settled.at for settled in self.round.settled)])
        following = bisect_right(self._play, episode.acted_at)
        return following == len(self._play) or self._play[following] >= act.at

    def _dealt(self, begins: int, ends: int) -> bool:
        return any(begins < card.at < ends for card in self.round.cards)


def _to_be_put_right(some: list[Episode], step: Moved | Discard) -> list[Episode]:
    """What moving cards can mend goes before what it cannot: an exposed card stays exposed. Of a
    card that is taken away it is first of all asked whether it was one too many, and then whether
    it had to be burnt."""
    mended = [e for e in some if e.kinds & DEALING_ERRORS] or some
    if isinstance(step, Discard):
        too_many = [e for e in mended if "wrong_card_count" in e.kinds]
        unburnt = [e for e in mended if "missing_burn" in e.kinds and (e.notes or e.rulings)]
        mended = too_many or unburnt or mended
    return mended


def _only_unburnt(episode: Episode) -> bool:
    """A missing burn of which nobody has spoken: who puts cards where the deal as it was puts them
    does not make it good."""
    spoken = episode.notes or episode.rulings or episode.discards
    return episode.kind == "missing_burn" and not spoken
