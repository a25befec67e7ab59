"""A round as it stood before one of its events."""

from __future__ import annotations

from replay.facts import Card, Decision, Round


def cut_at(round_: Round, at: int, *, face_down_counts: bool) -> Round:
    """The round as it stood before an event."""
    out = Round(round_.id, round_.table)
    for name in ("rulebook", "shoe", "decks", "boxes", "limits", "jackpot_bet", "dealt_from"):
        setattr(out, name, getattr(round_, name))
    out.close = round_.close
    out.bets = {key: bet for key, bet in round_.bets.items() if bet.at < at}
    turned = {(look.box, look.hand) for look in round_.revealed if look.at < at}

    def lies_open(card: Card) -> bool:
        return card.face_up or face_down_counts or (card.box, card.hand) in turned

    out.cards = [card for card in round_.cards if card.at < at and lies_open(card)]
    shown = set(map(id, out.cards))
    out.steps = [
        step
        for step in round_.steps
        if step.at < at and (not isinstance(step, Card) or id(step) in shown)
    ]
    out.decisions = [step for step in out.steps if isinstance(step, Decision)]
    out.notes = [note for note in round_.notes if note.at < at]
    out.rulings = [ruling for ruling in round_.rulings if ruling.at < at]
    out.settled = [settled for settled in round_.settled if settled.at < at]
    out.buttons = [button for button in round_.buttons if button.at < at]
    return out
