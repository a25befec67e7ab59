"""Facts of a line beside the rule that settled it, for the further clauses that it cites."""

from __future__ import annotations

from replay.twentyone.case import TwentyOneCase, follows_double
from replay.twentyone.dealer import overdrawn


def two_card_21_of_a_split(c: TwentyOneCase) -> bool:
    """An ace and a ten out of a split: 21, but no natural."""
    return c.hand.split and c.view.total == 21 and len(c.view.faces) == 2


def stays_on_first_hand(c: TwentyOneCase) -> bool:
    """A standing player who did not follow a split of this hand, the first or a later one."""
    if not c.hand.split or c.player == c.box.seated:
        return False
    bets = c.table.round.bets
    return any(
        new.parent is c.hand and (c.box.no, new.no, c.player, "split") not in bets
        for new in c.box.hands.values()
    )


def doubled(c: TwentyOneCase) -> bool:
    """Doubled and played so; one that had 21 before is none (`paid_before_double`)."""
    return c.doubled


def not_a_follower(c: TwentyOneCase) -> bool:
    """A standing player who did not follow a double."""
    return c.player != c.box.seated and not follows_double(c.table, c.hand, c.player)


def holds_ace(c: TwentyOneCase) -> bool:
    return any(face[0] == "A" for face in c.view.faces)


def dealer_overdrew(c: TwentyOneCase) -> bool:
    return overdrawn(c.table, c.dealer) is not None
