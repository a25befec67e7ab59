"""The context of a round: what it is judged by besides its own events.

`evenhand replay FILE`, the night, `show`, evidence and `what-if` all ask `checks.audit.audit`, and
differ only in how they find this value: in a file (checks/in_file.py), in a table's day of the
archive (checks/in_day.py), or in the evidence itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from replay.answer import Finding
from replay.facts import Round


class ShoeStart(NamedTuple):
    """How a round's shoe came into play: the last `ShoeStarted` of it before the round opened."""

    shuffled: bool
    seq: int | None = None
    day: date | None = None  # the gaming day that holds the event
    hash: bytes | None = None  # of its body


class NextRound(NamedTuple):
    """The round that the table opened next, and the number of the event that opened it."""

    id: str
    seq: int


class MeterWord(NamedTuple):
    """What a published run found about a round in the meters that several tables share.

    `explained`: boxes whose progressive bet was paid rightly, though the round alone says
    otherwise; what the run found takes the place of what the round found.
    """

    run: str
    findings: tuple[Finding, ...] = ()
    explained: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class RoundContext:
    """What is known around one round. Everything may be left out; then nobody knows of it.

    shoe: the start of its shoe, on whatever day that lies.
    next_round: where it opened before this round's last event; what the round got after that came
        late (checks/late.py).
    record: what is wrong with its record.
    shoe_problems: what does not add up in its shoe.
    opened_us: when it opened, in microseconds since 1970, where that is not its opening's own time
        but its arrival: the clock was wrong (contract, section 1).
    meter: what the tables that share its meter say together; None: not looked at.
    """

    shoe: ShoeStart | None = None
    next_round: NextRound | None = None
    record: tuple[Finding, ...] = ()
    shoe_problems: tuple[Finding, ...] = ()
    meter: MeterWord | None = None
    opened_us: int | None = None

    @property
    def beside(self) -> tuple[Finding, ...]:
        """What other events of the table than the round's own and its context's show."""
        return (*self.record, *self.shoe_problems)

    def of_play(self) -> RoundContext:
        """The same without what others found: for a look at a part of the round."""
        return replace(self, record=(), shoe_problems=(), meter=None)


ALONE = RoundContext()
"""Nothing is known, or there is nothing to know."""


def has_meter(round_: Round) -> bool:
    """Whether a meter that other tables may share has a say in the round."""
    return (
        round_.jackpot_bet is not None
        or bool(round_.meters)
        or any(bet.bet == "progressive" for bet in round_.bets.values())
    )
