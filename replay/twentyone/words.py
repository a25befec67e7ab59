"""What people call a hand of a game to 21."""

from __future__ import annotations

from replay.cards import value


def pontoon_words(faces: list[str], doubled: bool, split: bool) -> str:
    """A doubled hand's first two aces count 1."""
    return _words(faces, 2 if doubled else 0, None if split else "Pontoon")


def blackjack_words(faces: list[str], doubled: bool, split: bool) -> str:
    return _words(faces, 0, None if split else "Blackjack")


def _words(faces: list[str], low_aces: int, natural: str | None) -> str:
    total, soft = value(faces, low_aces)
    if total == 21 and len(faces) == 2 and natural is not None:
        return natural
    if total > 21:
        return f"{total} bust"
    return f"soft {total}" if soft else str(total)
