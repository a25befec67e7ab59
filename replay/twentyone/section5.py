"""Section 5 as Pontoon Plus and Blackjack have it: the two texts agree paragraph by paragraph."""

from __future__ import annotations

from typing import NamedTuple

from replay import grounds as shared
from replay.answer import Key
from replay.cards import value
from replay.facts import NEVER, Discard, Moved
from replay.findings import Findings
from replay.grounds import Ground
from replay.stakes import Closing, Stake
from replay.twentyone import limits
from replay.twentyone.established import established
from replay.twentyone.game import Game, Incidents, Section5
from replay.twentyone.incidents import left, players_of, settled_before
from replay.twentyone.table import Table
from replay.twentyone.values import dealer_view

NOTED = {
    "foreign_card": "5.5.1",
    "card_shortage": "5.5.2",
    "card_excess": "5.5.2",
    "insufficient_cards": "5.5.3",
    "not_shuffled": "5.5.4",
}
BY_DECLARATION = frozenset({"5.5.1", "5.5.2", "5.5.3", "5.5.4"})
MAY_OPT = frozenset({"cards_to_empty_box", "wrong_card_count", "card_exposed", "missing_burn"})
"""Dealing errors too: a choice may be offered after them."""
OPTION_NOTES = {"dealing_error": ("5.7",), "simultaneous_cards": ("5.12.2", "5.7")}


class Cause(NamedTuple):
    """What gives the players a choice: the paragraphs that demand it."""

    at: int
    clauses: tuple[str, ...]


def incidents(table: Table, stakes: dict[Key, Stake], game: Game, findings: Findings) -> Incidents:
    """Voids, options, interruptions, players who left."""
    out = Incidents()
    round_ = table.round
    grounds = _proofs(table, game)
    if not (round_.irregular or grounds):
        return out
    shared.rulings(round_, findings)
    for note in round_.notes:
        if note.kind in NOTED:
            grounds.append(Ground(note.at, NOTED[note.kind]))
        elif note.kind == "technical_interruption":
            if established(game, table, stakes, note.at):
                out.established, out.stopped = "5.4.1", True
            else:
                grounds.append(Ground(note.at, "5.4.2"))
    shared.declared_grounds(round_, grounds, BY_DECLARATION, "5.19", findings)
    clause = shared.choose(grounds, round_)
    if clause is not None:
        out.void_clauses = (clause, "5.17")
        return out
    if round_.voids:
        out.stopped = True  # declared void without a ground: play may have stopped there
    _options(table, stakes, findings, out)
    out.left = left(table, stakes)
    _walked_away(table, stakes, findings, out)
    _simultaneous_to_dealer(table, findings)
    shared.face_up_in_shoe(table.round, "5.11", findings)
    return out


def _proofs(table: Table, game: Game) -> list[Ground]:
    """What the cards alone prove."""
    round_ = table.round
    out = []
    card = shared.foreign_card(round_, game.deck)
    if card is not None:
        out.append(Ground(card.at, "5.5.1"))
    card = shared.excess_card(round_)
    if card is not None:
        out.append(Ground(card.at, "5.5.2"))
    if round_.shuffled is False:
        out.append(Ground(0, "5.5.4"))
    return out


def _options(table: Table, stakes: dict[Key, Stake], findings: Findings, out: Incidents) -> None:
    """After a dealing error every player goes on or has his bets back."""
    round_ = table.round
    moved = [step for step in round_.steps if isinstance(step, Moved)]
    causes = [Cause(n.at, OPTION_NOTES[n.kind]) for n in round_.notes if n.kind in OPTION_NOTES]
    causes += [Cause(step.at, ("5.7",)) for step in moved]
    cause = min(causes, default=None)
    may = cause is not None or any(note.kind in MAY_OPT for note in round_.notes)
    taken = {(o.box, o.player): o for o in round_.options}
    for (box, player), keys in players_of(stakes).items():
        option = taken.get((box, player))
        since = cause or option
        if since is None:
            continue
        live = [key for key in keys if not settled_before(table, key, since.at)]
        if option is None:
            if cause is not None and live:
                findings.add(
                    "missing_option",
                    cause.clauses,
                    "a dealing error, but no choice between going on and taking back",
                    at=cause.at,
                    box=box,
                    player=player,
                )
            continue
        if option.option == "take_back":
            _take_back(table, live, out)
        else:
            went_on = "5.7.2" if moved else "5.7.1"
            for key in live:
                out.extra[key] = (*out.extra.get(key, ()), went_on)
        if not may:
            findings.add(
                "illegal_decision",
                ("5.7",),
                f"{option.option} without a dealing error",
                at=option.at,
                box=box,
                player=player,
            )


def _take_back(table: Table, live: list[Key], out: Incidents) -> None:
    for key in live:
        if key[3] != "initial" and table.readings.other("options-scope"):
            continue
        out.returned[key] = ("5.7.3",)


def _walked_away(
    table: Table, stakes: dict[Key, Stake], findings: Findings, out: Incidents
) -> None:
    """The house draws for a player who left, alone on his box, until he has 12 or more."""
    for key in stakes:
        if key[0] in out.left:
            out.extra[key] = (*out.extra.get(key, ()), "5.3")
    for box, at in out.left.items():
        _drawn_to_12(table, box, at, findings)


def _drawn_to_12(table: Table, box: int, left_at: int, findings: Findings) -> None:
    for hand in table.boxes[box].hands.values():
        if hand.doubled_at != NEVER or hand.surrendered or not hand.cards:
            continue
        for count, card in enumerate(hand.cards):
            total, _ = value(hand.faces[:count])
            if card in table.unasked and card.at > left_at and total >= 12:
                says = f"the house drew {card.face} on {total}; it stops at 12 or more"
                findings.add("deal_order", ("5.3",), says, at=card.at, box=box, hand=hand.no)
                break
        total, _ = value(hand.faces)
        if total < 12 and hand.stood_at == NEVER:
            says = f"the house stopped at {total}; it draws to 12 or more"
            findings.add("deal_order", ("5.3",), says, at=left_at, box=box, hand=hand.no)


def _simultaneous_to_dealer(table: Table, findings: Findings) -> None:
    """Cards that came out together for the dealer are discarded."""
    for note in table.round.notes:
        if note.kind != "simultaneous_cards" or note.box != 0:
            continue
        if not any(isinstance(step, Discard) for step in table.round.steps):
            findings.add(
                "deal_order",
                ("5.12.1",),
                "cards drawn together for the dealer were not discarded",
                at=note.at,
                box=0,
                hand=0,
            )


def may_move(table: Table, step: Moved) -> bool:
    """Whether a reconstruction counts: 5.9 and 5.10, and what follows from an illegal one."""
    barred = _barred(table, step)
    if barred is None:
        return True
    clauses, says = barred
    table.findings.add("illegal_reconstruction", clauses, says, at=step.at)
    return table.readings.other("after-illegal-reconstruction")


def _barred(table: Table, step: Moved) -> tuple[tuple[str, ...], str] | None:
    round_ = table.round
    before = [settled for settled in round_.settled if settled.at < step.at]
    strays = {card.draw for card in table.stray}
    if before and any(draw in strays for draw, _, _ in step.moves):
        return ("5.10.3", "5.9"), "cards to an empty box were moved after a settlement"
    stood = dealer_view(table.dealer, table.game.must_draw, closed=False, cut=lambda: True)
    over = {card.draw for card in table.dealer[len(stood.faces) :]}
    if any(draw in over for draw, _, _ in step.moves):
        return ("5.10.2", "5.9"), "cards that the dealer drew past his stand were moved"
    if any(r.ruling == "not_reconstructable" and r.at < step.at for r in round_.rulings):
        return ("5.9",), "cards were moved although it was ruled that they cannot be put right"
    if not before:
        return None
    if table.drawing_at == NEVER or any(settled.phase == "final" for settled in before):
        return ("5.10.1", "5.9"), "cards were moved after a settlement"
    early = {card.draw for card in round_.cards if card.at < table.drawing_at}
    if any(draw in early for draw, _, _ in step.moves):
        return ("5.10.1", "5.9"), "cards of the initial deal were moved after its settlement"
    if table.readings.other("reconstruction-in-the-subsequent-deal"):
        return ("5.10.1", "5.9"), "cards were moved after an interim settlement"
    return None


SECTION_5 = Section5(
    closing=Closing(late=("5.8", "3.10"), withdrawal=("5.14", "5.8")),
    incidents=incidents,
    overdraw_cut=lambda readings: True,  # 5.10.2
    limits=limits.by_box,
    may_move=may_move,
)
