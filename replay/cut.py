"""A round as it stood before one of its events, and as it is judged."""

from __future__ import annotations

from replay.facts import Bet, Card, Decision, Round


def cut_at(
    round_: Round, at: int, *, face_down_counts: bool, without: frozenset[int] = frozenset()
) -> Round:
    """The round as it stood before an event; `without`: draws that are left out."""
    out = Round(round_.id, round_.table)
    for name in ("rulebook", "shoe", "decks", "boxes", "limits", "jackpot_bet", "dealt_from"):
        setattr(out, name, getattr(round_, name))
    out.close = round_.close
    out.irregular = round_.irregular
    out.bets = {key: bet for key, bet in round_.bets.items() if bet.at < at}
    turned = {(look.box, look.hand) for look in round_.revealed if look.at < at}

    def lies_open(card: Card) -> bool:
        return card.face_up or face_down_counts or (card.box, card.hand) in turned

    out.cards = [
        card
        for card in round_.cards
        if card.at < at and card.draw not in without and lies_open(card)
    ]
    shown = set(map(id, out.cards))
    out.steps = [
        step
        for step in round_.steps
        if step.at < at and (not isinstance(step, Card) or id(step) in shown)
    ]
    out.decisions = [step for step in out.steps if isinstance(step, Decision)]
    out.notes = [note for note in round_.notes if note.at < at]
    out.rulings = [ruling for ruling in round_.rulings if ruling.at < at]
    out.options = [option for option in round_.options if option.at < at]
    out.settled = [settled for settled in round_.settled if settled.at < at]
    out.buttons = [button for button in round_.buttons if button.at < at]
    return out


_OF_A_ROUND = tuple(name for name in dir(Round("", None)) if name[0] != "_" and name != "seq")
_OF_A_BET = tuple(
    name for name in dir(Bet(0, 0, 0, "", "")) if name[0] != "_" and name != "late_left"
)
"""Every fact. Not `__slots__`, and not the module copy: a compiled class knows neither."""


def copied_round(round_: Round) -> Round:
    """Another round with the same facts."""
    out = Round(round_.id, round_.table)
    for name in _OF_A_ROUND:
        setattr(out, name, getattr(round_, name))
    return out


def copied_bet(bet: Bet) -> Bet:
    """Another bet with the same chips."""
    out = Bet(bet.at, bet.box, bet.hand, bet.player, bet.bet)
    for name in _OF_A_BET:
        setattr(out, name, getattr(bet, name))
    return out


def as_judged(
    round_: Round, *, late_from: int | None, shuffled: bool | None, opened_at: int | None
) -> Round:
    """The round as the rulebook is asked about it: without what was noticed too late, from an
    event on, with how its shoe began and when it opened. The round itself stays as it is."""
    out = copied_round(round_)
    out.shuffled, out.opened_at = shuffled, opened_at
    if late_from is not None:
        out.notes = [note for note in round_.notes if note.at < late_from]
        out.rulings = [ruling for ruling in round_.rulings if ruling.at < late_from]
        out.options = [option for option in round_.options if option.at < late_from]
        out.voids = [void for void in round_.voids if void.at < late_from]
    return out
