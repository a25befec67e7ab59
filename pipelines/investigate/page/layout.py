"""Where things lie on the drawn table: the dealer on top, the boxes in an arc below him.

Boxes count clockwise from the dealer's left. He looks down at the players, so his left is on the
right of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

WIDTH, HEIGHT = 1280, 850
CARD_W, CARD_H = 52.0, 74.0
CENTRE_X = WIDTH / 2
DEALER_Y = 104.0
_FROM, _TO = 11.0, 169.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A betting box: the middle of its chips, and how much room it has."""

    x: float
    y: float
    width: float

    @property
    def scale(self) -> float:
        """Smaller where a layout has many boxes."""
        return self.width / 164


def spot(box: int, boxes: int) -> Spot:
    """The place of a box on a layout of so many."""
    many = max(boxes, 1)
    share = 0.5 if many == 1 else (box - 1) / (many - 1)
    angle = radians(_FROM + (_TO - _FROM) * share)
    x = CENTRE_X + 508 * cos(angle)
    y = 122 + 506 * sin(angle)
    return Spot(x, y, min(190.0, 1330.0 / many))


def fan(count: int, card_width: float, room: float, overlap: float) -> tuple[float, float]:
    """The whole width of some cards, and how far each lies from the one before."""
    if count < 2:
        return card_width, 0.0
    step = min(card_width * overlap, (room - card_width) / (count - 1))
    return card_width + step * (count - 1), step


def hand_grid(hands: int) -> tuple[int, float]:
    """How many hands of a box lie side by side, and how small they are."""
    if hands <= 1:
        return 1, 1.0
    return 2, 0.8 if hands == 2 else 0.62


TABLE_PATH = (
    f"M44 22H{WIDTH - 44}Q{WIDTH - 16} 22 {WIDTH - 18} 60C{WIDTH - 24} 560 {WIDTH - 330} "
    f"{HEIGHT - 18} {CENTRE_X} {HEIGHT - 18}S24 560 18 60Q16 22 44 22Z"
)
TITLE_PATH = f"M262 292Q{CENTRE_X} 470 {WIDTH - 262} 292"
