"""Dealing errors and what each player answered to them: go on, or have his bets back."""

from __future__ import annotations

from typing import NamedTuple

from replay.facts import NEVER, Moved, Note, Option, Round

OPTION_NOTES = {"dealing_error": ("5.7",), "simultaneous_cards": ("5.12.2", "5.7")}
MAY_OPT = frozenset({"cards_to_empty_box", "wrong_card_count", "card_exposed", "missing_burn"})
"""Dealing errors too: a choice may be offered after them."""

Seat = tuple[int, str]  # box, player


class Error(NamedTuple):
    """One dealing error. Noted twice, or noted, ruled on and put right, it is still one."""

    at: int
    clauses: tuple[str, ...]  # that demand a choice; none where it only may be given
    moved: bool  # the cards were put right


class Choice(NamedTuple):
    """What one player answered to one error, if anything."""

    error: Error
    option: Option | None


def errors_of(round_: Round) -> list[Error]:
    """The dealing errors of a round in their order."""
    found: list[Note | Moved] = [
        note for note in round_.notes if note.kind in OPTION_NOTES or note.kind in MAY_OPT
    ]
    found += [step for step in round_.steps if isinstance(step, Moved)]
    found.sort(key=lambda cause: cause.at)
    drawn = {card.draw: card.at for card in round_.cards}
    out: list[Error] = []
    last = -1  # when the last error was last spoken of
    for cause in found:
        moved = isinstance(cause, Moved)
        clauses = ("5.7",) if isinstance(cause, Moved) else OPTION_NOTES.get(cause.kind, ())
        if isinstance(cause, Moved):
            newest = max((drawn.get(draw, -1) for draw, _, _ in cause.moves), default=-1)
        else:
            newest = max((card.at for card in round_.cards if card.at < cause.at), default=-1)
        if out and newest < last:  # no card since then: the same error
            error = out[-1]
            at = error.at if error.clauses else cause.at
            out[-1] = Error(at, error.clauses or clauses, error.moved or moved)
        else:
            out.append(Error(cause.at, clauses, moved))
        last = cause.at
    return out


def choices(round_: Round, errors: list[Error], seat: Seat) -> tuple[list[Choice], list[Option]]:
    """A player's answer to each error, and the answers for which there was no error.

    Who went on must accept the cards that follow; he is asked again at the next error only. An
    answer before any error is taken as it was accepted. Who took back is out of the round.
    """
    given = [option for option in round_.options if (option.box, option.player) == seat]
    out: list[Choice] = []
    without: list[Option] = []
    starts = [error.at if n else _asked_from(round_, error.at) for n, error in enumerate(errors)]
    for option in given:
        if not errors or option.at < starts[0]:
            without.append(option)
            out.append(Choice(Error(option.at, (), moved=False), option))
            if option.option == "take_back":
                return out, without
    for number, error in enumerate(errors):
        ends = starts[number + 1] if number + 1 < len(errors) else NEVER
        answer: Option | None = None
        for option in given:
            if not starts[number] <= option.at < ends:
                continue
            if answer is None or not _dealt_between(round_, answer.at, option.at):
                answer = option
            elif option.option != answer.option:
                without.append(option)
        out.append(Choice(error, answer))
        if answer is not None and answer.option == "take_back":
            break
    return out, without


def _asked_from(round_: Round, at: int) -> int:
    """From when on an answer can be one to the first error: since the card before its note."""
    return max((card.at for card in round_.cards if card.at < at), default=-1)


def _dealt_between(round_: Round, begins: int, ends: int) -> bool:
    return any(begins < card.at < ends for card in round_.cards)


def taken_back(round_: Round) -> dict[Seat, int]:
    """Who had his bets back, and when he said so."""
    if not any(option.option == "take_back" for option in round_.options):
        return {}
    errors = errors_of(round_)
    out: dict[Seat, int] = {}
    for seat in {(option.box, option.player) for option in round_.options}:
        answers, _ = choices(round_, errors, seat)
        last = answers[-1].option if answers else None
        if last is not None and last.option == "take_back":
            out[seat] = last.at
    return out
