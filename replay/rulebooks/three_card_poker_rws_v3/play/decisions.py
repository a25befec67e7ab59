"""Who may decide, who may look, and what the set-up of a round must be."""

from __future__ import annotations

from replay import setup
from replay.episodes import Episode
from replay.facts import NEVER, Decision, Round
from replay.findings import Findings
from replay.rulebooks.three_card_poker_rws_v3.irregular.looks import further_hands
from replay.rulebooks.three_card_poker_rws_v3.play.table import (
    DEALER,
    HAND,
    UNDECIDED,
    Player,
    PokerTable,
)

Breach = tuple[tuple[str, ...], str]


def check_setup(round_: Round, findings: Findings) -> None:
    setup.decks(round_, findings, "2.2.1", 1, 1)
    setup.limits(round_, findings, "3.3", "ante")
    setup.no_button(round_, findings)


def check_decisions(table: PokerTable, *, ended: bool) -> None:
    """Each decision against the text, and antes for which none was made.

    `ended`: the round is void, so that what was still to come is no longer due.
    """
    before: set[Player] = set()
    shown_at = table.revealed_at(DEALER)
    over = min((void.at for void in table.round.voids), default=NEVER) if ended else NEVER
    for made in table.round.decisions:
        if made.at > over:
            break
        breach = _breach(table, made, before, shown_at, ended=ended)
        if made.decision in {"fold", "play"}:
            before.add((made.box, made.player))
        if breach is not None:
            clauses, says = breach
            table.findings.add(
                "illegal_decision",
                clauses,
                f"{made.decision}, but {says}",
                at=made.at,
                box=made.box,
                hand=made.hand,
                player=made.player,
            )
    _check_chips(table, shown_at)
    if ended and min(over, NEVER - 1) < shown_at:
        return  # nobody had to decide any more
    for box, player in sorted(table.bettors):
        if table.said(box, player) == UNDECIDED:
            table.findings.add(
                "illegal_decision",
                ("3.12",),
                "neither folded nor played",
                box=box,
                hand=1,
                player=player,
            )


def _breach(
    table: PokerTable, made: Decision, before: set[Player], shown_at: int, *, ended: bool
) -> Breach | None:
    """The first demand that a decision breaks."""
    box, player = made.box, made.player
    if made.decision not in {"fold", "play"}:
        return ("3.12",), "this game has no such decision"
    if table.owner.get(box) != player or made.hand != 1:
        return ("1.19", "3.12"), "only the player in charge of the box decides for it"
    ante = table.ante(box, player)
    if not ante and (made.decision == "fold" or (box, 1, player, "pair_plus") not in table.stakes):
        return ("3.12",), "that is for a player with an ante"
    if table.gone.get((box, player), NEVER) < made.at:
        return ("3.12",), "his hand was out of the round"
    if made.decision == "play" and table.left.get((box, player)):
        return ("5.5", "3.12"), "he had left, which is a fold"
    if _too_early(table, box, made.at):
        return ("3.12", "3.10"), TOO_EARLY
    play = table.round.bets.get((box, 1, player, "play"))
    chips_down = made.decision == "fold" and play is not None and play.at < made.at
    if (box, player) in before or chips_down:
        return ("3.12",), "the player had decided already"
    in_time = made.decision == "play" and play is not None and play.at < shown_at
    if shown_at < made.at and not in_time:
        return ("3.13", "3.12"), TOO_LATE
    may_come = (ended or not table.round.closed) and shown_at == NEVER
    chips = (box, 1, player, "play") in table.stakes or may_come
    if ante and made.decision == "play" and not chips:
        return ("3.12.2",), "there are no chips for it"
    return None


TOO_EARLY = "his cards had not all been dealt"
TOO_LATE = "the dealer's hand had been turned over already"


def _too_early(table: PokerTable, box: int, at: int) -> bool:
    """Whether a hand was not complete yet; a fourth card by mistake may come later."""
    if table.rearranged:
        there, most = table.lay_there(box, at)
        return there < min(HAND, most) or not most
    dealt = [card.at for card in table.hands.get(box, ())][:HAND]
    return not dealt or dealt[-1] > at


def _check_chips(table: PokerTable, shown_at: int) -> None:
    """Chips for play without a word are the decision."""
    for key in table.stakes:
        box, hand, player, bet = key
        at = table.round.bets[key].at
        if bet != "play" or key in table.off or (box, player) in table.decided:
            continue
        if _too_early(table, box, at):
            clauses, says = ("3.12", "3.10"), TOO_EARLY
        elif shown_at < at:
            clauses, says = ("3.13", "3.12"), TOO_LATE
        else:
            continue
        table.findings.add(
            "illegal_decision",
            clauses,
            f"chips for play, but {says}",
            at=at,
            box=box,
            hand=hand,
            player=player,
        )


def check_looks(table: PokerTable) -> None:
    """One hand for each player, his own, with an ante on it; the dealer opens the others last."""
    further = dict(further_hands(table))
    looked = {who: episode.at for who, episode in further.items()}
    for look in table.round.looks:
        looked.setdefault((look.box, look.player or ""), look.at)
    for who, at in looked.items():
        clauses, says = _look(table, who, further.get(who))
        if clauses:
            box, player = who
            table.findings.add(
                "illegal_examination",
                clauses,
                says,
                at=at,
                box=box,
                hand=min(box, 1),
                player=player,
            )
    _check_turned(table)


def _look(table: PokerTable, who: Player, further: Episode | None) -> Breach:
    """What is wrong with a look. A ruling by the house deals with one at a further hand."""
    if table.owner.get(who[0]) != who[1]:
        return ("3.7", "3.12"), "looked at a hand that is not his"
    if further is not None:
        return ((), "") if further.rulings else (("3.7", "5.18"), "a second hand was looked at")
    if not table.ante(*who):
        return ("3.14",), "looked at a hand without an ante"
    return (), ""


def _check_turned(table: PokerTable) -> None:
    """A hand with pair plus alone is opened after the dealer's."""
    shown_at = table.revealed_at(DEALER)
    if shown_at == NEVER:
        return
    for look in table.round.revealed:
        owner = table.owner.get(look.box)
        if look.at < shown_at and owner is not None and not table.ante(look.box, owner):
            table.findings.add(
                "deal_order",
                ("3.14",),
                "a hand with pair plus alone was opened before the dealer's",
                at=look.at,
                box=look.box,
                hand=1,
            )
