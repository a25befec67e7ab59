"""Procedure faults of the dealer and the house at the games of 21."""

from __future__ import annotations

from events.devices.chips import Truth
from events.devices.trouble.dealing import SkippedBox
from events.devices.trouble.twentyone import Troubled
from events.devices.twentyone.hands import SimulatedHand, count, is_natural
from events.devices.twentyone.play import TwentyOneRound


class StopsTooSoon(TwentyOneRound):
    """The dealer stands under 17. No remedy: his total counts."""

    def dealer_draws(self) -> bool:
        wants = super().dealer_draws()
        early = len(self.dealer) >= 2 and count(self.dealer)[0] >= 12
        if wants and early and self.somebody_waits():
            self.planted = Truth("dealer_draw", 0, 0)
            return False
        return wants

    def somebody_waits(self) -> bool:
        """A bet hangs on the rest of his hand; insurance and surrenders are decided by now."""
        hands = [hand for box in self.boxes for hand in box.hands]
        return any(h.live and not h.surrendered and not h.natural for h in hands)


class DrawsTooMany(TwentyOneRound):
    """RWS: the dealer draws past his stand; the card is discarded, the total before it counts."""

    def dealer_plays(self) -> None:
        super().dealer_plays()
        waiting = any(c.settled is None for c in self.chips)
        if not waiting or is_natural(self.dealer) or count(self.dealer)[0] > 21:
            return
        card = self.next_card()
        draw = self.table.shoe.drawn
        self.say("CardDealt", draw=draw, box=0, hand=0, card=card, face_up=True)
        self.say("CardDiscarded", draw=draw, reason="drawn past the stand")
        self.planted = Truth("dealer_draw", 0, 0)


class DealsOutOfOrder(TwentyOneRound):
    """Two boxes get their first cards in the wrong order and nobody says anything."""

    def order_of_deal(self) -> list[SimulatedHand | None]:
        order = super().order_of_deal()
        if len(self.boxes) >= 2:
            order[0], order[1] = order[1], order[0]
            self.planted = Truth("deal_order")
        return order


class ForgetsToAsk(SkippedBox):
    """After a dealing error one player is not asked whether he wants to go on."""

    def take_option(self, box: int, player: str, option: str) -> None:
        if option == "continue" and self.planted is None:
            self.planted = Truth("missing_option", box, None, player)
            return
        super().take_option(box, player, option)


class ThreeDecks(TwentyOneRound):
    """A shoe of three decks, for one round."""

    wants_new_shoe = True
    ends_shoe = True
    decks = 3

    def open(self) -> None:
        super().open()
        self.planted = Truth("illegal_setup")


class NineDecks(ThreeDecks):
    """A shoe of nine decks, for one round."""

    decks = 9


class ReconstructsTooLate(Troubled):
    """RWS: first cards are moved after bets on them were settled. They count as they were dealt."""

    def final_settlement(self) -> None:
        settled = any(c.settled is not None for c in self.chips)
        pair = [b for b in self.boxes if len(b.hands) == 1 and b.first.live]
        if settled and len(pair) >= 2:
            one, other = pair[0].first, pair[1].first
            self.note("dealing_error", box=one.box, detail="said to be dealt in the wrong order")
            self.rule("reconstructable", "5.9")
            moves = [
                {"draw": one.draws[0], "box": other.box, "hand": 1},
                {"draw": other.draws[0], "box": one.box, "hand": 1},
            ]
            self.say("CardsMoved", moves=moves)
            self.offer_options(may_leave=False)
            self.planted = Truth("illegal_reconstruction")
        super().final_settlement()


class BreaksOff(TwentyOneRound):
    """RWS: some bets are decided when the lights go out, and the round is not played to its end."""

    def dealer_plays(self) -> None:
        surrendered = {b.number for b in self.boxes if b.first.surrendered}
        decided = any(c.settled is not None for c in self.chips if c.box not in surrendered)
        if decided and any(c.settled is None for c in self.chips):
            self.note("technical_interruption", detail="power failure")
            self.planted = Truth("round_not_concluded")
        else:
            super().dealer_plays()

    def final_settlement(self) -> None:
        if self.planted is None:
            super().final_settlement()
