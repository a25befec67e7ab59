"""Each event as a sentence: who did what, where, with how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from events import model as ev
from events.model import Envelope
from replay.findings import dollars

SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def card(face: str) -> str:
    """A card as people write it: 10♠, K♥; what belongs to no deck stays as it was sent."""
    if len(face) == 2 and face[1] in SUITS:
        return ("10" if face[0] == "T" else face[0]) + SUITS[face[1]]
    return face


def cards(faces: list[str] | tuple[str, ...]) -> str:
    return " ".join(card(face) for face in faces) or "no cards"


def bet_name(bet: str) -> str:
    return bet.replace("_", " ")


def place(box: int, hand: int | None = None) -> str:
    """`box 2`, `box 2 hand 3`, `the dealer`."""
    if box == 0:
        return "the dealer"
    return f"box {box}" if hand in {None, 0, 1} else f"box {box} hand {hand}"


def _opened(e: ev.RoundOpened) -> str:
    by = f", dealer {e.dealer}" if e.dealer else ""
    jackpot = f", jackpot bet {dollars(e.jackpot_bet)}" if e.jackpot_bet else ""
    return f"bets open: {decks(e.decks)} from the {e.dealt_from or 'shoe'} {e.shoe}{by}{jackpot}"


def decks(count: int) -> str:
    return "1 deck" if count == 1 else f"{count} decks"


def _placed(e: ev.BetPlaced) -> str:
    who = e.player if e.seated else f"{e.player} (standing)"
    return f"{who} puts {dollars(e.amount)} on {bet_name(e.bet)}, {place(e.box, e.hand)}"


def _dealt(e: ev.CardDealt) -> str:
    down = "" if e.face_up else ", face down"
    return f"{card(e.card)} to {place(e.box, e.hand)}{down}"


def _decided(e: ev.DecisionMade) -> str:
    word = {
        "hit": "asks for a card",
        "stand": "stands",
        "split": f"splits into hand {e.new_hand}",
        "double": "doubles",
        "surrender": "surrenders",
        "even_money": "takes even money",
        "withdraw_double": "withdraws the double",
        "fold": "folds",
        "play": "plays on",
    }.get(e.decision, e.decision)
    return f"{e.player} {word}, {place(e.box, e.hand)}"


def _settled(e: Any) -> str:
    what = f"{place(e.box, e.hand)}, {e.player} {bet_name(e.bet)} {dollars(e.stake)}"
    if e.stake_returned == 0 and e.winnings == 0:
        return f"{what}: lost"
    return f"{what}: {dollars(e.stake_returned)} back, {dollars(e.winnings)} won"


def _noted(e: ev.IrregularityNoted) -> str:
    where = "" if e.box is None else f", {place(e.box, e.hand)}"
    who = f", {e.player}" if e.player else ""
    more = f": {e.detail}" if e.detail else ""
    return f"{e.by.replace('_', ' ')} notes {bet_name(e.kind)}{where}{who}{more}"


def _ruled(e: ev.RulingMade) -> str:
    where = "" if e.box is None else f", {place(e.box, e.hand)}"
    more = f": {e.detail}" if e.detail else ""
    return f"{e.by.replace('_', ' ')} rules {bet_name(e.ruling)} under {e.clause}{where}{more}"


def _moved(e: ev.CardsMoved) -> str:
    moves = ", ".join(f"card {m.draw} to {place(m.box, m.hand)}" for m in e.moves)
    return f"cards put where they belong: {moves}"


def _chips(verb: str) -> Callable[[Any], str]:
    return lambda e: (
        f"{e.player} {verb} {dollars(e.amount)}, {bet_name(e.bet)}, {place(e.box, e.hand)}"
    )


_WORDS: dict[type[ev.Event], Callable[[Any], str]] = {
    ev.RoundOpened: _opened,
    ev.BetPlaced: _placed,
    ev.BetWithdrawn: _chips("takes back"),
    ev.BetRefused: _chips("is refused"),
    ev.BetsClosed: lambda e: "no more bets",
    ev.CardBurnt: lambda e: f"burnt: {card(e.card) if e.card else 'a card, face down'}",
    ev.CardDealt: _dealt,
    ev.CardDiscarded: lambda e: f"card {e.draw} taken out: {e.reason}",
    ev.CardsMoved: _moved,
    ev.HandExamined: lambda e: f"{e.player} looks at the cards of {place(e.box)}",
    ev.HandRevealed: lambda e: f"{place(e.box, e.hand)}: cards turned over",
    ev.DecisionMade: _decided,
    ev.ButtonPressed: lambda e: f"{e.player} presses the button, box {e.box}: {e.multiplier} times",
    ev.JackpotRead: lambda e: f"the jackpot shows {dollars(e.amount)}",
    ev.IrregularityNoted: _noted,
    ev.OptionTaken: lambda e: f"{e.player} on box {e.box} chooses to {bet_name(e.option)}",
    ev.RulingMade: _ruled,
    ev.BetSettled: _settled,
    ev.SettlementCorrected: lambda e: f"put right: {_settled(e)} ({e.reason})",
    ev.RoundVoided: lambda e: (
        f"{bet_name(e.by)} declares the round void under {e.clause}: {e.reason}"
    ),
    ev.RoundClosed: lambda e: "the round is closed",
    ev.ShoeStarted: lambda e: (
        f"shoe {e.shoe} of {decks(e.decks)} comes into play, "
        f"{'shuffled' if e.shuffled else 'not shuffled'}"
    ),
    ev.ShoeEnded: lambda e: (
        f"shoe {e.shoe} ends, {e.cards_left} {'card' if e.cards_left == 1 else 'cards'} left"
    ),
    ev.TableOpened: lambda e: f"the table opens under {e.rulebook}",
    ev.TableClosed: lambda e: "the table closes",
}


def sentence(envelope: Envelope) -> str:
    """What happened, without the time."""
    return _WORDS[type(envelope.event)](envelope.event)
