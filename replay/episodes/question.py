"""Which cards a note is about, as far as the log tells."""

from __future__ import annotations

from replay.facts import NEVER, Card, Discard, Note, Round


def in_question(round_: Round, note: Note) -> tuple[int, ...]:
    """The draws that a note means; none where it is about no card."""
    if note.kind == "card_face_up_in_shoe":
        thrown_away = undealt_after(round_, note.at)
        if thrown_away:
            return (thrown_away[0].draw,)
        card = face_up(round_, note)
        return () if card is None else (card.draw,)
    if note.kind == "simultaneous_cards":
        return tuple(card.draw for card in together(round_, note))
    if note.kind in {"technical_interruption", "player_left", "bet_error", "extra_hand_examined"}:
        return ()
    there = [card for card in round_.cards if card.at < note.at and _at(note, card)]
    return (there[-1].draw,) if there else ()


def _at(note: Note, card: Card) -> bool:
    if note.box is None:
        return True
    return card.dealt_box == note.box and note.hand in {None, card.dealt_hand}


def undealt_after(round_: Round, at: int) -> list[Discard]:
    """The cards thrown away straight out of the shoe after a moment, before any is dealt."""
    dealt = {card.draw for card in round_.cards}
    ends = next((card.at for card in round_.cards if card.at > at), NEVER)
    steps = (step for step in round_.steps if isinstance(step, Discard) and at < step.at < ends)
    return [step for step in steps if step.draw not in dealt]


def face_up(round_: Round, note: Note) -> Card | None:
    """The card that was found face up in the shoe.

    The next one drawn if that lies face up; else the last one, if that does and nobody noted
    anything else about it.
    """
    after = next((card for card in round_.cards if card.at > note.at), None)
    if after is not None and after.face_up:
        return after
    before = [card for card in round_.cards if card.at < note.at]
    if not before or not before[-1].face_up:
        return None
    last = before[-1]
    ends = NEVER if after is None else after.at
    others = (n for n in round_.notes if n is not note and last.at < n.at < ends)
    return None if any(n.kind != note.kind and _at(n, last) for n in others) else last


def together(round_: Round, note: Note) -> list[Card]:
    """The cards that came out together: laid down already, or the next ones."""
    place = [card for card in round_.cards if _at(note, card)]
    before = [card for card in place if card.at < note.at]
    if note.box == 0:
        return _for_the_dealer(round_, place, before, note)
    after = [card for card in round_.cards if card.at > note.at]
    waited = round_.steps and _last_step(round_, note.at).__class__ is not Card
    if waited or len(before) < 2:
        return after[:2]
    return before[-2:]


def _for_the_dealer(round_: Round, place: list[Card], before: list[Card], note: Note) -> list[Card]:
    """His next cards, where he had fewer than two or both were taken away; else his last.

    Where his last two were taken away once the note was made, it means these and no later ones.
    """
    after = [card for card in place if card.at > note.at]
    gone = {step.draw: step.at for step in round_.steps if isinstance(step, Discard)}
    ends = after[0].at if after else NEVER
    if all(note.at < gone.get(card.draw, NEVER) < ends for card in before[-2:]):
        return before[-2:]
    laid_down_after = len(before) < 2 or all(card.draw in gone for card in after[:2])
    return after[:2] if after and laid_down_after else before[-2:]


def _last_step(round_: Round, at: int) -> object:
    steps = [step for step in round_.steps if step.at < at]
    return steps[-1] if steps else None
