"""Section 5: what makes the round void, who has a choice, what goes back, where play stopped."""

from __future__ import annotations

from replay import grounds as shared
from replay.cards import DECK_52
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.betting import bets
from replay.rulebooks.three_card_poker_rws_v3.irregular import (
    exposed,
    in_the_shoe,
    looks,
    misdeal,
    options,
)
from replay.rulebooks.three_card_poker_rws_v3.irregular.binding import Binding
from replay.rulebooks.three_card_poker_rws_v3.irregular.established import established
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.play import players
from replay.rulebooks.three_card_poker_rws_v3.play.table import HAND, PokerTable

NOTED = {
    "foreign_card": "5.8.1",
    "card_shortage": "5.8.3",
    "card_excess": "5.8.3",
    "insufficient_cards": "5.8.4",
    "not_shuffled": "5.8.5",
}
BY_DECLARATION = frozenset({"5.8.1", "5.8.3", "5.8.4", "5.8.5"})
GOES_BACK = "5.21"


def regular(table: PokerTable) -> bool:
    """Nothing was noted, and the cards prove nothing but perhaps a missing burn: the common case,
    found quickly."""
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
        or any(len(hand) != HAND for hand in table.hands.values())
    )


def incidents(table: PokerTable) -> PokerIncidents:
    """Everything that section 5 says about this round."""
    out = PokerIncidents()
    if regular(table):
        if not table.burn_due():
            if table.burn_otherwise() and _seen_unburnt(table):
                out.void_otherwise = ("5.9", GOES_BACK)
            return out
        if table.findings.quiet and _seen_unburnt(table):
            out.void = ("5.9", GOES_BACK)
            return out
    table.bind(Binding(table).run())
    shared.rulings(table.round, table.findings)
    players.leaving(table, out)
    _proofs(table, out)
    _noted(table, out)
    exposed.look_at(table, out)
    misdeal.look_at(table, out)
    _unnoticed_counts(table, out)
    _decided_by_declaring(table, out)
    said = len(table.findings.items)
    looks.second_looks(table, out)
    options.look_at(table, out)
    out.returned.update(bets.after_the_end(table))
    _interrupted(table, out)
    clause = shared.choose(out.grounds, table.round)
    if clause is not None:
        _nothing_left_to_decide(table, said)
        out.void = (clause, GOES_BACK)
    elif table.round.voids:  # declared void without a ground: play may have stopped there
        out.stopped_at = min(out.stopped_at, table.round.voids[0].at)
    options.not_asked(table, out)
    in_the_shoe.thrown_away(table)
    return out


def _seen_unburnt(table: PokerTable) -> bool:
    """Only a burn is missing and somebody has looked since: void (5.9), whatever else is asked.

    So comes every round of a shuffler under the other reading of `burn-with-shuffler`. It is enough
    only where nobody hears of it: otherwise the findings say more than that it is void.
    """
    round_ = table.round
    return not round_.burnt and table.first_seen() < round_.events


def _nothing_left_to_decide(table: PokerTable, said: int) -> None:
    """In a void round nobody has to rule any more; what was done against the text stays."""
    items = table.findings.items
    items[said:] = [finding for finding in items[said:] if finding.kind != "discretion"]


def _decided_by_declaring(table: PokerTable, out: PokerIncidents) -> None:
    """What a declared void notes by itself, and what the shift manager may decide."""
    last_resort: str | None = "5.23"
    round_ = table.round
    covered = out.exposed_late and any(void.clause == last_resort for void in round_.voids)
    if covered and table.readings.other("shift-manager-where-a-paragraph-decides"):
        last_resort = None
    shared.declared_grounds(round_, out.grounds, BY_DECLARATION, last_resort, table.findings)


def _proofs(table: PokerTable, out: PokerIncidents) -> None:
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


def _noted(table: PokerTable, out: PokerIncidents) -> None:
    """What somebody noted, other than a misdeal."""
    for episode in table.episodes:
        if episode.kind in NOTED:
            out.grounds.append(Ground(episode.at, NOTED[episode.kind]))
        elif episode.kind == "jackpot_malfunction":
            if table.first_seen() < episode.at:
                out.cite([key for key in table.stakes if key[3] == "progressive"], "5.17.1")
            else:
                out.grounds.append(Ground(episode.at, "5.16"))


def _interrupted(table: PokerTable, out: PokerIncidents) -> None:
    """After an outcome play goes on; asked last, because bets that go back are no outcome."""
    for episode in table.episodes:
        if episode.kind == "technical_interruption":
            if established(table, episode.at, out):
                out.established = True
                out.stopped_at = min(out.stopped_at, episode.at)
            else:
                out.grounds.append(Ground(episode.at, "5.7.2"))


def _unnoticed_counts(table: PokerTable, out: PokerIncidents) -> None:
    """A wrong number of cards that nobody noticed has no effect; the deal's check says it."""
    round_ = table.round
    if not round_.closed or round_.voids:
        return
    for box in misdeal.unnoticed_counts(table):
        if table.readings.other("unnoticed-wrong-count"):
            misdeal.invalid(table, box, round_.events, out)
