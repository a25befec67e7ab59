"""The opening of a golden round, with what the language takes for granted."""

from __future__ import annotations

from typing import Any

from checks.golden.words import cents

DEFAULT_LIMITS = {
    "initial": (5, 5000),
    "ante": (5, 5000),
    "pair_plus": (5, 1000),
    "player_pair": (1, 1000),
    "bonus": (1, 1000),
    "under_13": (1, 1000),
    "over_13": (1, 1000),
    "pandemonium": (1, 1000),
}


def opening(rulebook_id: str, table: dict[str, Any]) -> dict[str, Any]:
    """The fields of `RoundOpened`; `table` is what the round says of its table."""
    from replay.registry import rulebook  # only here: who only reads needs no rulebook

    book = rulebook(rulebook_id)
    if book is None:
        raise ValueError(f"there is no rulebook {rulebook_id}")
    limits = {}
    stated = table.get("limits", {})
    for bet in dict.fromkeys((*book.opening_bets, *stated)):
        low, high = stated.get(bet) or DEFAULT_LIMITS[bet]
        limits[bet] = {"min": cents(str(low)), "max": cents(str(high))}
    out: dict[str, Any] = {
        "rulebook": rulebook_id,
        "shoe": "S1",
        "decks": table.get("decks", book.usual_decks),
        "boxes": table.get("boxes", 7),
        "limits": limits,
    }
    if book.jackpot_rows_cents:
        prescribed = table.get("jackpot_bet", 5)
        out["jackpot_bet"] = None if prescribed is None else cents(str(prescribed))
    if "dealt_from" in table:
        out["dealt_from"] = table["dealt_from"]
    return out
