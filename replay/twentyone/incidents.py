"""What a dealing error or a player who left means for bets: whose they are, what was settled."""

from __future__ import annotations

from collections.abc import Mapping

from replay.answer import Key
from replay.facts import NEVER, Note
from replay.twentyone.table import Hand, Table


def settled_before(table: Table, key: Key, at: int) -> bool:
    """Whether a bet was settled before a moment: recorded, or decided at once by the text."""
    round_ = table.round
    recorded = [settled.at for settled in round_.settled if settled.key == key]
    if recorded:
        return recorded[0] < at
    if key[3] not in {"initial", "split", "double", "insurance"}:  # side bets: before further cards
        return table.extra_at < at
    hand = table.hand_at(*key[:2])
    if hand is None or key[3] == "insurance":
        return False
    if table.drawing_at > at:
        return False  # nothing is paid before the initial deal is complete
    # the last card before that moment is the one in question: nothing was settled on it yet
    *seen, _ = (card.at for card in round_.cards if card.at < at)
    held = Hand(hand.box, hand.no)
    held.cards = [card for card in hand.cards if card.at in seen]
    view = table.game.view(held, hand.doubled_at != NEVER, table.readings)
    return view.bust or (table.game.pays_21_at_once and view.total == 21)


def left(table: Table, stakes: Mapping[Key, object]) -> dict[int, int]:
    """Boxes whose only player walked away, and when."""
    out: dict[int, int] = {}
    for note in table.round.notes:
        if note.kind != "player_left":
            continue
        for box in table.boxes:
            players = {key[2] for key in stakes if key[0] == box}
            if _left_alone(note, box, players):
                out.setdefault(box, note.at)
    return out


def _left_alone(note: Note, box: int, players: set[str]) -> bool:
    """Whether the note is about this box, and nobody else bets there."""
    if note.player is None:
        return note.box == box and len(players) == 1
    return note.box in {None, box} and players == {note.player}


def players_of(stakes: Mapping[Key, object]) -> dict[tuple[int, str], list[Key]]:
    """The bets of each player on each box."""
    out: dict[tuple[int, str], list[Key]] = {}
    for key in stakes:
        out.setdefault((key[0], key[2]), []).append(key)
    return out
