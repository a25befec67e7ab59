"""The drawn table for all steps at once: every piece with the first and last step it is there."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from pipelines.investigate.case import Case, Step
from pipelines.investigate.page import shapes
from pipelines.investigate.page.layout import (
    CENTRE_X,
    DEALER_Y,
    HEIGHT,
    TABLE_PATH,
    TITLE_PATH,
    WIDTH,
    Spot,
    fan,
    hand_grid,
    spot,
)
from pipelines.investigate.scene import Hand, Scene, counts
from replay.answer import Finding
from replay.findings import dollars

Depth = tuple[int, ...]


class Piece(NamedTuple):
    """A piece of the drawing at one step. `depth` orders what lies over what."""

    depth: Depth
    svg: str


def draw(case: Case) -> str:
    """The whole SVG. Without a script it shows the last step."""
    steps = case.steps
    boxes = max([case.facts.boxes, *(h.box for s in steps for h in s.scene.hands)])
    artist = _Artist(case, boxes or 7)
    runs = ranges([artist.pieces(step) for step in steps])
    last = len(steps) - 1
    moving = "".join(
        f'<g data-a="{a}" data-b="{b}"{"" if a <= last <= b else " hidden"}>{svg}</g>'
        for _, svg, a, b in runs
    )
    title = f"The table of round {case.answer.round}, step by step"
    return (
        f'<svg id="table" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{shapes.definitions()}{_ground(case)}'
        f"{moving}</svg>"
    )


def ranges(of_step: list[list[Piece]]) -> list[tuple[Depth, str, int, int]]:
    """Pieces that stay from step to step, each once with its first and last step."""
    done: list[tuple[Depth, str, int, int]] = []
    open_: dict[Piece, int] = {}
    for n, pieces in enumerate(of_step):
        now = set(pieces)
        gone = [p for p in open_ if p not in now]
        done += [(p.depth, p.svg, open_.pop(p), n - 1) for p in gone]
        for piece in pieces:
            open_.setdefault(piece, n)
    done += [(p.depth, p.svg, start, len(of_step) - 1) for p, start in open_.items()]
    return sorted(done)


def _ground(case: Case) -> str:
    """What never moves: rail, felt, the game's name, the tray and the shoe."""
    name = "" if case.book is None else case.book.title.upper()
    tray = "".join(
        f'<rect x="{CENTRE_X - 150 + 26 * n:.0f}" y="45" width="22" height="26" rx="4" '
        f'fill="{colour}" stroke="#0005"/>'
        for n, colour in enumerate(
            ("#6f8fae", "#b8352f", "#b8352f", "#2f7d4f", "#2f7d4f", "#22262a", "#22262a",
             "#6b3fa0", "#d9822b", "#b8352f", "#2f7d4f")
        )
    )  # fmt: skip
    return (
        f'<path d="{TABLE_PATH}" fill="url(#felt)" stroke="url(#rail)" stroke-width="30"/>'
        f'<path d="{TABLE_PATH}" fill="none" stroke="#0004" stroke-width="3" '
        'transform="translate(0 1)"/>'
        f'<path id="arc" d="{TITLE_PATH}" fill="none"/>'
        f'<text class="game{" long" if len(name) > 20 else ""}"><textPath href="#arc" '
        f'startOffset="50%" text-anchor="middle">{escape(name)}</textPath></text>'
        f'<rect x="{CENTRE_X - 158}" y="38" width="316" height="40" rx="9" class="tray"/>{tray}'
    )


class _Artist:
    def __init__(self, case: Case, boxes: int) -> None:
        self.case, self.boxes = case, boxes
        self.rulebook = case.answer.rulebook
        self.shown_at = _first_shown(case)

    def pieces(self, step: Step) -> list[Piece]:
        scene = step.scene
        out = [Piece((0,), self._shoe(scene))]
        out += self._dealer(step)
        for box in range(1, self.boxes + 1):
            out += self._box(step, box)
        if scene.meter is not None:
            out.append(Piece((6,), _meter(scene.meter)))
        if scene.void:
            out.append(Piece((9,), _stamp("VOID")))
        for number, finding in enumerate(self.case.answer.findings, start=1):
            if self.shown_at[number - 1] <= step.index:
                out.append(Piece((8, number), self._badge(number, finding)))
        return out

    def _shoe(self, scene: Scene) -> str:
        gone = f"{len(scene.discarded)} discarded" if scene.discarded else ""
        burnt = f"{scene.burnt} burnt" if scene.burnt else ""
        also = ", ".join(part for part in (burnt, gone) if part)
        return (
            '<g class="shoe"><rect x="952" y="42" width="96" height="50" rx="8"/>'
            + shapes.text(1000, 62, "shoe", "small")
            + shapes.text(1000, 82, f"card {scene.drawn}" if scene.drawn else "-", "amount")
            + "</g>"
            + (shapes.text(1000, 112, also, "small") if also else "")
        )

    def _dealer(self, step: Step) -> list[Piece]:
        opened = self.case.opened
        who = f"dealer {opened.dealer}" if opened is not None and opened.dealer else "dealer"
        out = [Piece((1,), shapes.text(CENTRE_X, DEALER_Y + 118, who, "player"))]
        hand = step.scene.hand(0, 0)
        if hand is None or not hand.cards:
            return out
        scale = 1.25
        wide, gap = fan(len(hand.cards), shapes.CARD_W * scale, 400, 1.08)
        x = CENTRE_X - wide / 2
        new = _new_cards(step)
        for n, face in enumerate(hand.cards):
            svg = shapes.card(x + gap * n, DEALER_Y, scale, face, new=face.draw in new)
            out.append(Piece((3, 0, n), svg))
        words = counts(hand, self.rulebook)
        out.append(self._total(hand, x + wide + 12 + shapes.pill_width(words) / 2, DEALER_Y + 48))
        return out

    def _total(self, hand: Hand, x: float, y: float) -> Piece:
        words = counts(hand, self.rulebook)
        kind = "bust" if "bust" in words else "natural" if words[:1] in "PB" else "total"
        return Piece((5, hand.box, hand.no), shapes.pill(x, y, words, kind))

    def _box(self, step: Step, box: int) -> list[Piece]:
        place = spot(box, self.boxes)
        hands = [h for h in step.scene.hands if h.box == box]
        tokens = [(h, c) for h in hands for c in h.chips]
        players = {c.player for _, c in tokens}
        row_height = (68.0 if len(players) > 1 else 55.0) * place.scale
        rows = max(1, -(-len(tokens) // 3))
        active = " active" if getattr(step.envelope.event, "box", None) == box else ""
        used = "" if tokens or any(h.cards for h in hands) else " empty"
        half = place.width / 2 - 2
        frame = (
            f'<rect class="box{active}{used}" x="{place.x - half:.1f}" y="{place.y - 24:.1f}" '
            f'width="{2 * half:.1f}" height="{row_height * rows + 13:.1f}" rx="13"/>'
            + shapes.text(place.x - half + 8, place.y - 30, str(box), "number")
        )
        out = [Piece((1, box), frame)]
        for n, (hand, chips) in enumerate(tokens):
            in_row = min(3, len(tokens) - n // 3 * 3)
            x = place.x + (n % 3 - (in_row - 1) / 2) * place.width / 3.1
            y = place.y + n // 3 * row_height
            svg = shapes.token(
                x, y, place.scale, chips.amount, _named(chips.bet, hand), chips.settled
            )
            if len(players) > 1:
                svg += shapes.text(x, y + 52 * place.scale, _short(chips.player), "bet")
            out.append(Piece((2, box, n), svg))
        out += self._label(step, box, place, row_height * rows + 7)
        out += self._hands(step, place, [h for h in hands if h.cards])
        return out

    def _label(self, step: Step, box: int, place: Spot, below: float) -> list[Piece]:
        player = dict(step.scene.players).get(box)
        if player is None:
            return []
        return [Piece((2, box, 99), shapes.text(place.x, place.y + below, player, "player"))]

    def _hands(self, step: Step, place: Spot, hands: list[Hand]) -> list[Piece]:
        across, small = hand_grid(len(hands))
        scale = small * place.scale
        room = place.width / across - 4
        new = _new_cards(step)
        out: list[Piece] = []
        high = shapes.CARD_H * scale
        for n, hand in enumerate(hands):
            column, row = n % across, n // across
            wide, gap = fan(len(hand.cards), shapes.CARD_W * scale, room, 0.44)
            middle = place.x + (column - (across - 1) / 2) * (place.width / across + 2)
            bottom = place.y - 47 - row * (high + 24)
            x, y = middle - wide / 2, bottom - high
            for k, face in enumerate(hand.cards):
                svg = shapes.card(x + gap * k, y, scale, face, new=face.draw in new)
                out.append(Piece((3, hand.box, hand.no, k), svg))
            out.append(self._total(hand, middle, bottom + 8))
            if hand.said:
                svg = shapes.pill(middle, y - 8, hand.said[-1], "said")
                out.append(Piece((5, hand.box, hand.no, 1), svg))
        return out

    def _badge(self, number: int, finding: Finding) -> str:
        before = sum(1 for f in self.case.answer.findings[: number - 1] if f.box == finding.box)
        if not finding.box:
            x, y = CENTRE_X - 200 - 28 * before, 118.0 if finding.box is None else 160.0
        else:
            place = spot(finding.box, self.boxes)
            x, y = place.x + place.width / 2 - 6 - 26 * before, place.y - 24
        return shapes.badge(x, y, number, finding.message, finding.severity)


def _named(bet: str, hand: Hand) -> str:
    return bet if hand.no == 1 or bet == "split" else f"{bet} {hand.no}"


def _first_shown(case: Case) -> list[int]:
    """The step at which each finding shows; one that no event shows stands at the end."""
    at = {n: step.index for step in reversed(case.steps) for n in step.findings}
    last = len(case.steps) - 1
    return [at.get(n, last) for n in range(1, len(case.answer.findings) + 1)]


def _new_cards(step: Step) -> frozenset[int]:
    event = step.envelope.event
    if step.envelope.type == "CardDealt":
        return frozenset({event.draw})  # type: ignore[attr-defined]
    if step.envelope.type == "CardsMoved":
        return frozenset(move.draw for move in event.moves)  # type: ignore[attr-defined]
    return frozenset()


def _meter(cents: int) -> str:
    return (
        '<g class="meter"><rect x="226" y="42" width="196" height="54" rx="8"/>'
        + shapes.text(324, 61, "jackpot", "small")
        + shapes.text(324, 86, dollars(cents), "led")
        + "</g>"
    )


def _stamp(word: str) -> str:
    return (
        f'<g class="stamp" transform="rotate(-9 {CENTRE_X} 400)"><rect x="{CENTRE_X - 190}" '
        f'y="330" width="380" height="120" rx="16"/>{shapes.text(CENTRE_X, 422, word, "void")}</g>'
    )


def _short(player: str) -> str:
    """An opaque reference by its end, where it would not fit under a chip."""
    return player if len(player) <= 5 else f"…{player[-4:]}"
