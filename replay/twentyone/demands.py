"""Demands that several texts make on a decision, each with the clause the rulebook gives it."""

from __future__ import annotations

from replay.facts import NEVER
from replay.twentyone.moment import DecisionCheck, Moment
from replay.twentyone.table import points


def in_charge(*clauses: str, but: tuple[str, ...] = ()) -> DecisionCheck:
    """Only the player in charge of a box decides for it; anybody, where nobody is."""

    def breaks(m: Moment) -> bool:
        made, seated = m.decision, m.box.seated
        if seated in {None, made.player} or made.decision in but:
            return False
        if seated in m.table.gone(m.box, made.at) and made.player in m.box.initials:
            return m.table.game.highest_decides
        for_himself = made.decision == "surrender" and made.player in m.box.initials
        return not (for_himself and m.table.readings.other("surrender-in-a-shared-box"))

    return DecisionCheck(clauses, breaks, "only the player in charge of the box decides")


def not_in_this_game(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: True, "this game has no such decision")


def dealt(*clauses: str) -> DecisionCheck:
    """The initial deal comes before any decision."""
    return DecisionCheck(
        clauses,
        lambda m: len(m.cards) < 2 and not m.hand.split,
        "the hand does not have its two cards yet",
    )


def still_open(stood: str, doubled: str, surrendered: str) -> tuple[DecisionCheck, ...]:
    """A hand that stood, doubled or surrendered is over."""
    return (
        DecisionCheck((stood,), lambda m: m.hand.stood_at != NEVER, "the hand stands already"),
        DecisionCheck(
            (doubled,),
            lambda m: m.hand.doubled_at != NEVER,
            "a doubled hand takes one card and no more",
        ),
        DecisionCheck((surrendered,), _given_up, "the hand was surrendered"),
    )


def _given_up(m: Moment) -> bool:
    """By the player himself, or for all: another one's own surrender is his alone."""
    return m.decision.player in m.hand.surrendered or m.table.given_up(m.box, m.hand)


def one_card_to_a_split_ace(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses,
        lambda m: m.hand.aces and len(m.cards) >= 2,
        "a split ace takes one card and no more",
    )


def not_bust(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.total > 21, "the hand is bust")


def not_on_21(*clauses: str) -> DecisionCheck:
    """No card is drawn on a 21, hard or soft."""
    return DecisionCheck(clauses, lambda m: m.total == 21, "no card is drawn on 21")


def at_least_12(*clauses: str) -> DecisionCheck:
    """A hand under 12 must draw, unless doubled."""
    return DecisionCheck(
        clauses,
        lambda m: m.total < 12 and m.hand.doubled_at == NEVER,
        "a hand under 12 must draw",
    )


def of_one_value(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses,
        lambda m: len(m.cards) != 2 or points(m.cards[0]) != points(m.cards[1]),
        "only two cards of the same value can be split",
    )


def four_hands(*clauses: str) -> DecisionCheck:
    """Three splits at most: four hands in a box."""
    return DecisionCheck(
        clauses, lambda m: len(m.box.hands) >= 4, "a box has four hands at the most"
    )


def aces_once(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.hand.aces, "aces are split only once")


def first_two_cards(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses, lambda m: len(m.cards) != 2, "it is allowed on the first two cards only"
    )


def not_aces(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.hand.aces, "a hand of split aces is not doubled")


def unsplit_aces(*clauses: str) -> DecisionCheck:
    """Under the other reading a pair of aces is not doubled either. Split aces come before."""
    return DecisionCheck(
        clauses,
        lambda m: (
            [face[0] for face in m.cards] == ["A", "A"]
            and m.table.readings.other("double-a-pair-of-aces")
        ),
        "a pair of aces is not doubled",
    )


def not_two_card_21(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses,
        lambda m: len(m.cards) == 2 and m.total == 21,
        "it is not allowed on a two-card 21",
    )


def dealer_shows(clauses: tuple[str, ...], ranks: str, says: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.dealer_first[:1] not in tuple(ranks), says)


def before_further_cards(*clauses: str) -> DecisionCheck:
    """Between the deals: a surrender waits for everybody's second card; no further card is out."""
    return DecisionCheck(
        clauses,
        lambda m: (
            _drawing(m, m.table.drawing_at) or (m.decision.decision == "surrender" and _dealing(m))
        ),
        "it comes after the initial deal and before any further card",
    )


def _drawing(m: Moment, since: int) -> bool:
    """Whether cards are out since a moment. One that lies wrongly in an open error is none."""
    if since == NEVER or not m.wrong:
        return since != NEVER
    out = (card for card in m.table.round.cards if since <= card.at < m.decision.at)
    return any(card.draw not in m.wrong for card in out)


def _dealing(m: Moment) -> bool:
    """Whether a box of the initial deal still waits for its second card."""
    if len(m.cards) < 2:
        return True
    return any(
        len(box.hands) == 1 and len(box.hands[1].cards) == 1 and m.table.plays(box)
        for box in m.table.boxes.values()
    )


def not_after_split(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.hand.split, "it is not allowed after a split")


def not_paid_already(*clauses: str) -> DecisionCheck:
    """A Pontoon is paid at once, so that there is nothing left to give up."""
    return DecisionCheck(clauses, lambda m: m.natural, "the hand is paid already")


def was_doubled(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses,
        lambda m: m.hand.doubled_at == NEVER or len(m.cards) < 3,
        "there is no doubled hand with its card",
    )


def has_double(*clauses: str) -> DecisionCheck:
    def breaks(m: Moment) -> bool:
        made = m.decision
        return (made.box, made.hand, made.player, "double") not in m.table.round.bets

    return DecisionCheck(clauses, breaks, "the player has no double on the hand")


def before_the_dealer_draws(*clauses: str) -> DecisionCheck:
    return DecisionCheck(
        clauses,
        lambda m: _drawing(m, m.table.dealer_second_at) or _drew(m),
        "the dealer has drawn already",
    )


def _drew(m: Moment) -> bool:
    """Whether the dealer took a card in his turn, whatever became of it."""
    if not m.table.round.irregular:
        return False
    return any(card.at < m.decision.at for card in m.table.intended().drawn)


def under_21(*clauses: str) -> DecisionCheck:
    return DecisionCheck(clauses, lambda m: m.total >= 21, "it is allowed on less than 21 only")
