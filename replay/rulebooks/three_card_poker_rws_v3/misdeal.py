"""Cards dealt wrongly: a missing burn (5.9), a wrong distribution (5.8.6), wrong counts (5.8.7 and
5.15), cards drawn together (5.14).
"""

from __future__ import annotations

from replay.cards import UNREADABLE
from replay.facts import NEVER, Note
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.established import went_on
from replay.rulebooks.three_card_poker_rws_v3.incident import (
    BURN,
    COUNT,
    DISTRIBUTION,
    Cause,
    Incidents,
    affected,
    repairable,
)
from replay.rulebooks.three_card_poker_rws_v3.players import out_before
from replay.rulebooks.three_card_poker_rws_v3.table import DEALER, Table

DEALT_WRONGLY = frozenset({"dealing_error", "cards_to_empty_box"})
COUNTED = DEALT_WRONGLY | {"wrong_card_count"}
"""Notes that say what is wrong with the number of cards on a box."""
NOTICED = DEALT_WRONGLY | {"simultaneous_cards", "missing_burn", "wrong_card_count"}
EXPLAINS_A_MOVE = NOTICED | {"card_exposed"}
HAND = 3
"""The cards of a hand."""


def dealt_with(table: Table) -> bool:
    """Whether somebody noticed that the deal went wrong: he noted it, or cards were put right."""
    if not table.round.irregular:
        return False
    kinds = {note.kind for note in table.round.notes}
    if not burn_due(table):
        kinds.discard("missing_burn")  # it was there, and the note says nothing of the rest
    return table.rearranged or bool(kinds & NOTICED)


def look_at(table: Table, out: Incidents) -> None:
    """Every kind of misdeal that was noted or that the cards prove."""
    missing_burn(table, out)
    since = 0
    for note in table.round.notes:
        if note.kind in DEALT_WRONGLY:
            distribution(table, note.at, note.box, out, since)
        elif note.kind == "simultaneous_cards":
            out.causes.append(Cause(note.at, ("5.14.1", "5.10"), None))
        elif note.kind == "wrong_card_count":
            _noted_count(table, note, out)
        if note.kind in NOTICED:
            since = note.at
    if table.whole and not any(note.kind in EXPLAINS_A_MOVE for note in table.round.notes):
        _moved_without_a_note(table, out)
    _discarded_without_a_note(table, out)


def burn_due(table: Table) -> bool:
    """Whether a card had to be burnt before the deal and was not."""
    round_ = table.round
    if not round_.cards or (round_.burnt and round_.burnt[0].at < round_.cards[0].at):
        return False
    if round_.burnt and not any(note.kind == "missing_burn" for note in round_.notes):
        return False  # burnt too late, and nobody minded: an order of the deal
    return round_.dealt_from != "shuffler" or table.readings.other("burn-with-shuffler")


def missing_burn(table: Table, out: Incidents) -> None:
    """5.9: put right while nobody has looked, with options for all; otherwise void."""
    if not burn_due(table):
        return
    round_ = table.round
    steps = sorted([*table.whole, *(thrown.at for thrown in table.discarded)])
    noticed = [note.at for note in round_.notes if note.kind == "missing_burn"]
    noticed += [ruling.at for ruling in round_.rulings if ruling.clause in BURN]
    at = min((*noticed, *steps), default=NEVER)
    seen = table.first_seen()
    if seen < at or (steps and seen < steps[0]):
        out.grounds.append(Ground(min(at, round_.events), "5.9"))
        if steps:
            _illegal(table, steps[0], "5.9", "cards were put right after a player had looked")
        return
    can = repairable(table, BURN)
    if can is None and steps:
        can = True  # done without a word is decided too
    if can is None and _may_still_be_put_right(table, min(at, round_.events)):
        return
    if can is None:
        can = table.readings.other("burn-without-ruling")
    if can:
        out.causes.append(Cause(min(at, round_.events), ("5.9", "5.10"), None))
    else:
        out.grounds.append(Ground(min(at, round_.events), "5.9"))


def distribution(
    table: Table, at: int, box: int | None, out: Incidents, since: int | None = None
) -> None:
    """Seen by a player: options. Not seen: void, unless moving whole hands puts it right.

    `since`: cards may be put right before somebody notes the error, but not before the last one.
    """
    since = at if since is None else since
    if table.first_seen() < at:
        out.causes.append(Cause(at, ("5.10",), affected(table, box)))
        return
    moves = [when for when in table.whole if when >= since]
    can = repairable(table, DISTRIBUTION, since, box)
    if not moves and can is None and _may_still_be_put_right(table, at):
        return
    if moves:
        broken = [when for when in moves if not table.whole[when]]
        right = not broken
        if broken:
            _illegal(table, broken[0], "5.8.6", "moved were single cards and not whole hands")
    else:
        right = bool(can)
    if not right:
        out.grounds.append(Ground(at, "5.8.6"))
    elif table.readings.other("options-after-moved-hands"):
        out.causes.append(Cause(at, ("5.10",), affected(table, box)))


def _moved_without_a_note(table: Table, out: Incidents) -> None:
    """A reconstruction says by itself that the cards had been dealt wrongly, and to whom."""
    distribution(table, min(table.whole), min(table.touched, default=None), out)


def _discarded_without_a_note(table: Table, out: Incidents) -> None:
    """A card taken out says the same: one too many was there, or it was the wrong one."""
    kinds = {note.kind for note in table.round.notes}
    if kinds & (EXPLAINS_A_MOVE | {"card_face_up_in_shoe"}) or burn_due(table):
        return
    for at, box, face, there in table.discarded:
        owner = table.owner.get(box)
        if face == UNREADABLE:
            continue
        if owner is not None and out_before(table, box, owner, at):
            continue  # the hand of a player who left is only cleared away
        if there > HAND:
            out.causes.append(Cause(at, ("5.10",), affected(table, box)))
        else:
            distribution(table, at, box, out)


def _may_still_be_put_right(table: Table, at: int) -> bool:
    """The log stops right after an error: nothing says yet what becomes of it."""
    return not (table.round.closed or table.round.voids or went_on(table, at))


def _illegal(table: Table, at: int, clause: str, says: str) -> None:
    table.findings.add("illegal_reconstruction", (clause,), says, at=at)


def _noted_count(table: Table, note: Note, out: Incidents) -> None:
    boxes = [note.box] if note.box is not None else wrong_counts(table)
    for box in boxes:
        can = repairable(table, COUNT, note.at, box)
        right = len(table.hands.get(box, ())) == HAND
        if can is None and not right and _may_still_be_put_right(table, note.at):
            continue
        if can is False or not (right or can):
            invalid(table, box, note.at, out)
        elif not (table.rearranged or can):
            continue
        elif box != DEALER and _void_unless_whole_hands(table, note.at):
            distribution(table, note.at, box, out)
        else:
            out.causes.append(Cause(note.at, ("5.10",), affected(table, box)))


def _void_unless_whole_hands(table: Table, at: int) -> bool:
    """Whether a player's wrong count is read as a wrong distribution that nobody has seen."""
    return table.first_seen() >= at and table.readings.other("wrong-count-before-seen")


def wrong_counts(table: Table) -> list[int]:
    """The dealer and the boxes that have cards, but not three."""
    there = {DEALER, *table.owner}
    return [box for box, hand in sorted(table.hands.items()) if len(hand) != HAND and box in there]


def unnoticed_counts(table: Table) -> list[int]:
    """Wrong counts that no note and no reconstruction is about. Invalid hands are past it."""
    gone = {box for box, _ in table.gone}
    noticed = {thrown.box for thrown in table.discarded} | table.touched
    for note in table.round.notes:
        if note.kind in COUNTED:
            if note.box is None:
                return []
            noticed.add(note.box)
    return [box for box in wrong_counts(table) if box not in gone | noticed]


def invalid(table: Table, box: int, at: int, out: Incidents) -> None:
    """A wrong count past repair: the round for the dealer's hand, the hand for a player's."""
    if box == DEALER:
        out.grounds.append(Ground(at, "5.8.7"))
    elif _void_unless_whole_hands(table, at):
        out.grounds.append(Ground(at, "5.8.6"))
    else:
        for key in table.stakes:
            if key[0] == box:
                out.returned[key] = ("5.15",)
                table.gone.setdefault((box, key[2]), at)
