"""The dealer's draws, and chips for a double or a split: looked at when the round is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.cards import value
from replay.facts import NEVER, Card, Decision
from replay.findings import Findings
from replay.rules import WHOLE_HAND
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import Dealer

if TYPE_CHECKING:
    from replay.twentyone.game import Game


def check_chips(game: Game, table: TwentyOneTable) -> None:
    """Who doubles or splits puts chips down for it."""
    for made in table.round.decisions:
        if made.decision not in {"double", "split"}:
            continue
        split = made.decision == "split"
        hand = table.splits.get(made.at) if split else made.hand
        if _may_still_come(table, made):
            continue
        if (made.box, hand, made.player, made.decision) not in table.round.bets:
            clause = game.split_clause if split else game.double_clause
            table.illegal(made, (clause,), f"{made.decision} without chips for it")


def _may_still_come(table: TwentyOneTable, made: Decision) -> bool:
    """Chips follow the word before the next card: the log stops there, or the bets went back."""
    back = table.taken_back.get((made.box, made.player), NEVER)
    ends = back if made.at < back < NEVER else None if table.round.closed else NEVER
    if ends is None:
        return False
    place = {(made.box, made.hand), (made.box, table.splits.get(made.at))}
    cards = table.round.cards
    return not any(made.at < c.at < ends and (c.dealt_box, c.dealt_hand) in place for c in cards)


def check_dealer(
    game: Game,
    table: TwentyOneTable,
    dealer: Dealer,
    needs: int,
    findings: Findings,
) -> None:
    """He drew past his stand, or stood although a bet depends on his next card."""
    over = overdrawn(table, dealer)
    if over is not None and not _drawn_together(table, over):
        findings.add(
            "dealer_draw",
            game.overdraw_clauses,
            f"drew {over.face} although he had to stand",
            at=over.at,
            box=0,
            hand=0,
        )
    if dealer.complete or not needs:  # where play goes on or stopped, nothing that needs him is due
        return
    enough = len(dealer.faces) >= 2 or not may_be_natural(dealer.first)
    if needs == WHOLE_HAND or not enough:
        findings.add(
            "dealer_draw",
            (game.draw_clause,),
            f"stood on {' '.join(dealer.faces) or 'no cards'} ({dealer.total}) although a bet "
            "depends on his next card",
            at=table.dealer[-1].at if table.dealer else None,
            box=0,
            hand=0,
        )


def _drawn_together(table: TwentyOneTable, card: Card) -> bool:
    """Whether the card came out with another for the dealer, and the round was over before both
    could be discarded."""
    if not table.cut_short or table.episodes is None:
        return False
    together = table.episodes.of_kind("simultaneous_cards")
    return any(card.draw in episode.cards for episode in together)


def overdrawn(table: TwentyOneTable, dealer: Dealer) -> Card | None:
    """The card that he drew past his stand, also where it was discarded afterwards.

    One that he drew for a card that was taken away wrongly belongs to that breach, and so do those
    that he had to draw on the cards that were left to him.
    """
    over = dealer.overdrawn
    if over is not None and over not in table.replacing and not _had_to_draw(table, over):
        return over
    for card in table.dealer_gone:
        before = [c.face for c in table.dealer if c.at < card.at]
        if not table.game.must_draw(*value(before)):
            return card
    return None


def _had_to_draw(table: TwentyOneTable, card: Card) -> bool:
    gone = table.wrongly_gone
    left = [c.face for c in table.dealer if c.at < card.at and c not in gone]
    return bool(gone) and table.game.must_draw(*value(left))


def may_be_natural(first: str) -> bool:
    """Whether the dealer's first card can become a natural."""
    return first[:1] in {"A", "T", "J", "Q", "K"}
