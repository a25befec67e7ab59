"""3 Card Poker's section 5 worked out a second time, as a table, apart from the replay.

Two players with an ante of 20.00 each, who both win where nothing goes wrong. Errors befall the
round one after the other, each with what was noted, ruled, done and chosen about it. What the text
gives for one kind of error is a line here; what several give together follows from three
sentences: any ground voids the round, a hand that is off stays off, and a choice is missing where
nobody was asked. Nothing here knows episodes: each error carries its own ruling and its own cards.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

DEALER = 0
PLAYERS = (1, 2)
EXTRA = {1: "2D", 2: "2C", DEALER: "6C"}
ROWS = ("deal 1:9S- 2:AS- 0:QH-", "deal 1:9D- 2:8D- 0:7D-", "deal 1:3C- 2:4H- 0:5H-")

Kind = Literal[
    "card_exposed",
    "dealing_error",
    "wrong_card_count",
    "simultaneous_cards",
    "jackpot_malfunction",
    "technical_interruption",
]
DURING_THE_DEAL = frozenset({"card_exposed"})
RULED_UNDER = {DEALER: "5.8.7", 1: "5.15", 2: "5.15"}


@dataclass
class Error:
    """One thing that goes wrong. `seen`: after the players have looked at their cards."""

    kind: Kind
    box: int | None
    seen: bool
    noted: bool = True
    ruling: str | None = None
    ruling_names_box: bool = False
    put_right: bool = False
    answers: dict[int, str] = field(default_factory=dict)
    draw: int = 0  # the card too many
    alone: bool = True  # no other card was exposed before the players looked

    @property
    def order(self) -> int:
        return 2 if self.seen else 0 if self.kind in DURING_THE_DEAL else 1

    def ground(self) -> str | None:
        """The paragraph under which this error alone makes the round void."""
        if self.kind == "dealing_error" and not self.seen:
            return "5.8.6"
        if self.kind == "wrong_card_count" and self.box == DEALER:
            return "5.8.7" if self.noted and not self.put_right else None
        if self.kind == "jackpot_malfunction" and not self.seen:
            return "5.16"
        return "5.7.2" if self.kind == "technical_interruption" else None

    def invalid(self) -> int | None:
        """The box whose hand is off by it (5.15)."""
        wrong = self.kind == "wrong_card_count" and self.noted and not self.put_right
        return self.box if wrong and self.box != DEALER else None

    def asks(self) -> tuple[int, ...]:
        """The boxes that have the choice after it (5.10)."""
        everybody = self.box in {None, DEALER}
        if self.kind == "simultaneous_cards":
            return PLAYERS
        if self.kind == "dealing_error":
            some = self.seen
        elif self.kind == "wrong_card_count":
            some = self.put_right
        else:
            some = self.kind == "card_exposed" and not self.seen and self.alone
        if not some:
            return ()
        return PLAYERS if everybody or self.box is None else (self.box,)

    def excused(self, void: bool) -> str | None:
        """The reading in which nobody need be asked."""
        if self.kind == "card_exposed":
            return "single-exposed-card"
        count = self.kind == "wrong_card_count" and not self.seen and self.box != DEALER
        return "wrong-count-before-seen" if void and count else None


@dataclass
class Worked:
    """A round as it is played, and what the text gives for it."""

    play: list[str]
    void: str | None
    lines: set[str]
    findings: list[str]


class Rounds:
    """Makes rounds with some errors, by seed."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        self.off: dict[int, str] = {}  # box: the paragraph by which its bets go back
        self.asked: dict[int, list[Error]] = {box: [] for box in PLAYERS}
        self.findings: list[str] = []
        self.play: list[str] = []
        self.others = False  # some error was one player's alone
        self.draws = 1  # the burnt card

    def make(self) -> Worked:
        errors = sorted((self._error() for _ in range(self.rnd.choice((2, 2, 3)))), key=_order)
        self._one_of_each(errors)
        shown = [e for e in errors if e.kind == "card_exposed" and not e.seen]
        for error in shown:
            error.alone = len(shown) == 1
        self.play = ["bet 1 P1 ante 20.00", "bet 2 P2 ante 20.00", "close", "meter 90000.00"]
        self.play += ["burn 8C", *ROWS[:2]]
        self.draws += 6
        self._befall([e for e in errors if e.order == 0])
        self.play.append(ROWS[2])
        self.draws += 3
        self._befall([e for e in errors if e.order == 1])
        self.play += ["examine 1 P1", "examine 2 P2"]
        self._befall([e for e in errors if e.order == 2])
        grounds = self._grounds(errors)
        declared = bool(grounds) and self.rnd.random() < 0.5
        clause = None
        if declared:
            clause = self.rnd.choice(grounds)
            self.play.append(f"void {clause} by pit_manager")
        elif grounds:
            clause = grounds[0]
        return self._ended(errors, clause, declared)

    def _error(self) -> Error:
        rnd = self.rnd
        kinds: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
        kind = rnd.choice(kinds)
        seen = rnd.random() < 0.5
        box = rnd.choice((1, 2, DEALER)) if kind != "dealing_error" else rnd.choice((1, 2, 0, None))
        if kind in {"simultaneous_cards", "jackpot_malfunction", "technical_interruption"}:
            box = None
        out = Error(kind, box, seen)
        if kind == "wrong_card_count":
            out.noted = rnd.random() < 0.85
            out.put_right = out.noted and rnd.random() < 0.5
            if out.noted:
                can = "reconstructable" if out.put_right else "not_reconstructable"
                out.ruling = rnd.choice((None, can))
        elif kind == "dealing_error":
            out.ruling = rnd.choice((None, None, "not_reconstructable"))
        elif kind == "simultaneous_cards":
            out.ruling = rnd.choice((None, "card_order"))
        out.ruling_names_box = rnd.random() < 0.5
        return out

    @staticmethod
    def _one_of_each(errors: list[Error]) -> None:
        """A second error of one kind on one box would join the first; a note without a box, or an
        unnoted count beside one, leaves room for two readings."""
        seen: set[tuple[str, int | None]] = set()
        for error in list(errors):
            key = (error.kind, error.box)
            family = {k for k in seen if k[0] == error.kind}
            loose = error.kind == "dealing_error" and family
            if key in seen or loose:
                errors.remove(error)
            seen.add(key)
        if any(e.kind in {"dealing_error", "simultaneous_cards"} for e in errors):
            for error in [e for e in errors if e.kind == "wrong_card_count" and not e.noted]:
                errors.remove(error)

    def _befall(self, errors: list[Error]) -> None:
        """Errors of one moment: all are noted, then ruled on, last first or by their box."""
        for error in errors:
            if error.kind == "wrong_card_count":
                self.draws += 1
                error.draw = self.draws
                self.play.append(f"deal {error.box}:{EXTRA[error.box or 0]}-")
        together = self.rnd.random() < 0.5
        for error in errors:
            self._noted(error)
            if not together:
                self._dealt_with(error)
                self._choose(error)
        if together:
            for error in reversed(errors):
                self._dealt_with(error)
            for error in errors:
                self._take_effect(error)
            self._answers()

    def _noted(self, error: Error) -> None:
        if not error.noted:
            return
        where = "" if error.box is None else f" box {error.box}"
        self.play.append(f"note {error.kind}{where}")

    def _dealt_with(self, error: Error) -> None:
        if error.ruling is not None:
            clause = RULED_UNDER[error.box] if error.kind == "wrong_card_count" else "5.10"
            if error.kind == "dealing_error" and not error.seen:
                clause = "5.8.6"
            elif error.kind == "simultaneous_cards":
                clause = "5.14"
            named = error.ruling_names_box and error.box is not None
            place = f" box {error.box}" if named else ""
            self.play.append(f"rule {error.ruling} {clause}{place}")
            self.findings.append(f"discretion{f' {error.box}' if named else ''} ({clause})")
        if error.put_right:
            self.play.append(f"discard {error.draw} one too many")

    def _choose(self, error: Error) -> None:
        self._take_effect(error)
        self._answers()

    def _take_effect(self, error: Error) -> None:
        box = error.invalid()
        if box is not None:
            self.off.setdefault(box, "5.15")
        self.others = self.others or len(error.asks()) == 1
        for each in error.asks():
            if each not in self.off:
                self.asked[each].append(error)

    def _answers(self) -> None:
        """Whoever still has a hand may be asked, with or without need."""
        for box in PLAYERS:
            if box in self.off or self.rnd.random() < 0.4:
                continue
            word = self.rnd.choice(("continue", "continue", "take_back"))
            if self.others and not self.asked[box]:
                word = "continue"  # in the other reading he would be affected too
            self.play.append(f"option {box} P{box} {word}")
            due, self.asked[box] = self.asked[box], []
            if word == "take_back" and due:
                self.off[box] = "5.10.3"
            elif word == "take_back":
                self.findings.append(f"illegal_decision {box} P{box} (5.10)")

    def _grounds(self, errors: list[Error]) -> list[str]:
        """The grounds for a void, in the order in which they came about."""
        out = []
        shown = [e for e in errors if e.kind == "card_exposed" and not e.seen]
        for error in errors:
            ground = error.ground()
            if ground is not None:
                out.append(ground)
            elif len(shown) > 1 and error is shown[1]:
                out.append("5.8.2")
        return out

    def _ended(self, errors: list[Error], clause: str | None, declared: bool) -> Worked:
        still = [box for box in PLAYERS if box not in self.off]
        if not declared:
            for box in still:
                self.play += [f"play {box} P{box}", f"bet {box} P{box} play 20.00"]
            self.play += ["reveal 0", *(f"reveal {box}" for box in still)]
            self._not_asked(still, clause is not None)
        for error in errors:
            if not error.noted:
                self.findings.append(f"deal_order {error.box}")
        lines = set()
        for box in PLAYERS:
            bets = ("ante", "play") if box in still and not declared else ("ante",)
            for bet in bets:
                result = "win 20.00 + 20.00 (3.15.1)"
                if clause is not None:
                    result = "returned 20.00 + 0 (5.21)"
                elif box in self.off:
                    result = f"returned 20.00 + 0 ({self.off[box]})"
                lines.add(f"{box} P{box} {bet} 20.00: {result}")
        return Worked(self.play, clause, lines, self.findings)

    def _not_asked(self, still: list[int], void: bool) -> None:
        """Where no line depends on it, what the other reading allows is no breach: one exposed card
        without any consequence, a count that nobody had seen as a ground for a void."""
        for box in still:
            why = {error.excused(void) for error in self.asked[box]}
            if len(why) > 1 or why == {None}:  # else one reading allows it
                self.findings.append(f"missing_option {box} P{box} (5.10)")


def _order(error: Error) -> int:
    return error.order
