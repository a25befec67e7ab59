"""What all texts on irregularities share: proofs by the cards, grounds for a void, rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from replay.answer import Key
from replay.cards import UNREADABLE
from replay.facts import Card, Discard, Round
from replay.findings import Findings
from replay.lines import line_of
from replay.rulebook import Outcome
from replay.rules import RETURNED
from replay.stakes import Stake

BORROWED = "RWS "
"""Begins the name of a paragraph that a reading takes from other texts than the round's own."""


class Ground(NamedTuple):
    """A reason for which a round is void."""

    at: int
    clause: str


def foreign_card(round_: Round, deck: frozenset[str]) -> Card | None:
    """The first card, dealt or burnt, that does not belong to the decks."""
    for card in (*round_.cards, *round_.burnt):
        if card.face and card.face not in deck and card.face != UNREADABLE:
            return card
    return None


def excess_card(round_: Round) -> Card | None:
    """The first card that was seen more often than the decks allow."""
    cards = [*round_.cards, *round_.burnt] if round_.burnt else round_.cards
    faces = [card.face for card in cards]
    if len(faces) - len(set(faces)) < round_.decks:  # no card can be there once too often
        return None
    seen: dict[str, int] = {}
    for card in cards:
        if card.face in {"", UNREADABLE}:
            continue
        seen[card.face] = seen.get(card.face, 0) + 1
        if seen[card.face] > round_.decks:
            return card
    return None


def rulings(round_: Round, findings: Findings) -> None:
    """What a person decided is followed, and said."""
    for ruling in round_.rulings:
        findings.add(
            "discretion",
            (ruling.clause,),
            f"the {ruling.by.replace('_', ' ')} ruled: {ruling.ruling.replace('_', ' ')}",
            at=ruling.at,
            box=ruling.box,
            hand=ruling.hand,
        )


def covers(cited: str, clause: str) -> bool:
    """Whether a void under one paragraph is one under the other: it covers its sub-paragraphs."""
    return clause == cited or clause.startswith(cited + ".")


def choose(grounds: list[Ground], round_: Round) -> str | None:
    """The ground that was declared, where it is one; else the first."""
    if not grounds:
        return None
    in_order = sorted(grounds)
    for declared in round_.voids:
        for ground in in_order:
            if covers(declared.clause, ground.clause):
                return ground.clause
    return in_order[0].clause


def declared_grounds(
    round_: Round,
    grounds: list[Ground],
    accepted: frozenset[str],
    last_resort: str | None,
    findings: Findings,
) -> None:
    """A declared void counts as a note of its ground where the cards can't contradict it."""
    known = {ground.clause for ground in grounds}
    for declared in round_.voids:
        shift = declared.clause == last_resort and declared.by == "shift_manager"
        if any(covers(declared.clause, clause) for clause in known):
            continue
        if not (declared.clause in accepted or shift):
            continue
        grounds.append(Ground(declared.at, declared.clause))
        findings.add(
            "discretion",
            (declared.clause,),
            f"declared void by the {declared.by.replace('_', ' ')} "
            f"({declared.reason}); nothing else was noted",
            at=declared.at,
        )


def unreadable(round_: Round, findings: Findings) -> bool:
    """A card that could not be read and was not discarded: nobody can settle the round."""
    hidden = [card for card in round_.cards if card.face == UNREADABLE]
    if not hidden:
        return False
    gone = {step.draw for step in round_.steps if isinstance(step, Discard)}
    for card in hidden:
        if card.draw not in gone:
            says = f"card {card.draw} of the shoe could not be read and was not discarded"
            findings.add("impossible_card", (), says, at=card.at, box=card.box, hand=card.hand)
            return True
    return False


def void(round_: Round, stakes: Mapping[Key, Stake], clauses: tuple[str, ...]) -> Outcome:
    """A void round: everything that lay on the table goes back."""
    lines = [
        line_of(round_.bets[key], Stake(stake.amount, stake.amount), RETURNED, clauses)
        for key, stake in stakes.items()
    ]
    lines.sort()
    return Outcome("void", clauses[0], lines)
