"""What people do about trouble: players go on or take their bets back, dealers put things right."""

from __future__ import annotations

from typing import Any

from events.devices.chips import Chips, returned
from events.devices.script import SimulatedRound

TAKES_BACK = 0.25


class Options(SimulatedRound):
    """A round in which players may be asked whether they want to go on."""

    def offer_options(self, boxes: set[int] | None = None, *, may_leave: bool = True) -> None:
        """Each player of each box, or of some boxes only. A box follows its seated player."""
        gone: set[int] = set()
        for box, guest, seated in self.seats_in_play():
            if boxes is not None and box not in boxes:
                continue
            mine = [c for c in self.chips if c.box == box and c.guest is guest]
            still_open = [c for c in mine if c.settled is None]
            leaves = box in gone or (may_leave and self.chance(TAKES_BACK))
            leaves = leaves and bool(still_open)
            self.take_option(box, guest.ref, "take_back" if leaves else "continue")
            if leaves:
                self.leave(still_open)
                if seated:
                    gone.add(box)

    def take_option(self, box: int, player: str, option: str) -> None:
        self.say("OptionTaken", box=box, player=player, option=option)

    def leave(self, bets: list[Chips]) -> None:
        """The bets go back; they have no part in the rest of the round."""
        for chips in bets:
            chips.taken_back = True
            self.settle(chips, returned(chips), "interim")

    def rule(self, ruling: str, clause: str, by: str = "pit_supervisor", **where: Any) -> None:
        """Somebody above the dealer decides."""
        self.say("RulingMade", by=by, clause=clause, ruling=ruling, **where)


class PutsRight(SimulatedRound):
    """The dealer pays a winning bet wrongly, sees it and puts it right."""

    def before_close(self) -> None:
        wins = [c for c in self.chips if c.settled is not None and c.settled[1] > 0]
        if not wins or self.void_clause is not None:
            return
        _, _, fields = self.steps[wins[0].step]
        right = dict(fields)
        fields["winnings"] += fields["winnings"] // 2 or 1
        self.say("SettlementCorrected", **right, reason="paid too much")
        self.happened = True
