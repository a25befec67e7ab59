"""Players who walk away (5.5, 5.6), and players who look at a second hand (5.18)."""

from __future__ import annotations

from replay.facts import NEVER, Note
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.play.table import PokerTable


def leaving(table: PokerTable, out: PokerIncidents) -> None:
    """Whoever leaves with a decision open has folded; else he is settled as usual."""
    for note in table.round.notes:
        if note.kind != "player_left":
            continue
        player = _leaver(table, note)
        if player is None:
            continue
        boxes = sorted(box for box, name in table.bettors if name == player)
        still = {box for box in boxes if _open(table, box, player, note.at)}
        for box in boxes:
            folded = box in still
            if not folded and still and table.readings.other("leaves-several-boxes"):
                folded = True
            table.left[box, player] = folded or table.left.get((box, player), False)
            if not folded:
                out.cite(table.bets_of(box, player), "5.6")


def _leaver(table: PokerTable, note: Note) -> str | None:
    """Who walked away: the player whom the note names, else the one in charge of the box."""
    if note.player is not None:
        return note.player
    return None if note.box is None else table.owner.get(note.box)


def out_before(table: PokerTable, box: int, player: str, at: int) -> bool:
    """Whether a player had folded on a box before a moment, by word or by leaving."""
    made = table.decision(box, player)
    if made is not None and made.decision == "fold" and made.at < at:
        return True
    return left_before(table, box, player, at)


def left_at(table: PokerTable, player: str, since: int) -> int:
    """When a player walked away after a moment."""
    notes = (n for n in table.round.notes if n.kind == "player_left" and n.at > since)
    return next((note.at for note in notes if _leaver(table, note) == player), NEVER)


def left_before(table: PokerTable, box: int, player: str, at: int) -> bool:
    """Whether a player had walked away from an open decision before a moment."""
    return any(
        note.kind == "player_left"
        and note.at < at
        and _leaver(table, note) == player
        and _open(table, box, player, note.at)
        for note in table.round.notes
    )


def _open(table: PokerTable, box: int, player: str, at: int) -> bool:
    """Whether a decision was still to be made for an ante at that moment."""
    if not table.ante(box, player):
        return False
    made = table.decided.get((box, player))
    play = table.round.bets.get((box, 1, player, "play"))
    return not ((made is not None and made.at < at) or (play is not None and play.at < at))
