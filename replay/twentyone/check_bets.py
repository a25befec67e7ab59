"""What a text says of each bet: the checks, and which bets go back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from replay.answer import Key
from replay.facts import LATER_BETS, Bet
from replay.findings import Findings
from replay.stakes import Stake
from replay.twentyone.hands import Box
from replay.twentyone.table import TwentyOneTable

if TYPE_CHECKING:
    from replay.twentyone.game import Game


class BetMoment(NamedTuple):
    """A bet as a check of bets looks at it."""

    table: TwentyOneTable
    bet: Bet
    amount: int
    box: Box
    stakes: Mapping[Key, Stake]

    def lay_in_time(self, key: Key) -> int:
        """What a bet amounts to without the chips that came too late."""
        stake = self.stakes.get(key)
        if stake is None:
            return 0
        late = self.table.round.bets[key].late_left
        if late and self.table.readings.other("late-bet"):
            return stake.amount
        return stake.amount - late

    @property
    def own_initial(self) -> int:
        """The player's own initial bet on the box."""
        return self.lay_in_time((self.bet.box, 1, self.bet.player, "initial"))

    @property
    def box_initial(self) -> int:
        """All initial bets on the box."""
        box = self.bet.box
        return sum(
            self.lay_in_time(key) for key in self.stakes if key[0] == box and key[3] == "initial"
        )


def first_chips(m: BetMoment) -> int:
    return m.bet.at


def last_chips(m: BetMoment) -> int:
    return m.bet.last


class BetCheck(NamedTuple):
    """One demand of the text on a bet. Where the bet goes back, `returns` has the clauses."""

    bets: tuple[str, ...]
    kind: str
    clauses: tuple[str, ...]
    breaks: Callable[[BetMoment], bool]
    says: str
    returns: tuple[str, ...] | None = None
    reading: str | None = None  # the reading under which it goes back
    shown_at: Callable[[BetMoment], int] = first_chips  # the event that shows it


def wholly_late(m: BetMoment) -> bool:
    """Whether the player's initial bet on the box came after the close, all of it."""
    key = (m.bet.box, 1, m.bet.player, "initial")
    return key in m.stakes and m.lay_in_time(key) == 0


def by_bet(checks: Iterable[BetCheck], bets: Iterable[str]) -> dict[str, tuple[BetCheck, ...]]:
    """For each bet of a game the demands on it, in their order."""
    return {bet: tuple(check for check in checks if bet in check.bets) for bet in bets}


def check_bets(
    game: Game,
    table: TwentyOneTable,
    stakes: Mapping[Key, Stake],
    returned: dict[Key, tuple[str, ...]],
    findings: Findings,
) -> None:
    """Each bet against what the text says of it; some of them go back."""
    bets, checks_by_bet = table.round.bets, game.checks_by_bet
    for key, stake in stakes.items():
        bet = bets[key]
        checks = checks_by_bet.get(bet.bet)
        if checks is None:
            findings.about(
                bet,
                "illegal_bet",
                (game.bet_clause,),
                f"{bet.bet} is no bet of this game",
            )
            returned.setdefault(key, (game.bet_clause,))
            continue
        moment = BetMoment(table, bet, stake.amount, table.boxes[bet.box], stakes)
        told = False
        for check in checks:
            if not check.breaks(moment):
                continue
            if not told:
                findings.about(
                    bet,
                    check.kind,
                    check.clauses,
                    check.says,
                    at=check.shown_at(moment),
                )
                told = True
            if check.reading is None or not table.readings.other(check.reading):
                if check.returns is not None:
                    returned.setdefault(key, check.returns)
                break  # else: read otherwise it is no reason, but there may be another one
        follows = bet.bet in LATER_BETS and wholly_late(moment)
        if follows and table.readings.other("later-bets-on-a-late-bet"):
            returned.setdefault(key, game.section5.closing.late)
