"""Cards dealt wrongly: a missing burn (5.9), a wrong distribution (5.8.6), wrong counts (5.8.7 and
5.15), cards drawn together (5.14).
"""

from __future__ import annotations

from replay.episodes import Episode
from replay.facts import NEVER
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.irregular.established import went_on
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import (
    Cause,
    PokerIncidents,
    affected,
)
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import (
    MISDEALT,
    NO_BURN,
    TOGETHER,
    WRONG_COUNT,
    noticed_at,
    said_about,
)
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER, HAND, PokerTable

OUT_OF_ORDER = MISDEALT | {WRONG_COUNT, TOGETHER}
"""Errors in the order of the deal: who notices one has noticed that the order is wrong."""


def look_at(table: PokerTable, out: PokerIncidents) -> None:
    """Every misdeal that somebody noticed or that the cards prove."""
    for episode in table.episodes:
        if NO_BURN in episode.kinds:
            _missing_burn(table, episode, out)
        elif WRONG_COUNT in episode.kinds:
            _count(table, episode, out)
        elif episode.kinds & MISDEALT:
            distribution(table, episode, out)
        elif TOGETHER in episode.kinds:
            out.causes.append(Cause(episode.at, episode, ("5.14.1", "5.10"), None))


def _missing_burn(table: PokerTable, episode: Episode, out: PokerIncidents) -> None:
    """5.9: put right while nobody has looked, with options for all; otherwise void."""
    round_ = table.round
    if not table.burn_due():
        return  # it was there in time, whatever the note says
    if round_.burnt and not episode.noted:
        return  # burnt too late, and nobody minded: an order of the deal
    at = noticed_at(episode)
    if not said_about(episode):
        at = round_.events
    seen, acted = table.first_seen(), episode.moved_at
    if seen < min(at, acted) or (acted != NEVER and seen < acted):
        out.grounds.append(Ground(at, "5.9"))
        if acted != NEVER:
            _illegal(table, acted, "5.9", "cards were put right after a player had looked")
        return
    can = episode.repairable()
    if can is None and acted != NEVER:
        can = True  # done without a word is decided too
    if can is None and _may_still_be_put_right(table, at):
        return
    if can is None:
        can = table.readings.other("burn-without-ruling")
    if can:
        out.causes.append(Cause(at, episode, ("5.9", "5.10"), None))
    else:
        out.grounds.append(Ground(at, "5.9"))


def distribution(table: PokerTable, episode: Episode, out: PokerIncidents) -> None:
    """Seen by a player: options. Not seen: void, unless moving whole hands puts it right."""
    at = noticed_at(episode)
    if table.first_seen() < at:
        out.causes.append(Cause(at, episode, ("5.10",), affected(table, episode)))
        return
    can, broken = episode.repairable(), table.broken_at(episode)
    moved = broken != NEVER or episode.put_right_at != NEVER
    if not moved and can is None and _may_still_be_put_right(table, at):
        return
    if broken == NEVER and _to_the_dealer(table, episode):
        broken = episode.put_right_at
    if broken != NEVER:
        _illegal(table, broken, "5.8.6", "moved were single cards and not whole hands")
    right = broken == NEVER and (can is not False if moved else bool(can))
    if not right:
        out.grounds.append(Ground(at, "5.8.6"))
    elif table.readings.other("options-after-moved-hands"):
        out.causes.append(Cause(at, episode, ("5.10",), affected(table, episode)))


def _to_the_dealer(table: PokerTable, episode: Episode) -> bool:
    """Whether a whole hand went to the dealer's place or came from it, and may not."""
    at_his_place = DEALER in table.touched(episode)
    return at_his_place and table.readings.other("whole-hand-to-the-dealer")


def _may_still_be_put_right(table: PokerTable, at: int) -> bool:
    """The log stops right after an error: nothing says yet what becomes of it."""
    return not (table.round.closed or table.round.voids or went_on(table, at))


def _illegal(table: PokerTable, at: int, clause: str, says: str) -> None:
    table.findings.add("illegal_reconstruction", (clause,), says, at=at)


def _count(table: PokerTable, episode: Episode, out: PokerIncidents) -> None:
    at = noticed_at(episode)
    if not said_about(episode):
        note = _without_a_box(table, episode.at)
        if note is None:
            return
        at = note
    for box in [episode.box] if episode.box is not None else _short(table):
        can = episode.repairable()
        there = len(table.hands.get(box, ()))
        right = episode.put_right_at != NEVER or there == HAND
        if can is None and not right and _may_still_be_put_right(table, at):
            continue
        if can and not right and there > HAND and table.readings.other("fourth-card-that-stays"):
            can = False
        if can is False or not (right or can):
            invalid(table, box, at, out)
        elif not (said_about(episode) and (episode.moves or episode.discards or can)):
            continue
        elif box != DEALER and _void_unless_whole_hands(table, at):
            _as_a_distribution(table, episode, out)
        else:
            out.causes.append(Cause(at, episode, ("5.10",), affected(table, episode)))


def _as_a_distribution(table: PokerTable, episode: Episode, out: PokerIncidents) -> None:
    """A wrong count that is read so: a card taken away is no whole hand that was moved."""
    if episode.discards and not episode.moves:
        out.grounds.append(Ground(noticed_at(episode), "5.8.6"))
    else:
        distribution(table, episode, out)


def _without_a_box(table: PokerTable, since: int) -> int | None:
    """When wrong counts were noted without a box after one had come about."""
    for episode in table.episodes:
        for note in episode.notes:
            if note.kind == WRONG_COUNT and note.box is None and note.at > since:
                return note.at
    return None


def _short(table: PokerTable) -> list[int]:
    """Wrong counts that nothing else is about."""
    known = {e.box for e in table.episodes if WRONG_COUNT in e.kinds}
    return [box for box in wrong_counts(table) if box not in known]


def _void_unless_whole_hands(table: PokerTable, at: int) -> bool:
    """Whether a player's wrong count is read as a wrong distribution that nobody has seen."""
    return table.first_seen() >= at and table.readings.other("wrong-count-before-seen")


def wrong_counts(table: PokerTable) -> list[int]:
    """The dealer and the boxes that have cards, but not three."""
    there = {DEALER, *table.owner}
    return [box for box, hand in sorted(table.hands.items()) if len(hand) != HAND and box in there]


def unnoticed_counts(table: PokerTable) -> list[int]:
    """Wrong counts that no open episode is about. Hands that are off are past it, unless they had
    a card too many before."""
    past = {box for (box, _), at in table.gone.items() if not _too_many(table, box, at)}
    until = -1  # an error without a place speaks for what was dealt before
    for episode in table.episodes:
        if not (episode.kinds & (MISDEALT | {WRONG_COUNT}) and said_about(episode)):
            continue
        if episode.put_right_at != NEVER:
            continue  # it excuses nothing that follows
        if episode.box is not None:
            past.add(episode.box)
        until = max(until, *(note.at for note in episode.notes if note.box is None), -1)
    counts = [box for box in wrong_counts(table) if box not in past]
    return [box for box in counts if table.hands[box][-1].at > until]


def _too_many(table: PokerTable, box: int, at: int) -> bool:
    """Whether a hand had more than three cards before a moment."""
    return sum(card.at < at for card in table.hands.get(box, ())) > HAND


def invalid(table: PokerTable, box: int, at: int, out: PokerIncidents) -> None:
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
