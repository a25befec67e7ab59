"""An episode: where it is, when it began, what was said and done about it, and how it stands."""

from __future__ import annotations

from replay.facts import NEVER, Discard, Moved, Note, Option, Ruling

Seat = tuple[int, str]
"""A player on a box."""

DEALING_ERRORS = frozenset(
    "dealing_error simultaneous_cards cards_to_empty_box missing_burn wrong_card_count".split()
)
"""Cards lie wrongly, and moving them can put it right."""

LASTING = frozenset(
    "foreign_card card_shortage card_excess insufficient_cards not_shuffled "
    "technical_interruption jackpot_malfunction card_exposed".split()
)
"""What happened cannot be undone: never put right."""

REPAIRS = frozenset({"reconstructable", "not_reconstructable"})


class Episode:
    """One irregularity with all that was done about it.

    `at` is the event that began it: a note, the card that proves it, or the move that shows it.
    `cards` are the draws in question, as far as they are known. Places are None where nobody
    said where it was.
    """

    __slots__ = (
        "acted_at",
        "at",
        "box",
        "cards",
        "discards",
        "hand",
        "kind",
        "kinds",
        "moved_at",
        "moved_cards",
        "moves",
        "noted_until",
        "notes",
        "number",
        "options",
        "player",
        "put_right_at",
        "rulings",
    )

    def __init__(
        self, kind: str, at: int, box: int | None, hand: int | None, player: str | None
    ) -> None:
        self.kind = kind
        self.at = at
        self.box = box
        self.hand = hand
        self.player = player
        self.number = 0  # its place among the round's episodes, from 1
        self.cards: set[int] = set()
        self.notes: list[Note] = []
        self.rulings: list[Ruling] = []
        self.moves: list[Moved] = []
        self.discards: list[Discard] = []
        self.options: list[Option] = []  # what players answered; put here by who asks them
        self.put_right_at = NEVER
        # what follows from the lists is kept beside them: a round may have very many notes or moves
        self.kinds = frozenset({kind})  # what it was called: by what proves it and who noted it
        self.noted_until = at  # the last time somebody noted it; where nobody did, when it began
        self.moved_at, self.acted_at = NEVER, -1  # the first move or discard, and the last
        self.moved_cards: set[int] = set()

    def add_note(self, note: Note) -> None:
        self.noted_until = max(note.at, self.noted_until) if self.notes else note.at
        self.notes.append(note)
        if note.kind not in self.kinds:
            self.kinds |= {note.kind}

    def add_move(self, step: Moved) -> None:
        self.moves.append(step)
        self.moved_cards.update(draw for draw, _, _ in step.moves)
        self._acted(step.at)

    def add_discard(self, step: Discard) -> None:
        self.discards.append(step)
        self._acted(step.at)

    def _acted(self, at: int) -> None:
        self.moved_at, self.acted_at = min(at, self.moved_at), max(at, self.acted_at)

    def put_right(self, at: int) -> None:
        """Its cards lie where they belong, by a move that the text allows at that moment."""
        if self.kind not in LASTING:
            self.put_right_at = min(at, self.put_right_at)

    @property
    def noted(self) -> bool:
        return bool(self.notes)

    def ruling(self, until: int = NEVER) -> Ruling | None:
        """What was last decided on whether the cards can be put right."""
        said = [r for r in self.rulings if r.ruling in REPAIRS and r.at < until]
        return said[-1] if said else None

    def repairable(self, until: int = NEVER) -> bool | None:
        """Whether the cards can be put right, as last ruled; None where nobody did."""
        said = self.ruling(until)
        return None if said is None else said.ruling == "reconstructable"

    def open_at(self, at: int) -> bool:
        """Begun before a moment and neither put right nor ruled past repair by then.

        One that was ruled reconstructable stays open until its cards are moved. Whether a player
        answered it is asked of the answers.
        """
        return self.at < at <= self.put_right_at and self.repairable(at) is not False

    def state(self) -> str:
        """How it stands at the end of the round, in words."""
        if self.put_right_at != NEVER:
            return "put right"
        if self.repairable() is False:
            return "not reconstructable"
        return "lasting" if self.kind in LASTING else "open"

    def events(self) -> set[int]:
        """The places of its events in the round."""
        said = [*(note.at for note in self.notes), *(ruling.at for ruling in self.rulings)]
        done = [*(step.at for step in self.moves), *(step.at for step in self.discards)]
        return {self.at, *said, *done, *(option.at for option in self.options)}

    def __repr__(self) -> str:
        where = "" if self.box is None else f" box {self.box}"
        return f"<Episode {self.number}: {self.kind}{where} at {self.at}, {self.state()}>"
