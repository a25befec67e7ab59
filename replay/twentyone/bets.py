"""Demands that several texts make on a bet, each with the clause the rulebook gives it."""

from __future__ import annotations

from replay.facts import NEVER
from replay.twentyone.case import had_21
from replay.twentyone.check_bets import BetCheck, BetMoment, last_chips, wholly_late


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
    """A side bet needs the player's own initial bet: on that box, or in one reading on any."""

    def breaks(m: BetMoment) -> bool:
        if m.own_initial:
            return False
        mine = (k for k in m.stakes if k[2] == m.bet.player and k[3] == "initial")
        elsewhere = any(m.lay_in_time(key) for key in mine)
        return not (elsewhere and m.table.readings.other("own-initial-on-that-box"))

    return BetCheck(
        names,
        "side_bet_alone",
        (clause,),
        breaks,
        "the player has no initial bet on the box",
        returns=(clause,),
        reading="side-bet-without-own-initial",
    )


def insurance_without_ace(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        cards = m.table.dealer
        return not cards or cards[0].face[0] != "A" or cards[0].at > m.bet.at

    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        breaks,
        "the dealer showed no ace",
        returns=(clause,),
        reading="insurance-out-of-place",
    )


def insurance_too_late(clause: str) -> BetCheck:
    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        lambda m: m.bet.at > m.table.drawing_at,
        "further cards had been dealt already",
        returns=(clause,),
        reading="insurance-out-of-place",
    )


def insurance_raised_too_late(clause: str) -> BetCheck:
    """What came in time counts; the rest goes back."""
    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        lambda m: m.bet.at < m.table.drawing_at < m.bet.last,
        "it was raised after further cards had been dealt",
        shown_at=last_chips,
    )


def insurance_before_second_cards(clause: str) -> BetCheck:
    """It is open when everybody has two cards."""
    return BetCheck(
        ("insurance",),
        "illegal_bet",
        (clause,),
        lambda m: any(card.at > m.bet.at for card in m.table.initial),
        "the initial deal was not complete",
    )


def insurance_on_a_paid_hand(clause: str) -> BetCheck:
    """The hand had 21, and that is paid at once."""

    def breaks(m: BetMoment) -> bool:
        return had_21(m.box.hands[1], m.bet.at)

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
        shown_at=last_chips,
    )


def word_may_follow(m: BetMoment) -> bool:
    """The log ends with the chips: the player's word for them may still come."""
    round_ = m.table.round
    return not round_.closed and not any(step.at > m.bet.last for step in round_.steps)


def double_without_decision(clause: str) -> BetCheck:
    def breaks(m: BetMoment) -> bool:
        hand = m.box.hands.get(m.bet.hand)
        return (hand is None or hand.doubled_at == NEVER) and not word_may_follow(m)

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
        shown_at=last_chips,
    )


def declined_before(m: BetMoment) -> bool:
    """Whether the player did not follow a split of the box that somebody else had made before.

    It is the same hand where the chips came only after its maker had his bets back.
    """
    box, player = m.bet.box, m.bet.player
    for made in m.table.round.decisions:  # in the order of play
        number = m.table.splits.get(made.at) if made.box == box else None
        if number is None:
            continue
        if number == m.bet.hand:
            back = m.table.taken_back.get((box, made.player), NEVER)
            return made.at < back < m.bet.at and made.player != player
        if m.lay_in_time((box, number, player, "split")) == 0:
            return player != made.player
    return False


def no_part_in_the_hand(clause: str, *, goes_back: bool) -> BetCheck:
    """A standing player who did not follow a split has no bet on the second hand, and so none to
    double or to split there. Where the text keeps him out of all later hands, chips go back."""

    def breaks(m: BetMoment) -> bool:
        hand = m.box.hands.get(m.bet.hand)
        if m.bet.bet == "split":
            if goes_back and declined_before(m):
                return True
            hand = None if hand is None else hand.parent
        if hand is None or (hand.no == 1 and wholly_late(m)):
            return False  # a bet that came too late is another matter
        name = "initial" if hand.no == 1 else "split"
        return m.lay_in_time((m.bet.box, hand.no, m.bet.player, name)) == 0

    return BetCheck(
        ("double", "split"),
        "illegal_bet",
        (clause,),
        breaks,
        "the player has no bet on the hand",
        returns=(clause,) if goes_back else None,
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
        return (hand is None or not hand.split) and not word_may_follow(m)

    return BetCheck(
        ("split",), "illegal_bet", (clause,), breaks, "no split made this hand", returns=(clause,)
    )


def split_not_equal(clause: str) -> BetCheck:
    """The bet on the new hand equals the one on the hand that was split."""

    def breaks(m: BetMoment) -> bool:
        hand = m.box.hands.get(m.bet.hand)
        parent = None if hand is None else hand.parent
        if parent is None:
            return False
        name = "initial" if parent.no == 1 else "split"
        key = (m.bet.box, parent.no, m.bet.player, name)
        stake = m.stakes.get(key)
        counts = 0 if stake is None else stake.basis  # less than what lies there over the maximum
        return not m.table.readings.either(
            "split-of-a-pro-rated-bet", m.lay_in_time(key) == m.amount, counts == m.amount
        )

    return BetCheck(
        ("split",),
        "illegal_bet",
        (clause,),
        breaks,
        "it does not equal the player's bet on the hand that was split",
        shown_at=last_chips,
    )
