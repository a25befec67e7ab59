"""The choice after a dealing error: who is asked, and what each player answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from replay.episodes import DEALING_ERRORS, Episode, Episodes, Text
from replay.episodes.answers import Answered, Asked, answered
from replay.episodes.model import Seat
from replay.facts import Moved, Round

DEMANDED = {"dealing_error": ("5.7",), "simultaneous_cards": ("5.12.2", "5.7")}
"""Notes after which every player is asked, and the paragraphs that say so."""

ERRORS = DEALING_ERRORS | {"card_exposed"}
"""Dealing errors: a choice may be given after them, and is due once cards were put right."""


class Choice(NamedTuple):
    """An error that gives the choice: since when, and by which paragraphs it is due, if it is."""

    at: int
    episode: Episode
    clauses: tuple[str, ...]


def choices(episodes: Iterable[Episode]) -> list[Choice]:
    """The errors of a round that give players the choice, in their order."""
    out = []
    for episode in episodes:
        if not episode.kinds & ERRORS:
            continue
        noted = next((note for note in episode.notes if note.kind in DEMANDED), None)
        moved = min((step.at for step in episode.moves), default=None)
        if noted is not None:
            out.append(Choice(noted.at, episode, DEMANDED[noted.kind]))
        elif moved is not None:
            out.append(Choice(moved, episode, ("5.7",)))
        else:
            out.append(Choice(episode.at, episode, ()))
    return sorted(out, key=lambda choice: choice.at)


def answers_of(round_: Round, given: Iterable[Choice], seat: Seat) -> Answered:
    return answered(round_, [Asked(choice.at, choice.episode) for choice in given], seat)


def taken_back(round_: Round) -> dict[Seat, int]:
    """Who had his bets back, and when he said so: known before the cards are walked through.

    Which moves put an error right is not known yet; each of them asks.
    """
    if not any(option.option == "take_back" for option in round_.options):
        return {}
    noted = Episodes(round_, Text(families=(ERRORS,)))
    noted.finish()
    given = choices(noted.all)
    for step in round_.steps:
        if isinstance(step, Moved):
            given.append(Choice(step.at, Episode("dealing_error", step.at, None, None, None), ()))
    out: dict[Seat, int] = {}
    for seat in {(option.box, option.player) for option in round_.options}:
        found = answers_of(round_, given, seat)
        if found.back is not None:
            out[seat] = found.back.at
    return out
