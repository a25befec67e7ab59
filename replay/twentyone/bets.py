"""Demands that several texts make on a bet, each with the clause the rulebook gives it."""

from __future__ import annotations

from replay.cards import value
from replay.facts import NEVER
from replay.twentyone.game import BetCheck, BetMoment


def off_the_layout(clause: str, names: tuple[str, ...]) -> BetCheck:
    return BetCheck(
        names,
        "illegal_bet",
        (clause,),
        lambda m: m.bet.box > m.table.round.boxes,
        "the layout has no such box",
    )


def alone(clauses: tuple[str, ...], names: tuple[str, ...], reading: str | None = None) -> BetCheck:
    """A side bet on a box where nobody has an initial bet goes back."""
    return BetCheck(
        names,
        "side_bet_alone",
        clauses,
        lambda m: m.box_initial == 0,
        "no initial bet lies on the box",
        returns=clauses,
        reading=reading,
    )


def without_own_initial(clause: str, names: tuple[str, ...]) -> BetCheck:
    """A side bet needs the player's own initial bet."""
    return BetCheck(
        names,
        "side_bet_alone",
        (clause,),
        lambda m: m.own_initial == 0,
        "the player has no initial bet on the box",
        returns=(clause,),
        reading="side-bet-without-own-initial",
    )


def insurance_without_ace(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        cards = m.table.dealer
        return not cards or cards[0].face[0] != "A"

    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        breaks,
        "the dealer's first card is no ace",
        returns=(clause,),
        reading="insurance-out-of-place",
    )


def insurance_too_late(clause: str) -> BetCheck:
    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        lambda m: m.bet.at > m.table.extra_at,
        "further cards had been dealt already",
        returns=(clause,),
        reading="insurance-out-of-place",
    )


def insurance_on_a_paid_hand(clause: str) -> BetCheck:
    """The hand had 21, and that is paid at once."""

    def breaks(m: BetMoment) -> bool:
        faces = [card.face for card in m.box.hands[1].cards if card.at < m.bet.at]
        return any(value(faces[:count])[0] == 21 for count in range(2, len(faces) + 1))

    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        breaks,
        "the hand is paid already",
        returns=(clause,),
        reading="insured-pontoon",
    )


def insurance_above_half(clause: str) -> BetCheck:
    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        lambda m: 2 * m.amount > m.own_initial,
        "it is more than half of the player's initial bet",
    )


def double_without_decision(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        hand = m.box.hands.get(m.bet.hand)
        return hand is None or hand.doubled_at == NEVER

    return BetCheck(
        ("double",), "illegal_bet", (clause,), breaks, "nobody doubled the hand", returns=(clause,)
    )


def double_above_initial(clause: str) -> BetCheck:
    return BetCheck(
        ("double",),
        "illegal_bet",
        (clause,),
        lambda m: m.amount > m.own_initial,
        "it is more than the player's initial bet",
    )


def double_under_minimum(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        limits = m.table.round.limits.get("initial")
        return limits is not None and m.amount < limits[0]

    return BetCheck(
        ("double",), "under_limit", (clause,), breaks, "it is under the table's minimum"
    )


def split_without_decision(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        hand = m.box.hands.get(m.bet.hand)
        return hand is None or not hand.split

    return BetCheck(
        ("split",), "illegal_bet", (clause,), breaks, "no split made this hand", returns=(clause,)
    )


def split_not_equal(clause: str) -> BetCheck:
    """The bet on the new hand equals the one on the hand that was split."""

    def breaks(m: BetMoment) -> bool:
        parent = m.box.hands[m.bet.hand].parent
        if parent is None:
            return False
        name = "initial" if parent.no == 1 else "split"
        return m.lay_in_time((m.bet.box, parent.no, m.bet.player, name)) != m.amount

    return BetCheck(
        ("split",),
        "illegal_bet",
        (clause,),
        breaks,
        "it does not equal the player's bet on the hand that was split",
    )
