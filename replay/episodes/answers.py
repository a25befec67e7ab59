"""What players answered to the episodes that ask them: go on, or have their bets back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replay.episodes.model import Episode, Seat
from replay.facts import NEVER, Option, Round


class Asked(NamedTuple):
    """An episode that gives a player the choice, and since when."""

    at: int
    episode: Episode


class Answered(NamedTuple):
    """One player's answers, in the order of the episodes."""

    to: list[tuple[Asked, Option | None]]  # up to the one at which he took his bets back
    needless: list[Option]  # for which there was nothing to choose about
    back: Option | None  # with this one he had his bets back


def answered(round_: Round, asked: Sequence[Asked], seat: Seat, *, firm: bool = False) -> Answered:
    """A player's answers.

    An option answers every unanswered episode before it; a later episode asks anew. Until another
    card is dealt he may think again. Who took back without any error is out as it was accepted;
    who went on must accept the cards that follow. `firm`: the first word stands, and without an
    error nothing is accepted.
    """
    due = sorted(asked, key=lambda one: one.at)
    given = [option for option in round_.options if (option.box, option.player) == seat]
    answer: dict[int, Option] = {}  # by the place in `due`
    needless: list[Option] = []
    last: Option | None = None  # the last that answered something
    back: Option | None = None
    for option in given:
        open_now = [n for n, one in enumerate(due) if n not in answer and one.at < option.at]
        if firm:
            if back is not None or not open_now:
                needless.append(option)
                continue
        elif not open_now:
            open_now = _noted_right_after(round_, due, answer, option)
        if not (open_now or firm) and last is not None and not _dealt(round_, last.at, option.at):
            open_now = [n for n, had in answer.items() if had is last]  # he thinks again
        if open_now:
            answer.update(dict.fromkeys(open_now, option))
            last = option
            back = option if option.option == "take_back" else None
        elif back is None and (last is None or option.option != last.option):
            needless.append(option)
            if last is None and option.option == "take_back":
                back = option
        if back is not None and _dealt(round_, back.at, NEVER):
            break
    out = [(one, answer.get(n)) for n, one in enumerate(due)]
    if back is not None:
        out = [pair for pair in out if pair[0].at < back.at or pair[1] is back]
    return Answered(out, needless, back)


def _noted_right_after(
    round_: Round, due: Sequence[Asked], answer: dict[int, Option], option: Option
) -> list[int]:
    """The first error, where it is noted after the answer and no card came in between."""
    if answer or not due or due[0].at < option.at or _dealt(round_, option.at, due[0].at):
        return []
    return [0]


def _dealt(round_: Round, begins: int, ends: int) -> bool:
    return any(begins < card.at < ends for card in round_.cards)
