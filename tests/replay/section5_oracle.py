"""3 Card Poker's section 5 worked out a second time, as a table, apart from the replay.

Boxes 1 and 2 have an ante of 20.00, box 3 a pair plus of 10.00, and all win where nothing goes
wrong. Errors befall the round one after the other, each with what was noted, ruled, done and chosen
about it. What the text gives for one kind of error is a line here; what several give together
follows from three sentences: any ground voids the round, a hand that is off stays off, and a choice
is missing where nobody was asked. Nothing here knows episodes: each error carries its own ruling
and its own cards.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

DEALER = 0
ANTES = (1, 2)
PLAYERS = (1, 2, 3)
HANDS = {1: "9S 9D 3C", 2: "AS 8D 4H", 3: "6S 6H KD", DEALER: "QH 7D 5H"}
EXTRA = {1: "2D", 2: "2C", 3: "2H", DEALER: "6C"}
BEFORE, IN_THE_DEAL, AFTER_THE_DEAL, SEEN = range(4)
"""The moments: with the first card, before the last turn, before a look, after it."""


class Sort(NamedTuple):
    """A kind of error: where it can be, when, and how it can be ruled on."""

    boxes: tuple[int | None, ...]
    moments: tuple[int, ...]
    rulings: tuple[str | None, ...] = (None,)


EVERYWHERE: tuple[int | None, ...] = (1, 2, 3, DEALER)
SORTS = {
    "missing_burn": Sort((None,), (BEFORE,), (None, "reconstructable", "not_reconstructable")),
    "card_exposed": Sort(EVERYWHERE, (IN_THE_DEAL, SEEN)),
    "dealing_error": Sort(
        (*EVERYWHERE, None), (AFTER_THE_DEAL, SEEN), (None, "not_reconstructable")
    ),
    "wrong_card_count": Sort(EVERYWHERE, (AFTER_THE_DEAL, SEEN)),
    "simultaneous_cards": Sort((None,), (IN_THE_DEAL, AFTER_THE_DEAL, SEEN), (None, "card_order")),
    "jackpot_malfunction": Sort((None,), (IN_THE_DEAL, AFTER_THE_DEAL, SEEN)),
    "technical_interruption": Sort((None,), (AFTER_THE_DEAL, SEEN)),
    "card_shortage": Sort((None,), (AFTER_THE_DEAL, SEEN)),
    "player_left": Sort(ANTES, (SEEN,)),
    "fold": Sort(ANTES, (SEEN,)),
}
ACTS = frozenset({"player_left", "fold"})
CLAUSES = {"missing_burn": "5.9", "simultaneous_cards": "5.14"}


@dataclass
class Error:
    """One thing that happens."""

    kind: str
    box: int | None
    moment: int
    ruling: str | None
    noted: bool = True
    face_up: bool = False
    ruling_names_box: bool = False
    put_right: bool = False
    draw: int = 0  # the card too many
    alone: bool = True  # no other card was exposed before the players looked
    outcome: bool = False  # somebody had folded when play was interrupted

    @property
    def seen(self) -> bool:
        return self.moment == SEEN

    def ground(self) -> str | None:
        """The paragraph under which this error alone makes the round void."""
        match self.kind:
            case "missing_burn":
                return None if self.put_right else "5.9"
            case "dealing_error":
                return None if self.seen else "5.8.6"
            case "wrong_card_count":
                open_ = self.box == DEALER and self.noted and not self.put_right
                return "5.8.7" if open_ else None
            case "jackpot_malfunction":
                return None if self.seen else "5.16"
            case "technical_interruption":
                return None if self.outcome else "5.7.2"
            case "card_shortage":
                return "5.8.3"
        return None

    def invalid(self) -> int | None:
        """The box whose hand is off by it (5.15)."""
        wrong = self.kind == "wrong_card_count" and self.noted and not self.put_right
        return self.box if wrong and self.box != DEALER else None

    def asks(self) -> tuple[int, ...]:
        """The boxes that have the choice after it (5.10)."""
        some = {
            "missing_burn": self.put_right,
            "simultaneous_cards": True,
            "dealing_error": self.seen,
            "wrong_card_count": self.put_right,
            "card_exposed": not self.seen and self.alone,
        }
        if not some.get(self.kind):
            return ()
        return (self.box,) if self.box else PLAYERS

    def clause(self) -> str:
        """The paragraph that a ruling on it cites."""
        if self.kind == "wrong_card_count":
            return "5.15" if self.box else "5.8.7"
        if self.kind == "dealing_error" and not self.seen:
            return "5.8.6"
        return CLAUSES.get(self.kind, "5.10")


class Worked(NamedTuple):
    """A round as it is played, and what the text gives for it."""

    play: list[str]
    void: str | None
    lines: list[str]
    findings: list[str]


class Rounds:
    """Makes rounds with some errors, by seed."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        self.off: dict[int, str] = {}  # box: the paragraph by which its bets go back
        self.out: dict[int, str] = {}  # box: the paragraph by which its ante is lost
        self.asked: dict[int, list[Error]] = {box: [] for box in PLAYERS}
        self.findings: list[str] = []
        self.unasked: list[tuple[int, list[Error]]] = []
        self.play: list[str] = []
        self.others = False  # some error was one player's alone
        self.draws = 0
        self.errors: list[Error] = []

    def make(self) -> Worked:
        self._draw_up()
        self.play = [f"bet {box} P{box} ante 20.00" for box in ANTES]
        self.play += ["bet 3 P3 pair_plus 10.00", "close", "meter 90000.00"]
        unburnt = self._at(BEFORE)
        if not unburnt:
            self.play.append("burn 8C")
            self.draws += 1
        self._deal(0, instead="8C" if unburnt and not unburnt[0].put_right else None)
        self._deal(1)
        self._befall(IN_THE_DEAL)
        self._deal(2)
        self._befall(AFTER_THE_DEAL)
        self.play += [f"examine {box} P{box}" for box in ANTES]
        self._befall(SEEN)
        grounds = self._grounds()
        declared = self.rnd.choice(grounds) if grounds and self.rnd.random() < 0.5 else None
        if declared is not None:
            self.play.append(f"void {declared} by pit_manager")
        clause = declared or next(iter(grounds), None)
        return self._ended(clause, declared=declared is not None)

    def _draw_up(self) -> None:
        """Errors that cannot be taken for one another."""
        taken: set[tuple[str, int | None]] = set()
        for _ in range(self.rnd.choice((2, 2, 3, 4))):
            error = self._error()
            place = (error.kind, error.box)
            loose = error.kind in {"dealing_error", "missing_burn"}
            if place in taken or (loose and any(kind == error.kind for kind, _ in taken)):
                continue  # a second note of one fault joins the first
            taken.add(place)
            self.errors.append(error)
        self.errors.sort(key=lambda error: error.moment)
        order = {"dealing_error", "simultaneous_cards", "missing_burn", "card_exposed"}
        if any(e.kind in order or e.put_right for e in self.errors):  # or the hand is off by then
            self.errors = [error for error in self.errors if error.noted]
        shown = [e for e in self.errors if e.kind == "card_exposed" and not e.seen]
        for error in shown:
            error.alone = len(shown) == 1

    def _error(self) -> Error:
        rnd = self.rnd
        kind = rnd.choice(list(SORTS))
        sort = SORTS[kind]
        out = Error(
            kind, rnd.choice(sort.boxes), rnd.choice(sort.moments), rnd.choice(sort.rulings)
        )
        out.ruling_names_box = rnd.random() < 0.5
        if kind == "missing_burn":
            out.put_right = out.ruling == "reconstructable"
        elif kind == "card_exposed" and not out.seen:
            out.face_up = rnd.random() < 0.5
        elif kind == "wrong_card_count":
            out.noted = rnd.random() < 0.85
            out.put_right = out.noted and rnd.random() < 0.5
            can = "reconstructable" if out.put_right else "not_reconstructable"
            out.ruling = rnd.choice((None, can)) if out.noted else None
        return out

    def _at(self, moment: int) -> list[Error]:
        return [error for error in self.errors if error.moment == moment]

    def _deal(self, turn: int, instead: str | None = None) -> None:
        """One card each. With no card burnt, the first one takes its place or is thrown away."""
        unburnt = self._at(BEFORE) if turn == 0 else []
        if unburnt:
            self.play.append("deal 1:8C-")
            self.draws += 1
            self._befall(BEFORE)
        up = {e.box for e in self._at(IN_THE_DEAL) if e.face_up} if turn == 1 else set()
        for box in (*PLAYERS, DEALER):
            if box == 1 and instead is not None:
                continue
            card = HANDS[box].split()[turn]
            self.play.append(f"deal {box}:{card}{'' if box in up else '-'}")
            self.draws += 1

    def _befall(self, moment: int) -> None:
        """Errors of one moment: each noted, ruled on and answered, or all noted first and then
        ruled on, the last one first."""
        errors = sorted(self._at(moment), key=lambda error: not error.face_up)
        for error in errors:
            if error.kind == "wrong_card_count":
                self.draws += 1
                error.draw = self.draws
                self.play.append(f"deal {error.box}:{EXTRA[error.box or DEALER]}-")
        together = self.rnd.random() < 0.5 and not any(e.kind in ACTS for e in errors)
        for error in errors:
            self._noted(error)
            if not together:
                self._dealt_with(error)
                self._take_effect(error)
                self._answers()
        if together:
            ruled = all(error.ruling for error in errors)
            for error in reversed(errors):  # else a ruling without a box is about the last one
                error.ruling_names_box |= not ruled
                self._dealt_with(error)
            for error in errors:
                self._take_effect(error)
            self._answers()

    def _noted(self, error: Error) -> None:
        if error.kind == "fold":
            if error.box in {*self.off, *self.out}:
                return
            self.play.append(f"fold {error.box} P{error.box}")
            self._lost(error, "3.12.1")
        elif error.kind == "player_left":
            self.play.append(f"note player_left box {error.box} player P{error.box}")
            self._lost(error, "5.5")
        elif error.noted:
            where = "" if error.box is None else f" box {error.box}"
            self.play.append(f"note {error.kind}{where}")

    def _lost(self, error: Error, clause: str) -> None:
        box = error.box or 0
        if box in {*self.off, *self.out}:
            return
        self.out[box] = clause
        if clause == "3.12.1":
            self._not_asked(box)
        self.asked[box] = []

    def _dealt_with(self, error: Error) -> None:
        if error.ruling is not None:
            named = error.ruling_names_box and error.box is not None
            place = f" box {error.box}" if named else ""
            self.play.append(f"rule {error.ruling} {error.clause()}{place}")
            self.findings.append(f"discretion{place.removeprefix(' box')} ({error.clause()})")
        if error.put_right:
            self.play.append(f"discard {error.draw or 1} taken away")

    def _take_effect(self, error: Error) -> None:
        error.outcome = bool(self.out)
        box = error.invalid()
        if box is not None:
            self.off.setdefault(box, "5.15")
            self.out.pop(box, None)
        unruled = error.kind == "missing_burn" and error.ruling is None
        self.others = self.others or unruled or len(error.asks()) == 1
        for each in error.asks():
            if each not in self.off and each not in self.out:
                self.asked[each].append(error)

    def _answers(self) -> None:
        """Whoever still has a hand may be asked, with or without need."""
        for box in PLAYERS:
            if box in self.off or box in self.out or self.rnd.random() < 0.4:
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

    def _grounds(self) -> list[str]:
        """The grounds for a void, in the order in which they came about."""
        out = []
        shown = [e for e in self.errors if e.kind == "card_exposed" and not e.seen]
        for error in self.errors:
            ground = error.ground()
            if ground is not None:
                out.append(ground)
            elif len(shown) > 1 and error is shown[1]:
                out.append("5.8.2")
        return out

    def _ended(self, clause: str | None, *, declared: bool) -> Worked:
        still = [box for box in ANTES if box not in self.off and box not in self.out]
        if not declared:
            for box in still:
                self.play += [f"play {box} P{box}", f"bet {box} P{box} play 20.00"]
            shown = [DEALER, *still] if 3 in self.off else [DEALER, *still, 3]
            self.play += [f"reveal {box}" for box in shown]
            for box in PLAYERS:
                if box not in self.off and box not in self.out:
                    self._not_asked(box)
        self.findings += [f"deal_order {e.box}" for e in self.errors if not e.noted]
        lines = []
        for box in ANTES:
            bets = ("ante", "play") if box in still and not declared else ("ante",)
            lines += [f"{box} P{box} {bet} 20.00: {self._result(box, clause)}" for bet in bets]
        won = self._result(3, clause, "win 10.00 + 10.00 (4.2)").replace("20.00 + 0", "10.00 + 0")
        lines.append(f"3 P3 pair_plus 10.00: {won}")
        return Worked(self.play, clause, lines, self._said(void=clause is not None))

    def _result(self, box: int, clause: str | None, won: str = "win 20.00 + 20.00 (3.15.1)") -> str:
        if clause is not None:
            return "returned 20.00 + 0 (5.21)"
        if box in self.off:
            return f"returned 20.00 + 0 ({self.off[box]})"
        return f"lose 0 + 0 ({self.out[box]})" if box in self.out else won

    def _not_asked(self, box: int) -> None:
        self.unasked.append((box, list(self.asked[box])))

    def _said(self, *, void: bool) -> list[str]:
        """Findings. One exposed card has no consequence in the other reading: nobody need be asked
        then, unless the round is void, which tells every breach."""
        missing = [
            f"missing_option {box} P{box} (5.10)"
            for box, errors in self.unasked
            if any(void or error.kind != "card_exposed" for error in errors)
        ]
        return self.findings + missing
