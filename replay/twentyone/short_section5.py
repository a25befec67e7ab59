"""Section 5 as Pandemonium and MBS have it: a foreign card, a deal that can't be put right."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from replay import grounds as shared
from replay.answer import Key
from replay.facts import NEVER, Moved
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
    noted = [note.at for note in round_.notes if note.kind in DEALT_WRONGLY]
    moved = [step.at for step in round_.steps if isinstance(step, Moved)]
    declared = [void.at for void in round_.voids if void.clause == text.dealt_wrongly]
    ruled = any(ruling.ruling == "not_reconstructable" for ruling in round_.rulings)
    if not declared and (moved or not (noted and ruled)):
        return False
    at = min(noted + moved or declared)  # when it was seen, at the latest
    late = _subsequent_deal_at(table) < at or any(settled.at < at for settled in round_.settled)
    if not late or table.readings.other("late-dealing-error"):
        if noted and not moved:
            grounds.append(Ground(at, text.dealt_wrongly))
        return False  # without a note the declaration itself is one
    findings.add(
        "discretion",
        (text.dealt_wrongly,),
        "a dealing error that cannot be put right was noted after further cards or a settlement",
        at=at,
    )
    return True


def _subsequent_deal_at(table: Table) -> int:
    """When the subsequent deal began.

    It is the cards that players ask for (MBS 1.1.14); when it is over, the dealer draws (MBS 3.19,
    Pandemonium 3.18). So his second card proves that its time has come, if the initial deal was
    complete and somebody had decided. A card that nobody asked for, or one that the dealer took
    before, begins nothing: it may be the very card that was dealt incorrectly.
    """
    idle = {id(card) for card in (*table.initial, *table.unasked)}
    further = (card.at for card in table.round.cards if card.dealt_box and id(card) not in idle)
    asked_for = min(further, default=NEVER)
    second = table.dealer_second_at
    complete = all(card.at < second for card in table.initial)
    decided = any(made.at < second for made in table.round.decisions)
    return min(asked_for, second) if complete and decided else asked_for
