"""The pieces of the drawing: cards, chips, labels. Each is a string of SVG around a place."""

from __future__ import annotations

from html import escape

from pipelines.investigate.scene import Card
from replay.findings import dollars

SUIT_PATHS = {
    "H": "M12 21C5 15 2 11.5 2 7.8 2 5 4.2 3 6.8 3 9 3 11 4.3 12 6.3 13 4.3 15 3 17.2 3 19.8 3 22 "
    "5 22 7.8 22 11.5 19 15 12 21Z",
    "D": "M12 1.5 20 12 12 22.5 4 12Z",
    "S": "M12 2C12 2 3 9 3 14.2 3 17 5 19 7.4 19 9 19 10.4 18.2 11.2 17 11 19.4 10 21 8.5 22h7c-1.5"
    "-1-2.5-2.6-2.7-5 .8 1.2 2.2 2 3.8 2 2.4 0 4.4-2 4.4-4.8C21 9 12 2 12 2Z",
    "C": "M12 2a4.6 4.6 0 0 0-3.6 7.5A4.6 4.6 0 1 0 11 16.6C10.9 19.2 10 21 8.5 22h7c-1.5-1-2.4-2.8"
    "-2.5-5.4A4.6 4.6 0 1 0 15.6 9.5 4.6 4.6 0 0 0 12 2Z",
}
CHIP_COLOURS = (  # from this many cents on
    (100_000, "#d9822b"),
    (50_000, "#6b3fa0"),
    (10_000, "#22262a"),
    (2_500, "#2f7d4f"),
    (500, "#b8352f"),
    (0, "#6f8fae"),
)
SHORT = {
    "player_pair": "pair",
    "under_13": "under 13",
    "over_13": "over 13",
    "pandemonium": "pandem.",
    "pair_plus": "pair plus",
    "progressive": "jackpot",
    "super_bonus": "super bonus",
    "super_bonus_share": "bonus share",
    "ante_bonus": "ante bonus",
    "envy_bonus": "envy bonus",
}
CARD_W, CARD_H = 52.0, 74.0


def text(
    x: float, y: float, words: str, cls: str, *, anchor: str = "middle", extra: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{cls}" text-anchor="{anchor}"{extra}>'
        f"{escape(words)}</text>"
    )


def definitions() -> str:
    """Suits, felt, rail and the back of a card, each drawn once."""
    suits = "".join(
        f'<symbol id="suit-{suit}" viewBox="0 0 24 24"><path d="{path}"/></symbol>'
        for suit, path in SUIT_PATHS.items()
    )
    return (
        f"<defs>{suits}"
        '<radialGradient id="felt" cx="50%" cy="8%" r="95%"><stop offset="0" stop-color="#2a8460"/>'
        '<stop offset=".55" stop-color="#17613f"/><stop offset="1" stop-color="#0c3f2a"/>'
        '</radialGradient><linearGradient id="rail" x1="0" y1="0" x2="0" y2="1">'
        '<stop offset="0" stop-color="#5a3a22"/><stop offset="1" stop-color="#2c1a0e"/>'
        '</linearGradient><pattern id="back" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="7" height="7" fill="#e3e8f2"/>'
        '<rect width="2.4" height="7" fill="#b9c6de"/></pattern></defs>'
    )


def card(x: float, y: float, scale: float, face: Card, *, new: bool) -> str:
    """A card with its left upper corner at a place. Face down it still says what it is, because
    the device read it, but looks as it lay."""
    suited = len(face.face) == 2 and face.face[1] in SUIT_PATHS
    rank = face.face[0].replace("T", "10") if suited else face.face
    red = " red" if suited and face.face[1] in "HD" else ""
    down = "" if face.up else " down"
    ring = " new" if new else ""
    named = f"{rank} of {_suit(face.face[1])}" if suited else rank
    lies = "" if face.up else ", face down"
    parts = [
        f'<g class="card{red}{down}{ring}" transform="translate({x:.1f} {y:.1f}) '
        f'scale({scale:.3f})"><title>{escape(named)}{lies}, card {face.draw} of the shoe</title>',
        f'<rect class="shade" x="1.5" y="2.5" width="{CARD_W}" height="{CARD_H}" rx="6"/>',
        f'<rect class="face" width="{CARD_W}" height="{CARD_H}" rx="6"/>',
    ]
    if suited:
        parts.append(text(11.5, 20, rank, "rank"))
        parts.append(_use(face.face[1], 5, 24, 13))
        parts.append(_use(face.face[1], 17, 34, 28))
    else:
        parts.append(text(CARD_W / 2, CARD_H / 2 + 5, rank[:6], "odd"))
    return "".join(parts) + "</g>"


def _use(suit: str, x: float, y: float, size: float) -> str:
    return f'<use href="#suit-{suit}" x="{x}" y="{y}" width="{size}" height="{size}"/>'


def _suit(letter: str) -> str:
    return {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}[letter]


def chip(x: float, y: float, amount: int, scale: float) -> str:
    """A little stack, seen from above; the colour says how much, as on a real table."""
    colour = next(c for least, c in CHIP_COLOURS if amount >= least)
    least = next(n for n, _ in CHIP_COLOURS if amount >= n) or 100
    high = min(3, amount // least)
    under = "".join(
        f'<circle cy="{3.2 * n:.1f}" r="13.5" fill="{colour}" stroke="#0006"/>'
        for n in range(high, 0, -1)
    )
    return (
        f'<g class="chip" transform="translate({x:.1f} {y:.1f}) scale({scale:.3f})">{under}'
        f'<circle r="13.5" fill="{colour}" stroke="#0006"/>'
        '<circle r="11.2" fill="none" stroke="#fff" stroke-opacity=".9" stroke-width="4" '
        'stroke-dasharray="5.1 6.63"/>'
        f'<circle r="8.2" fill="{colour}" stroke="#fff" stroke-opacity=".75"/></g>'
    )


def token(
    x: float, y: float, scale: float, amount: int, bet: str, settled: tuple[int, int] | None
) -> str:
    """A bet: its chips, how much, which bet, and what became of it."""
    label = SHORT.get(bet, bet.replace("_", " "))
    out = [f'<g class="token{_state(settled)}">']
    if amount:
        out.append(chip(x, y, amount, scale))
        out.append(text(x, y + 27 * scale, dollars(amount), "amount"))
    out.append(text(x, y + 40 * scale, label, "bet"))
    if settled is not None:
        back, won = settled
        words = f"+{dollars(won)}" if won else ("lost" if not back else f"{dollars(back)} back")
        width = 9 + 7.0 * len(words)
        out.append(
            f'<rect class="tag" x="{x - width / 2:.1f}" y="{y - 9:.1f}" width="{width:.1f}" '
            f'height="18" rx="9"/>' + text(x, y + 4.8, words, "tagged")
        )
    return "".join(out) + "</g>"


def _state(settled: tuple[int, int] | None) -> str:
    if settled is None:
        return ""
    back, won = settled
    return " won" if won else (" lost" if not back else " back")


def pill(x: float, y: float, words: str, cls: str) -> str:
    """A few words on a rounded ground, centred at a place."""
    width = pill_width(words)
    return (
        f'<g class="pill {cls}"><rect x="{x - width / 2:.1f}" y="{y - 10:.1f}" '
        f'width="{width:.1f}" height="20" rx="10"/>{text(x, y + 4.8, words, "words")}</g>'
    )


def pill_width(words: str) -> float:
    """How wide a pill is: the page can't measure text, so the letters are counted."""
    return 14 + 8.2 * len(words)


def badge(x: float, y: float, number: int, message: str, severity: str) -> str:
    """A finding where it happened: its number, and its sentence when pointed at."""
    return (
        f'<a href="#finding-{number}" class="badge {severity}"><title>{escape(message)}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12"/>{text(x, y + 5, str(number), "number")}</a>'
    )
