"""Which kind of wrong a settlement is, from the line that is due and what was recorded."""

from __future__ import annotations

from checks.compare.recorded import Recorded
from replay.answer import Line
from replay.rules import ceil_part

MAY_BE_SURRENDERED = "initial"
WITHOUT_STAKE = frozenset({"super_bonus", "super_bonus_share", "ante_bonus", "envy_bonus"})


def kind_of(line: Line, found: Recorded) -> str:
    """Of a line that was settled otherwise than the rulebook gives: the first kind that fits."""
    if _paid_again(line, found):
        return "unowed_payment"
    if _on_another_amount(line, found):
        return "wrong_stake"
    if line.outcome == "win" and line.winnings and found.winnings not in {0, line.winnings}:
        return "wrong_odds"
    return "wrong_outcome"


def _paid_again(line: Line, found: Recorded) -> bool:
    """What was due had been paid in full, and more came after it. Of a lost bet nothing was due:
    where it was paid, the outcome is wrong."""
    due = (line.stake_returned, line.winnings)
    if due == (0, 0) or (line.outcome == "lose" and found.winnings) or found.paid <= sum(due):
        return False
    back = winnings = 0
    for part in found.parts[:-1]:
        back, winnings = back + part.stake_returned, winnings + part.winnings
        if (back, winnings) == due:
            return True
    return False


def _on_another_amount(line: Line, found: Recorded) -> bool:
    """The outcome is right, but on another amount than the one that counts."""
    if line.key[3] in WITHOUT_STAKE:
        return found.stake != 0 and found.winnings == line.winnings
    if (found.stake_returned, found.winnings) == (line.stake_returned, line.winnings):
        return found.stake != line.stake
    if line.outcome == "win" and found.winnings and found.stake != line.stake:
        return True
    if line.outcome == "lose" and _partly_pushed_back(line, found):
        return True
    bases = {found.stake, line.stake} - {line.basis}
    if found.stake != line.stake:
        bases.add(line.basis)
    if line.outcome == "win":  # one part of the bet, paid in steps
        bases |= {part.stake for part in found.parts} - {0, line.basis}
    return any(_outcome_on(line, found, base) for base in bases)


def _partly_pushed_back(line: Line, found: Recorded) -> bool:
    """Part of a lost bet went back: collected on another amount, unless half of a bet that can be
    surrendered went back."""
    back = found.stake_returned
    if found.winnings or not 0 < back < found.stake:
        return False
    if line.bet != MAY_BE_SURRENDERED:
        return True
    excess = line.stake - line.basis
    return back not in {ceil_part(found.stake, 1, 2), excess + ceil_part(line.basis, 1, 2)}


def _outcome_on(line: Line, found: Recorded, base: int) -> bool:
    """Whether the record is what the line's outcome gives on another base."""
    back, winnings = found.stake_returned, found.winnings
    rest = max(0, found.stake - base)
    if line.outcome == "win" and line.odds is not None:
        num, den = (int(part) for part in line.odds.split(":"))
        return winnings == ceil_part(base, num, den) and back in {found.stake, base, line.stake}
    if line.outcome == "lose":
        return winnings == 0 and back == rest
    if line.outcome == "surrendered":
        return winnings == 0 and back in {ceil_part(base, 1, 2), rest + ceil_part(base, 1, 2)}
    return winnings == 0 and back == base
