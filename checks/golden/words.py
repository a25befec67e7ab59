"""How amounts, places and clauses are written in a golden round."""

from __future__ import annotations

from dataclasses import dataclass


def cents(text: str) -> int:
    """`12.50` or `12` as cents."""
    whole, _, part = text.partition(".")
    if part and len(part) != 2:
        raise ValueError(f"{text}: an amount is written 12 or 12.50")
    return int(whole) * 100 + int(part or 0)


def place(text: str) -> tuple[int, int]:
    """`3` is box 3, hand 1; `3.2` its second hand; `0` the dealer."""
    box, _, hand = text.partition(".")
    return int(box), (int(hand) if hand else (0 if box == "0" else 1))


def clause_list(text: str | None) -> tuple[str, ...]:
    return tuple(c.strip() for c in text.split(",")) if text else ()


@dataclass(frozen=True, slots=True)
class Cited:
    """Clauses that must be cited; with `only` no other may be."""

    clauses: tuple[str, ...]
    only: bool

    def unlike(self, found: tuple[str, ...]) -> bool:
        if self.only:
            return set(self.clauses) != set(found)
        return not set(self.clauses) <= set(found)


def cited(text: str | None) -> Cited:
    """`3.16, 4.1.1`, or `only 3.16` where nothing else may be cited."""
    only = text is not None and text.startswith("only ")
    return Cited(clause_list(text.removeprefix("only ") if text else None), only)
