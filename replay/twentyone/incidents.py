"""What a dealing error or a player who left means for bets: whose they are, what was settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replay.answer import Key
from replay.facts import NEVER, Card, Decision, Note, Round
from replay.rules import NOTHING, SURRENDERED
from replay.stakes import Stake
from replay.twentyone.choices import Choice
from replay.twentyone.dealer import may_be_natural
from replay.twentyone.deals import initial_done_at
from replay.twentyone.hands import Hand
from replay.twentyone.table import TwentyOneTable

if TYPE_CHECKING:
    from replay.twentyone.game import Game

ON_THE_HAND = frozenset({"initial", "split", "double"})


def went_on(round_: Round, at: int) -> bool:
    """Whether a card was dealt or a decision made after a moment."""
    return any(isinstance(step, Card | Decision) and step.at > at for step in round_.steps)


def settled_before(table: TwentyOneTable, key: Key, choice: Choice) -> bool:
    """Whether a bet was past taking back when an error happened: settled, given up, or decided."""
    round_, at = table.round, choice.at
    if any(settled.key == key and settled.at < at for settled in round_.settled):
        return True
    wrong = choice.episode.cards
    if key[3] in ON_THE_HAND and _by_his_word(table, key, at, wrong):
        return True
    return _decided(table, key, at, wrong) and not table.readings.other("decided-but-unpaid")


def _second(table: TwentyOneTable, at: int, wrong: set[int]) -> bool:
    """Whether the dealer's second card lay there, and is not the one in question."""
    return any(card.at < at and card.draw not in wrong for card in table.dealer[1:2])


def _by_his_word(table: TwentyOneTable, key: Key, at: int, wrong: set[int]) -> bool:
    """Surrendered, even money taken, a double withdrawn: the player's own word ended it."""
    hand = table.hand_at(*key[:2])
    if hand is None:
        return False
    if _given_up_before(table, hand, key[2], at):
        return _second(table, at, wrong) or _half_is_final(table.game)
    return hand.even_money.get(key[2], NEVER) < at or hand.withdrew.get(key[2], NEVER) < at


def _decided(table: TwentyOneTable, key: Key, at: int, wrong: set[int]) -> bool:
    """Whether the cards had decided a bet, without those in question.

    Nothing is decided before the initial deal is complete.
    """
    first = min((card.at for card in table.round.cards if card.draw in wrong), default=at)
    if key[3] == "insurance":
        return _second(table, at, wrong)
    if initial_done_at(table, at) >= min(first, at):
        return False
    hand = table.hand_at(*key[:2])
    if key[3] not in ON_THE_HAND or hand is None:
        return key[3] not in ON_THE_HAND
    if _given_up_before(table, hand, key[2], at):
        return False
    held = Hand(hand.box, hand.no)
    held.cards = [card for card in hand.cards if card.at < at and card.draw not in wrong]
    held.split = hand.split
    view = table.game.view(held, hand.doubled_at < at, table.readings)
    if view.bust or (table.game.pays_21_at_once and view.total == 21):
        return True
    return view.natural and bool(table.dealer) and not may_be_natural(table.dealer[0].face)


def _given_up_before(table: TwentyOneTable, hand: Hand, player: str, at: int) -> bool:
    box = table.boxes[hand.box]
    said = {who for who, when in hand.surrendered.items() if when < at}
    return player in said or (box.seated in said and table.given_up(box, hand))


def _half_is_final(game: Game) -> bool:
    """Whether a surrender is settled at once: a dealer Pontoon would still take the other half."""
    return any(
        rule.gives == SURRENDERED and rule.needs == NOTHING for rule in game.rules["initial"]
    )


def left(
    table: TwentyOneTable, stakes: Mapping[Key, Stake]
) -> tuple[dict[int, int], dict[int, int]]:
    """Boxes whose only player walked away, and when; and those where that depends on whether
    somebody with only a side bet is a player too."""
    alone: dict[int, int] = {}
    perhaps: dict[int, int] = {}
    for note in table.round.notes:
        if note.kind != "player_left":
            continue
        for no in table.boxes:
            back = {p for (n, p), when in table.taken_back.items() if n == no and when < note.at}
            here = [k for k, stake in stakes.items() if k[0] == no and stake.basis]
            players = {k[2] for k in here} - back
            initial = {k[2] for k in here if k[3] == "initial"} - back
            by_all, by_initials = (_left_alone(note, no, some) for some in (players, initial))
            if by_all == by_initials:
                some = alone if by_all else None
            else:
                perhaps.setdefault(no, note.at)
                some = alone if table.readings.other("alone-on-the-box") == by_initials else None
            if some is not None:
                some.setdefault(no, note.at)
    return alone, perhaps


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
