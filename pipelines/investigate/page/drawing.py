"""The drawn table for all steps at once: every piece with the first and last step it is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from events.contract import MAX_BOX
from pipelines.investigate.case import Investigation, PlayStep
from pipelines.investigate.page import shapes as pieces
from pipelines.investigate.page.layout import (
    CARD_H,
    CARD_W,
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
from pipelines.investigate.page.templating import shapes
from pipelines.investigate.scene import Scene, SceneCard, SceneHand, counts
from replay.answer import Finding
from replay.findings import dollars

Depth = tuple[int, ...]


class Piece(NamedTuple):
    """A piece of the drawing at one step. `depth` orders what lies over what."""

    depth: Depth
    svg: str


class Shown(NamedTuple):
    """A piece with the first and last step in which it is there."""

    depth: Depth
    svg: str
    first: int
    last: int


def draw(case: Investigation) -> Markup:
    """The whole SVG. Without a script it shows the last step."""
    title = f"The table of round {case.answer.round}, step by step"
    artist = _artist(case)
    moving = ranges(artist.pieces(step) for step in case.steps)
    return _table(case, title, moving, len(case.steps) - 1)


def draw_last(case: Investigation, style: str) -> Markup:
    """The last step alone, as a picture that needs no page around it. `style`: its CSS."""
    title = f"The table of round {case.answer.round}"
    pieces_ = sorted(_artist(case).pieces(case.steps[-1]))
    drawn = _table(case, title, [Shown(p.depth, p.svg, 0, 0) for p in pieces_], 0)
    head, _, rest = drawn.partition(">")
    named = head.replace("<svg ", Markup('<svg xmlns="http://www.w3.org/2000/svg" '), 1)
    return named + Markup("><style>") + Markup(style) + Markup("</style>") + rest


def _artist(case: Investigation) -> _Artist:
    told = min(case.facts.boxes, MAX_BOX)  # a device may say any number
    boxes = max([told, *(h.box for s in case.steps for h in s.scene.hands)])
    return _Artist(case, boxes or 7)


def _table(case: Investigation, title: str, moving: list[Shown], last: int) -> Markup:
    drawn: Markup = shapes().table(
        width=WIDTH, height=HEIGHT, title=title, still=_still(case), moving=moving, last=last
    )
    return drawn


def ranges(of_step: Iterable[list[Piece]]) -> list[Shown]:
    """Pieces that stay from step to step, each once with its first and last step."""
    done: list[Shown] = []
    open_: dict[Piece, int] = {}
    for n, there in enumerate(of_step):
        now = set(there)
        gone = [p for p in open_ if p not in now]
        done += [Shown(p.depth, p.svg, open_.pop(p), n - 1) for p in gone]
        for piece in there:
            open_.setdefault(piece, n)
    done += [Shown(p.depth, p.svg, start, n) for p, start in open_.items()]
    return sorted(done)


def _still(case: Investigation) -> Markup:
    """What never moves: suits, rail, felt, the game's name and the tray."""
    name = "" if case.book is None else case.book.title.upper()
    ground: Markup = shapes().ground(TABLE_PATH, TITLE_PATH, name, CENTRE_X, pieces.TRAY)
    definitions: Markup = shapes().definitions(pieces.SUIT_PATHS)
    return definitions + ground


class _Artist:
    def __init__(self, case: Investigation, boxes: int) -> None:
        self.case, self.boxes = case, boxes
        self.rulebook = case.answer.rulebook
        drawn = (
            Piece((8, number), self._badge(number, finding))
            for number, finding in enumerate(case.answer.findings, start=1)
        )
        # a badge never moves: drawn once, however many steps there are
        self.badges = list(zip(drawn, _first_shown(case), strict=True))
        # what did not change from one step to the next is not drawn again
        self._drawn: dict[_BoxState, list[Piece]] = {}

    def pieces(self, step: PlayStep) -> list[Piece]:
        scene = step.scene
        out = [Piece((0,), self._shoe(scene))]
        for box in range(self.boxes + 1):
            now = _state_of(step, box)
            if now not in self._drawn:
                self._drawn[now] = self._box(now) if box else self._dealer(now)
            out += self._drawn[now]
        if scene.meter is not None:
            out.append(Piece((6,), shapes().meter(dollars(scene.meter))))
        if scene.void:
            out.append(Piece((9,), shapes().stamp("VOID", CENTRE_X)))
        out += [badge for badge, at in self.badges if at <= step.index]
        return out

    def _shoe(self, scene: Scene) -> str:
        gone = f"{len(scene.discarded)} discarded" if scene.discarded else ""
        burnt = f"{scene.burnt} burnt" if scene.burnt else ""
        also = ", ".join(part for part in (burnt, gone) if part)
        drawn: str = shapes().shoe(scene.drawn, also)
        return drawn

    def _dealer(self, now: _BoxState) -> list[Piece]:
        opened = self.case.opened
        who = f"dealer {opened.dealer}" if opened is not None and opened.dealer else "dealer"
        out = [Piece((1,), shapes().text(CENTRE_X, DEALER_Y + 118, who, "player"))]
        hand = next((h for h in now.hands if h.no == 0), None)
        if hand is None or not hand.cards:
            return out
        scale = 1.25
        wide, gap = fan(len(hand.cards), CARD_W * scale, 400, 1.08)
        x = CENTRE_X - wide / 2
        for n, face in enumerate(hand.cards):
            svg = shapes().card(
                x + gap * n, DEALER_Y, scale, pieces.face_of(face, new=face.draw in now.new)
            )
            out.append(Piece((3, 0, n), svg))
        words = counts(hand, self.rulebook)
        out.append(self._total(hand, x + wide + 12 + pieces.pill_width(words) / 2, DEALER_Y + 48))
        return out

    def _total(self, hand: SceneHand, x: float, y: float) -> Piece:
        words = counts(hand, self.rulebook)
        kind = "bust" if "bust" in words else "natural" if words[:1] in "PB" else "total"
        return Piece((5, hand.box, hand.no), _pill(x, y, words, kind))

    def _box(self, now: _BoxState) -> list[Piece]:
        box, hands, active = now.box, now.hands, now.active
        place = spot(box, self.boxes)
        tokens = [(h, c) for h in hands for c in h.chips]
        shared = len({c.player for _, c in tokens}) > 1
        bets = [pieces.bet_label(c.amount, _named(c.bet, h), c.settled) for h, c in tokens]
        across = pieces.tokens_across(bets, place.width)
        row_height = pieces.token_height(place.scale, shared=shared)
        rows = max(1, -(-len(tokens) // across))
        empty = not tokens and not any(h.cards for h in hands)
        below = row_height * rows - pieces.CHIP * place.scale
        frame = shapes().frame(place, place.width / 2 - 2, below + 25, box, active, empty)
        out = [Piece((1, box), frame)]
        for n, ((_, chips), bet) in enumerate(zip(tokens, bets, strict=True)):
            in_row = min(across, len(tokens) - n // across * across)
            room = place.width / in_row - 4
            x = place.x + (n % across - (in_row - 1) / 2) * (place.width / in_row)
            y = place.y + n // across * row_height
            svg = shapes().token(x, y, place.scale, bet, room)
            if shared:
                under = y + pieces.CHIP * place.scale + 41
                svg += shapes().text(x, under, shortened(chips.player), "bet")
            out.append(Piece((2, box, n), svg))
        if now.player is not None:
            svg = shapes().text(place.x, place.y + below + 17, now.player, "player")
            out.append(Piece((2, box, 99), svg))
        return out + self._hands(now, place, [h for h in hands if h.cards])

    def _hands(self, now: _BoxState, place: Spot, hands: list[SceneHand]) -> list[Piece]:
        across, small = hand_grid(len(hands))
        scale = small * place.scale
        room = place.width / across - 4
        out: list[Piece] = []
        high = CARD_H * scale
        for n, hand in enumerate(hands):
            column, row = n % across, n // across
            wide, gap = fan(len(hand.cards), CARD_W * scale, room, 0.44)
            middle = place.x + (column - (across - 1) / 2) * (place.width / across + 2)
            bottom = place.y - 47 - row * (high + 24)
            x, y = middle - wide / 2, bottom - high
            for k, face in enumerate(hand.cards):
                svg = shapes().card(
                    x + gap * k, y, scale, pieces.face_of(face, new=face.draw in now.new)
                )
                out.append(Piece((3, hand.box, hand.no, k), svg))
            out.append(self._total(hand, middle, bottom + 8))
            if hand.said:
                said = hand.said[-1]
                svg = _pill(middle, y - 8, said, "said")
                out.append(Piece((5, hand.box, hand.no, 1), svg))
        return out

    def _badge(self, number: int, finding: Finding) -> str:
        before = sum(1 for f in self.case.answer.findings[: number - 1] if f.box == finding.box)
        if not finding.box:
            x, y = CENTRE_X - 200 - 28 * before, 118.0 if finding.box is None else 160.0
        else:
            place = spot(finding.box, self.boxes)
            x, y = place.x + place.width / 2 - 6 - 26 * before, place.y - 24
        drawn: str = shapes().badge(x, y, number, finding)
        return drawn


class _BoxState(NamedTuple):
    """All that a box shows at one step; box 0 is the dealer."""

    box: int
    hands: tuple[SceneHand, ...]
    player: str | None  # who decides
    active: bool  # the event is about it
    new: frozenset[int]  # the cards that the event put there


def _state_of(step: PlayStep, box: int) -> _BoxState:
    hands = tuple(h for h in step.scene.hands if h.box == box)
    active = getattr(step.envelope.event, "box", None) == box
    new = frozenset(card.draw for hand in hands for card in hand.cards) & _new_cards(step)
    return _BoxState(box, hands, dict(step.scene.players).get(box), active, new)


def _named(bet: str, hand: SceneHand) -> str:
    return bet if hand.no == 1 or bet == "split" else f"{bet} {hand.no}"


def _first_shown(case: Investigation) -> list[int]:
    """The step at which each finding shows; one that no event shows stands at the end."""
    at = {n: step.index for step in reversed(case.steps) for n in step.findings}
    last = len(case.steps) - 1
    return [at.get(n, last) for n in range(1, len(case.answer.findings) + 1)]


def _new_cards(step: PlayStep) -> frozenset[int]:
    event = step.envelope.event
    if step.envelope.type == "CardDealt":
        return frozenset({event.draw})  # type: ignore[attr-defined]
    if step.envelope.type == "CardsMoved":
        return frozenset(move.draw for move in event.moves)  # type: ignore[attr-defined]
    return frozenset()


def shortened(player: str) -> str:
    """An opaque reference by its end, where it would not fit under a chip."""
    return player if len(player) <= 5 else f"…{player[-4:]}"


def _card(x: float, y: float, scale: float, card: SceneCard, new: frozenset[int]) -> str:
    drawn: str = shapes().card(x, y, scale, pieces.face_of(card, new=card.draw in new))
    return drawn


def _pill(x: float, y: float, words: str, kind: str) -> str:
    """A few words on a rounded ground, centred at a place."""
    drawn: str = shapes().pill(x, y, words, kind, pieces.pill_width(words))
    return drawn
