"""What notes and rulings of 3 Card Poker are about, where the log alone does not say it."""

from __future__ import annotations

from collections.abc import Mapping

from replay.episodes import Episode, Episodes, Text
from replay.episodes.question import in_question
from replay.facts import NEVER, Note, Round, Ruling
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import (
    EXPOSED,
    IN_THE_SHOE,
    LOOKED,
    MISDEALT,
    NO_BURN,
    SUPERVISORS,
    TOGETHER,
    WRONG_COUNT,
)
from replay.rulebooks.three_card_poker_rws_v3.play.acts import Acts
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER

TEXT = Text(
    families=(MISDEALT,),
    clauses={
        "5.8.2": frozenset({EXPOSED}),
        "5.8.6": MISDEALT,
        "5.8.7": frozenset({WRONG_COUNT}),
        "5.9": frozenset({NO_BURN}),
        "5.12": frozenset({EXPOSED}),
        "5.14": frozenset({TOGETHER}),
        "5.14.1": frozenset({TOGETHER}),
        "5.15": frozenset({WRONG_COUNT}),
        "5.18": frozenset({LOOKED}),
    },
    moved_once=False,  # 5.8.6: whole hands first, then single cards
)


class Subjects:
    """Looks up what a note or a ruling is about, among the episodes so far."""

    __slots__ = ("_acts", "_round", "episodes")
    episodes: Episodes

    def __init__(self, round_: Round, acts: Mapping[Episode, Acts]) -> None:
        self._round, self._acts = round_, acts

    def about(self, ruling: Ruling, episode: Episode) -> bool:
        """A supervisor or above rules; the dealer's hand and a player's have a paragraph each.

        What somebody noted goes before what only the cards show.
        """
        if ruling.by not in SUPERVISORS:
            return False
        if ruling.clause == "5.8.7" and episode.box not in {DEALER, None}:
            return False
        if ruling.clause == "5.15" and episode.box == DEALER:
            return False
        if episode.noted or ruling.box is not None:
            return True
        same = (e for e in self.episodes.of_kind(episode.kind) if e.noted and not e.rulings)
        return not any(e.put_right_at == NEVER for e in same)

    def question(self, note: Note) -> tuple[int, ...]:
        """The cards that a note is about, where this game tells more than the log does."""
        cards = self._round.cards
        if note.kind == NO_BURN and cards:
            return (cards[0].draw,)
        if note.kind in MISDEALT:
            return self._moved_already(note)
        if note.kind == EXPOSED:
            return self._shown(note)
        if note.kind == IN_THE_SHOE and note.box is not None:
            before = [c for c in cards if c.at < note.at and c.dealt_box == note.box]
            following = next((c for c in cards if c.at > note.at), None)
            if following is not None and following.face_up and following.dealt_box == note.box:
                return (following.draw,)
            if before and before[-1].face_up:
                return (before[-1].draw,)
        return ()

    def _moved_already(self, note: Note) -> tuple[int, ...]:
        """Cards that were put right without a word, before somebody wrote it down."""
        for episode in reversed(self.episodes.of_kind(*MISDEALT)):
            if not episode.noted and note.box in {None, *self._acts[episode].touched}:
                return tuple(episode.cards)
        return ()

    def _shown(self, note: Note) -> tuple[int, ...]:
        """The card that is noted as exposed: the last face up before the note, else the next."""
        taken: set[int] = set()
        for episode in self.episodes.of_kind(EXPOSED, IN_THE_SHOE):
            if episode.noted:
                taken |= episode.cards
        up = [c for c in self._round.cards if c.face_up and c.draw not in taken]
        up = [c for c in up if note.box in {None, c.dealt_box}]
        before = [c for c in up if c.at < note.at]
        chosen = before[-1:] or up[:1]
        return (chosen[0].draw,) if chosen else in_question(self._round, note)
