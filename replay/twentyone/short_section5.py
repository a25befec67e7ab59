"""Section 5 as Pandemonium and MBS have it: a foreign card, a deal that can't be put right."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from replay import grounds as shared
from replay.answer import Key
from replay.facts import Moved
from replay.findings import Findings
from replay.grounds import Ground
from replay.stakes import Closing, Stake
from replay.twentyone.established import established
from replay.twentyone.game import Game, Incidents, Section5
from replay.twentyone.incidents import left
from replay.twentyone.table import Table

DEALT_WRONGLY = frozenset(
    "dealing_error simultaneous_cards cards_to_empty_box wrong_card_count".split()
)
WITHOUT_A_CLAUSE = frozenset(
    "card_shortage insufficient_cards not_shuffled player_left jackpot_malfunction".split()
)


class Voids(NamedTuple):
    """The two void grounds of such a text."""

    foreign: str
    dealt_wrongly: str


def section_5(*, foreign: str, dealt_wrongly: str, closing: Closing) -> Section5:
    """The text has no limits and leaves reconstruction to the house."""
    return Section5(
        closing=closing,
        incidents=partial(_incidents, Voids(foreign, dealt_wrongly)),
        overdraw_cut=lambda readings: readings.other("dealer-overdraw"),
    )


def _incidents(
    text: Voids,
    table: Table,
    stakes: dict[Key, Stake],
    game: Game,
    findings: Findings,
) -> Incidents:
    """Voids of a text with a short section 5; what it is silent on is left to people."""
    out = Incidents()
    round_ = table.round
    grounds: list[Ground] = []
    card = shared.foreign_card(round_, game.deck)
    if card is not None:
        grounds.append(Ground(card.at, text.foreign))
    _excess(text, table, grounds, findings)
    if round_.shuffled is False:
        _silent(findings, "not_shuffled", None)
    if not (round_.irregular or grounds):
        return out
    shared.rulings(round_, findings)
    for note in round_.notes:
        if note.kind == "foreign_card":
            grounds.append(Ground(note.at, text.foreign))
        elif note.kind in WITHOUT_A_CLAUSE:
            _silent(findings, note.kind, note.at)
        elif note.kind == "technical_interruption":
            _silent(findings, note.kind, note.at)
            if not established(game, table, stakes, note.at) and table.readings.other(
                "interruption-without-a-clause"
            ):
                grounds.append(Ground(note.at, "RWS 5.4.2"))
    late = _dealt_wrongly(text, table, grounds, findings)
    accepted = frozenset({text.foreign} if late else {text.foreign, text.dealt_wrongly})
    shared.declared_grounds(round_, grounds, accepted, None, findings)
    clause = shared.choose(grounds, round_)
    if clause is not None:
        out.void_clauses = (clause,)
    elif round_.voids:
        out.stopped = True
    out.left = left(table, stakes)
    return out


def _silent(findings: Findings, kind: str, at: int | None) -> None:
    what = kind.replace("_", " ")
    findings.add("discretion", (), f"{what}: the text is silent on it; people decide", at=at)


def _excess(text: Voids, table: Table, grounds: list[Ground], findings: Findings) -> None:
    """More copies of a card than decks: a foreign card, unless read otherwise."""
    round_ = table.round
    noted = next((note for note in round_.notes if note.kind == "card_excess"), None)
    found = shared.excess_card(round_) or noted
    if found is None:
        return
    if not table.readings.other("excess-card-as-foreign"):
        grounds.append(Ground(found.at, text.foreign))
        return
    findings.add("impossible_card", (text.foreign,), "a card is there once too often", at=found.at)


def _dealt_wrongly(text: Voids, table: Table, grounds: list[Ground], findings: Findings) -> bool:
    """Dealt incorrectly, before anything was settled or drawn, and not to be put right: void.

    True where the error came too late for that, so that declaring it void has no ground.
    """
    round_ = table.round
    notes = [note for note in round_.notes if note.kind in DEALT_WRONGLY]
    if not notes or any(isinstance(step, Moved) for step in round_.steps):
        return False
    hopeless = any(ruling.ruling == "not_reconstructable" for ruling in round_.rulings) or any(
        declared.clause == text.dealt_wrongly for declared in round_.voids
    )
    if not hopeless:
        return False
    at = notes[0].at
    late = table.extra_at < at or any(settled.at < at for settled in round_.settled)
    if not late or table.readings.other("late-dealing-error"):
        grounds.append(Ground(at, text.dealt_wrongly))
        return False
    findings.add(
        "discretion",
        (text.dealt_wrongly,),
        "a dealing error that cannot be put right was noted after further cards or a settlement",
        at=at,
    )
    return True
