"""Money faults: the play is honest, the dealer pays or collects something else.

Each changes what is written about one bet for which the text has only one reading, so that a
planted fault can't be taken for another way of reading the rulebook.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from events.devices.chips import Chips, Truth
from events.devices.poker.play import PokerRound
from events.devices.script import SimulatedRound
from events.devices.twentyone.hands import is_natural
from events.devices.twentyone.play import TwentyOneRound


class MoneyFault(SimulatedRound):
    """A round whose record is tampered with before it closes."""

    def before_close(self) -> None:
        if self.void_clause is None:
            self.planted = self.tamper()

    @abstractmethod
    def tamper(self) -> Truth | None:
        """Plant the fault; None where this round gives no opportunity."""

    @abstractmethod
    def plain_bets(self) -> list[Chips]:
        """Settled bets on which no reading of the text can differ."""

    def pick(self, bets: list[Chips]) -> Chips | None:
        return bets[int(self.rng.random() * len(bets))] if bets else None

    def wins(self) -> list[Chips]:
        return [c for c in self.plain_bets() if c.settled is not None and c.settled[1] > 0]

    def written(self, chips: Chips) -> dict[str, Any]:
        """What was written down about this bet."""
        return self.steps[chips.step][2]


class Plain21(MoneyFault, TwentyOneRound):
    """At a game of 21: main bets on hands that are neither split, doubled, given up nor 21."""

    def plain_bets(self) -> list[Chips]:
        if is_natural(self.dealer) or self.bonus_boxes:
            return []
        return [
            chips
            for box in self.boxes
            for chips in box.first.chips
            if len(box.hands) == 1
            and chips.bet == "initial"
            and chips.settled is not None
            and not box.first.doubled
            and not box.first.surrendered
            and box.first.total != 21
        ]


class PlainPoker(MoneyFault, PokerRound):
    """At 3 Card Poker: Ante and Pair Plus of boxes that did not fold."""

    def plain_bets(self) -> list[Chips]:
        return [
            chips
            for box in self.boxes
            for bet, chips in box.bets.items()
            if not box.folded and bet in {"ante", "pair_plus"} and chips.settled is not None
        ]


class WrongOdds(MoneyFault):
    """A winning bet is paid by another row of the table: half a stake more."""

    def tamper(self) -> Truth | None:
        chips = self.pick(self.wins())
        if chips is None:
            return None
        self.written(chips)["winnings"] += chips.counts_cents // 2
        return Truth.about("wrong_odds", chips)


class WrongOutcome(MoneyFault):
    """A winner is collected, or a loser is paid."""

    def tamper(self) -> Truth | None:
        chips = self.pick(self.plain_bets())
        if chips is None or chips.settled is None:
            return None
        written = self.written(chips)
        if chips.settled[1] > 0:
            written["stake_returned"], written["winnings"] = 0, 0
        else:
            written["stake_returned"] = chips.placed_cents
            written["winnings"] = chips.counts_cents
        return Truth.about("wrong_outcome", chips)


class WrongStake(MoneyFault):
    """A winning bet is settled as if half of it had lain there."""

    def tamper(self) -> Truth | None:
        chips = self.pick([c for c in self.wins() if c.placed_cents % 4 == 0])
        if chips is None:
            return None
        written = self.written(chips)
        for name in ("stake", "stake_returned", "winnings"):
            written[name] //= 2
        return Truth.about("wrong_stake", chips)


class UnsettledBet(MoneyFault):
    """A bet is passed over."""

    def tamper(self) -> Truth | None:
        chips = self.pick(self.plain_bets())
        if chips is None:
            return None
        del self.steps[chips.step]
        return Truth.about("unsettled_bet", chips)


class PaidTwice(MoneyFault):
    """A winner is paid a second time."""

    def tamper(self) -> Truth | None:
        chips = self.pick(self.wins())
        if chips is None:
            return None
        self.say("BetSettled", **self.written(chips))
        return Truth.about("unowed_payment", chips)


class PaidForNothing(MoneyFault):
    """Insurance is paid to somebody who took none; at 3 Card Poker, an Ante Bonus for nothing."""

    def tamper(self) -> Truth | None:
        chips = self.pick(self.plain_bets())
        bet = self.unplaced_bet(chips)
        if chips is None or bet is None:
            return None
        self.pay_extra(chips.box, chips.guest.ref, bet, 50_00, "final")
        return Truth("unowed_payment", chips.box, 1, chips.guest.ref, bet)

    def unplaced_bet(self, chips: Chips | None) -> str | None:
        """A bet that this player did not place there."""
        if chips is None:
            return None
        bet = "ante_bonus" if self.main_bet == "ante" else "insurance"
        same = (c for c in self.steps if c[1] == "BetSettled" and c[2]["bet"] == bet)
        if any(s[2]["box"] == chips.box and s[2]["player"] == chips.guest.ref for s in same):
            return None
        return bet


class WrongOdds21(WrongOdds, Plain21):
    """At the games of 21."""

    def wins(self) -> list[Chips]:
        """Side bets and naturals too."""
        naturals = [
            c
            for box in self.boxes
            for c in box.first.chips
            if box.first.natural and self.game.pays_21_at_once
        ]
        side = [c for box in self.boxes for c in box.side if c.bet != "pandemonium"]
        more = [c for c in naturals + side if c.settled is not None and c.settled[1] > 0]
        return super().wins() + more


class WrongOutcome21(WrongOutcome, Plain21):
    """At the games of 21."""


class WrongStake21(WrongStake, Plain21):
    """At the games of 21."""


class UnsettledBet21(UnsettledBet, Plain21):
    """At the games of 21."""


class PaidTwice21(PaidTwice, Plain21):
    """At the games of 21."""


class PaidForNothing21(PaidForNothing, Plain21):
    """At the games of 21."""


class WrongOddsPoker(WrongOdds, PlainPoker):
    """At 3 Card Poker."""


class WrongOutcomePoker(WrongOutcome, PlainPoker):
    """At 3 Card Poker."""


class WrongStakePoker(WrongStake, PlainPoker):
    """At 3 Card Poker."""


class UnsettledBetPoker(UnsettledBet, PlainPoker):
    """At 3 Card Poker."""


class PaidTwicePoker(PaidTwice, PlainPoker):
    """At 3 Card Poker."""


class PaidForNothingPoker(PaidForNothing, PlainPoker):
    """At 3 Card Poker."""
