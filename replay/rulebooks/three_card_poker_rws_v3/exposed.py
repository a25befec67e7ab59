"""Cards that the dealer exposed during the deal (5.8.2, 5.12, 5.13)."""

from __future__ import annotations

from typing import NamedTuple

from replay.facts import Card, Note
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.incident import Cause, Incidents, affected
from replay.rulebooks.three_card_poker_rws_v3.table import Table


class Exposed(NamedTuple):
    at: int
    box: int | None


def look_at(table: Table, out: Incidents) -> None:
    """Two or more before anybody had looked: void. One: a dealing error. Later ones: nothing."""
    exposed = _exposed(table)
    if not exposed:
        return
    seen = table.first_seen()
    early = sorted(one for one in exposed if one.at < seen)
    if not early:  # somebody had looked: the round goes on
        out.cite(list(table.stakes), "5.12")
    if len(early) >= 2:
        out.grounds.append(Ground(early[1].at, "5.8.2"))
    elif early and not table.readings.other("single-exposed-card"):
        box = early[0].box
        out.causes.append(Cause(early[0].at, ("5.10",), affected(table, box)))


def _exposed(table: Table) -> list[Exposed]:
    """Cards dealt face up, and noted ones that the shoe did not see; each once."""
    up = [card for card in table.round.cards if card.face_up]
    out: list[Exposed] = []
    for note in table.round.notes:
        if note.kind == "card_face_up_in_shoe":  # dealt as it lay, by nobody's fault
            card = _same_card(up, note)
            if card is not None:
                up.remove(card)
    noted: list[Note] = []
    for note in table.round.notes:
        if note.kind == "card_exposed":
            if any(_repeats(table, note, before) for before in noted):
                continue
            noted.append(note)
            card = _same_card(up, note)
            if card is None:
                out.append(Exposed(note.at, note.box))
            else:
                up.remove(card)
                out.append(Exposed(card.at, card.dealt_box))
    return out + [Exposed(card.at, card.dealt_box) for card in up]


def _repeats(table: Table, note: Note, before: Note) -> bool:
    """Whether somebody else notes the same card once more: none was dealt in between."""
    return (
        note.box == before.box
        and note.by != before.by
        and not any(before.at < card.at < note.at for card in table.round.cards)
    )


def _same_card(up: list[Card], note: Note) -> Card | None:
    """The card dealt face up that a note is about: the last one before it, else the next."""
    there = [card for card in up if note.box is None or card.dealt_box == note.box]
    before = [card for card in there if card.at < note.at]
    return before[-1] if before else there[0] if there else None
