"""Section 5: what makes the round void, who has a choice, what goes back, where play stopped."""

from __future__ import annotations

from replay import grounds as shared
from replay.cards import DECK_52
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3 import (
    bets,
    deal,
    exposed,
    misdeal,
    options,
    players,
)
from replay.rulebooks.three_card_poker_rws_v3.established import established
from replay.rulebooks.three_card_poker_rws_v3.incident import Incidents
from replay.rulebooks.three_card_poker_rws_v3.table import DEALER, Table

NOTED = {
    "foreign_card": "5.8.1",
    "card_shortage": "5.8.3",
    "card_excess": "5.8.3",
    "insufficient_cards": "5.8.4",
    "not_shuffled": "5.8.5",
}
BY_DECLARATION = frozenset({"5.8.1", "5.8.3", "5.8.4", "5.8.5"})
GOES_BACK = "5.21"


def regular(table: Table) -> bool:
    """Nothing was noted, and the cards prove nothing either: the common case, found quickly."""
    round_ = table.round
    if round_.irregular or round_.shuffled is False:
        return False
    if len({look.player for look in round_.looks}) != len(round_.looks):
        return False
    seen = [card.face for card in (*round_.cards, *round_.burnt) if card.face]
    faces = set(seen)
    if len(faces) != len(seen) or faces - DECK_52:
        return False
    return not (
        any(card.face_up for card in round_.cards)
        or misdeal.burn_due(table)
        or any(len(hand) != 3 for hand in table.hands.values())
    )


def incidents(table: Table) -> Incidents:
    """Everything that section 5 says about this round."""
    out = Incidents()
    if regular(table):
        return out
    shared.rulings(table.round, table.findings)
    players.leaving(table, out)
    _proofs(table, out)
    _noted(table, out)
    exposed.look_at(table, out)
    misdeal.look_at(table, out)
    _declared(table, out)
    _unnoticed_counts(table, out)
    shared.declared_grounds(table.round, out.grounds, BY_DECLARATION, "5.23", table.findings)
    said = len(table.findings.items)
    players.second_looks(table, out)
    options.look_at(table, out)
    out.returned.update(bets.after_the_end(table))
    _interrupted(table, out)
    clause = shared.choose(out.grounds, table.round)
    if clause is not None:
        del table.findings.items[said:]  # what follows from a hand is nothing in a void round
        out.void = (clause, GOES_BACK)
        return out
    if table.round.voids:  # declared void without a ground: play may have stopped there
        out.stopped_at = min(out.stopped_at, table.round.voids[0].at)
    shared.face_up_in_shoe(table.round, "5.13", table.findings)
    return out


def _proofs(table: Table, out: Incidents) -> None:
    """What the cards alone prove."""
    round_ = table.round
    card = shared.foreign_card(round_, DECK_52)
    if card is not None:
        out.grounds.append(Ground(card.at, "5.8.1"))
    card = shared.excess_card(round_)
    if card is not None:
        out.grounds.append(Ground(card.at, "5.8.3"))
    if round_.shuffled is False:
        out.grounds.append(Ground(0, "5.8.5"))


def _noted(table: Table, out: Incidents) -> None:
    """What somebody noted, other than a misdeal."""
    for note in table.round.notes:
        if note.kind in NOTED:
            out.grounds.append(Ground(note.at, NOTED[note.kind]))
        elif note.kind == "jackpot_malfunction":
            if table.first_seen() < note.at:
                out.cite([key for key in table.stakes if key[3] == "progressive"], "5.17.1")
            else:
                out.grounds.append(Ground(note.at, "5.16"))


def _interrupted(table: Table, out: Incidents) -> None:
    """After an outcome play goes on; asked last, because bets that go back are no outcome."""
    for note in table.round.notes:
        if note.kind == "technical_interruption":
            if established(table, note.at):
                out.established = True
                out.stopped_at = min(out.stopped_at, note.at)
            else:
                out.grounds.append(Ground(note.at, "5.7.2"))


def _declared(table: Table, out: Incidents) -> None:
    """A wrong deal that the cards prove: who declares the round void for it has noticed it."""
    for void in table.round.voids:
        if void.clause == "5.8.6" and not misdeal.dealt_with(table) and deal.out_of_order(table):
            misdeal.distribution(table, void.at, None, out)
        elif void.clause == "5.8.7" and DEALER in misdeal.unnoticed_counts(table):
            misdeal.invalid(table, DEALER, void.at, out)


def _unnoticed_counts(table: Table, out: Incidents) -> None:
    """A wrong number of cards that nobody noticed has no effect; the deal's check says it."""
    round_ = table.round
    if not round_.closed or round_.voids:
        return
    for box in misdeal.unnoticed_counts(table):
        if table.readings.other("unnoticed-wrong-count"):
            misdeal.invalid(table, box, round_.events, out)
