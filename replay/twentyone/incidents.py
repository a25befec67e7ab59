"""What a dealing error or a player who left means for bets: whose they are, what was settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replay.answer import Key
from replay.facts import NEVER, Card, Decision, Note, Round
from replay.rules import NOTHING, SURRENDERED
from replay.stakes import Stake
from replay.twentyone.dealer import may_be_natural
from replay.twentyone.table import Hand, Table

if TYPE_CHECKING:
    from replay.twentyone.game import Game

DRAWS = frozenset({"hit", "double", "split"})


def went_on(round_: Round, at: int) -> bool:
    """Whether a card was dealt or a decision made after a moment."""
    return any(isinstance(step, Card | Decision) and step.at > at for step in round_.steps)


def settled_before(table: Table, key: Key, at: int) -> bool:
    """Whether a bet was settled before a moment: recorded, or decided at once by the text."""
    round_ = table.round
    if any(settled.key == key and settled.at < at for settled in round_.settled):
        return True
    # the last card before that moment is the one in question: nothing was settled on it yet
    last = max((card.at for card in round_.cards if card.at < at), default=-1)
    second = any(card.at < last for card in table.dealer[1:2])  # one that was not taken away
    if key[3] == "insurance":
        return second
    if key[3] not in {"initial", "split", "double"}:  # side bets: before further cards
        return min(table.extra_at, _astray(table)) < at or table.dealer_second_at < last
    hand = table.hand_at(*key[:2])
    if hand is None:
        return False
    if _given_up_before(table, hand, key[2], at):
        return second or _half_is_final(table.game)
    if hand.even_money.get(key[2], NEVER) < at or hand.withdrew.get(key[2], NEVER) < at:
        return True
    if min(table.drawing_at, _astray(table)) > at:
        return False  # nothing is paid before the initial deal is complete
    held = Hand(hand.box, hand.no)
    held.cards = [card for card in hand.cards if card.at < last]
    held.split = hand.split
    view = table.game.view(held, hand.doubled_at < at, table.readings)
    if view.bust or (table.game.pays_21_at_once and view.total == 21):
        return True
    return view.natural and bool(table.dealer) and not may_be_natural(table.dealer[0].face)


def _astray(table: Table) -> int:
    """A card that somebody had asked for and that went to an empty box."""
    asked = min((d.at for d in table.round.decisions if d.decision in DRAWS), default=NEVER)
    return min(
        (card.at for card in table.round.cards if _is_stray(table, card, asked)), default=NEVER
    )


def _is_stray(table: Table, card: Card, since: int) -> bool:
    return card.at > since and card.dealt_box != 0 and card.dealt_box not in table.boxes


def _given_up_before(table: Table, hand: Hand, player: str, at: int) -> bool:
    box = table.boxes[hand.box]
    said = {who for who, when in hand.surrendered.items() if when < at}
    return player in said or (box.seated in said and table.given_up(box, hand))


def _half_is_final(game: Game) -> bool:
    """Whether a surrender is settled at once: a dealer Pontoon would still take the other half."""
    return any(
        rule.gives == SURRENDERED and rule.needs == NOTHING for rule in game.rules["initial"]
    )


def left(table: Table, stakes: Mapping[Key, Stake]) -> dict[int, int]:
    """Boxes whose only player walked away, and when."""
    out: dict[int, int] = {}
    for note in table.round.notes:
        if note.kind != "player_left":
            continue
        for no, box in table.boxes.items():
            back = {p for (n, p), when in table.taken_back.items() if n == no and when < note.at}
            players = {k[2] for k, stake in stakes.items() if k[0] == no and stake.basis} - back
            if _left_alone(note, box.no, players):
                out.setdefault(no, note.at)
    return out


def _left_alone(note: Note, box: int, players: set[str]) -> bool:
    """Whether the note is about this box, and nobody else bets there."""
    if note.player is None:
        return note.box == box and len(players) == 1
    return note.box in {None, box} and players == {note.player}


def players_of(stakes: Mapping[Key, Stake]) -> dict[tuple[int, str], list[Key]]:
    """The bets of each player on each box that count; late chips alone do not."""
    out: dict[tuple[int, str], list[Key]] = {}
    for key, stake in stakes.items():
        if stake.basis:
            out.setdefault((key[0], key[2]), []).append(key)
    return out
