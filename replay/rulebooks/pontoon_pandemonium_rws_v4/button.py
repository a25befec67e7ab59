"""The jackpot button (3.8.1, 3.8.2): who presses it for a box, and which press counts."""

from __future__ import annotations

from replay.cards import value
from replay.facts import NEVER, Button
from replay.findings import Findings
from replay.twentyone.hands import Box
from replay.twentyone.table import TwentyOneTable


def pontoon_at(box: Box) -> int:
    """When the box received its Pontoon, with its first two cards, whatever was drawn on them."""
    cards = box.first or box.hands[1].cards[:2]
    if value([card.face for card in cards])[0] != 21:
        return NEVER
    return max(card.at for card in cards)


def has_bet(table: TwentyOneTable, box: Box, player: str) -> bool:
    """Whether the player has a Pandemonium bet on the box that counts."""
    bet = table.round.bets.get((box.no, 1, player, "pandemonium"))
    if bet is None:
        return False
    if bet.stake <= bet.taken and not (bet.late_left and table.readings.other("late-bet")):
        return False
    if player in box.initials or table.readings.other("side-bet-without-own-initial"):
        return True
    elsewhere = any(player in other.initials for other in table.boxes.values())
    return elsewhere and table.readings.other("own-initial-on-that-box")


def seated_has_bet(table: TwentyOneTable, box: Box) -> bool:
    return box.seated is not None and has_bet(table, box, box.seated)


def may_press(table: TwentyOneTable, box: Box, player: str) -> bool:
    """For a bet of his own: the seated player; a standing one where the seated has none."""
    if seated_has_bet(table, box):
        return player == box.seated
    return has_bet(table, box, player)


def press(table: TwentyOneTable, box: Box) -> Button | None:
    """The press that counts: the first for the Pontoon. One before it was for nothing."""
    buttons = table.round.buttons
    if not buttons:
        return None
    won = pontoon_at(box)
    return next((b for b in buttons if b.box == box.no and b.at > won), None)


def check_presses(table: TwentyOneTable, findings: Findings) -> None:
    """Once for each box, when it has won, and by nobody who has won with another bet."""
    pressed: set[int] = set()
    for button in table.round.buttons:
        box = table.boxes.get(button.box)
        won = NEVER if box is None else pontoon_at(box)
        if button.at < won != NEVER:
            _illegal(findings, button, "3.8.1", "the button was pressed before the Pontoon")
        elif box is None or won == NEVER:
            _illegal(findings, button, "3.8.1", "the button was pressed for no Pontoon")
        elif not _has_a_bet(table, box):
            says = "the button was pressed for a box without a Pontoon Pandemonium bet"
            _illegal(findings, button, "3.8.1", says)
        elif button.box in pressed:
            says = "the button was pressed a second time for the box"
            _illegal(findings, button, "3.8.1", says)
        else:
            pressed.add(button.box)
            if _won_elsewhere(table, box, button):
                says = "one with a winning Pontoon Pandemonium bet of his own pressed for another"
                _illegal(findings, button, "3.8.2", says)


def _has_a_bet(table: TwentyOneTable, box: Box) -> bool:
    """Whether somebody has a Pandemonium bet on the box that counts."""
    keys = (key for key in table.round.bets if key[0] == box.no and key[3] == "pandemonium")
    return any(has_bet(table, box, key[2]) for key in keys)


def _won_elsewhere(table: TwentyOneTable, box: Box, button: Button) -> bool:
    """Pressed for somebody else, though he had a winning bet himself at that moment."""
    player = button.player
    if may_press(table, box, player):
        return False
    return any(
        pontoon_at(other) < button.at and has_bet(table, other, player)
        for other in table.boxes.values()
    )


def _illegal(findings: Findings, button: Button, clause: str, says: str) -> None:
    findings.add(
        "illegal_decision", (clause,), says, at=button.at, box=button.box, player=button.player
    )
