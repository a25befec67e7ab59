"""Section 5 as Pandemonium and MBS have it: a foreign card, a deal that can't be put right."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from replay import grounds as shared
from replay.answer import Key
from replay.episodes import Episode, Text
from replay.facts import NEVER, Card, DeclaredVoid, Discard, Moved
from replay.findings import Findings
from replay.grounds import Ground
from replay.stakes import Closing, Stake
from replay.twentyone.barred import Barred, let, no_card_of_the_set, past_stand
from replay.twentyone.choices import ERRORS
from replay.twentyone.deals import initial_done_at, paid_before
from replay.twentyone.established import established
from replay.twentyone.game import Game, Incidents, Section5
from replay.twentyone.hands import Hand
from replay.twentyone.incidents import left
from replay.twentyone.table import TwentyOneTable

DEALT_WRONGLY = frozenset(
    "dealing_error simultaneous_cards cards_to_empty_box wrong_card_count".split()
)
WITHOUT_A_CLAUSE = frozenset(
    "card_shortage insufficient_cards not_shuffled player_left jackpot_malfunction".split()
)


class Standing(NamedTuple):
    """The paragraphs on which a hand stands, by what it is."""

    initial: str  # its first two cards
    drawn: str  # further cards
    stood: str
    natural: str  # a Pontoon
    twenty_one: str
    bust: str
    dealer: str


class ShortText(NamedTuple):
    """What such a text has: the two void grounds, and on which paragraphs hands stand."""

    foreign: str
    dealt_wrongly: str
    standing: Standing
    unasked_may_begin: bool = False  # the text does not say that further cards are asked for
    clears_bust_hands: bool = False  # the text has the cards of a bust hand collected at once


def section_5(text: ShortText, closing: Closing) -> Section5:
    """The text has no limits and leaves reconstruction to the house."""
    return Section5(
        closing=closing,
        incidents=partial(_incidents, text),
        overdraw_cut=lambda readings: readings.other("dealer-overdraw"),
        text=Text(families=(ERRORS,)),
        may_move=partial(_may_move, text),
        may_discard=partial(_may_discard, text),
        no_reconstruction=_no_reconstruction,
        dealt_wrongly=text.dealt_wrongly,
        collects=collected if text.clears_bust_hands else None,
    )


def _may_move(text: ShortText, table: TwentyOneTable, step: Moved, episode: Episode | None) -> bool:
    """An error that the house finds can be put right; rightful cards stay where they lie."""
    if episode is not None:
        return _not_past_repair(text, table, step.at, episode)
    first = next((c for draw, _, _ in step.moves if (c := table.find(draw)) is not None), None)
    clause = text.dealt_wrongly if first is None else _stands_on(text, table, step)
    return let(table, step.at, Barred((clause,), "cards were moved that lay rightly"))


def _not_past_repair(text: ShortText, table: TwentyOneTable, at: int, episode: Episode) -> bool:
    if episode.repairable(at) is not False:
        return True
    says = "cards were moved although it was ruled that they cannot be put right"
    return let(table, at, Barred((text.dealt_wrongly,), says))


def _may_discard(
    text: ShortText, table: TwentyOneTable, step: Discard, episode: Episode | None
) -> bool:
    if episode is not None:
        return _not_past_repair(text, table, step.at, episode)
    card = table.find(step.draw)
    clause = text.dealt_wrongly if card is None else _paragraph(text, table, card)
    says = "a card was taken away, but no dealing error was noted"
    return let(table, step.at, Barred((clause,), says), card)


def _no_reconstruction(table: TwentyOneTable, step: Discard, card: Card) -> bool:
    """A card of no deck, one on an empty box, or one that the dealer took past his stand."""
    if card in table.stray or no_card_of_the_set(table, step, card):
        return True
    return card.box == 0 and card.draw in past_stand(table)


def collected(table: TwentyOneTable, card: Card) -> bool:
    """Whether a whole bust hand is cleared away; a card of it that was moved elsewhere is judged
    by itself."""
    hand = table.hand_at(card.box, card.hand)
    if hand is None or not table.game.view(hand, hand.doubled_at != NEVER, table.readings).bust:
        return False
    steps = table.round.steps
    gone = {step.draw for step in steps if isinstance(step, Discard)}
    gone |= {move[0] for step in steps if isinstance(step, Moved) for move in step.moves}
    return gone.issuperset(c.draw for c in hand.cards)


def _stands_on(text: ShortText, table: TwentyOneTable, step: Moved) -> str:
    """The paragraph of the hand that is broken up: the most telling of those that lose a card."""
    cards = [card for draw, _, _ in step.moves if (card := table.find(draw)) is not None]
    found = [_paragraph(text, table, card) for card in cards]
    telling = (text.standing.natural, text.standing.twenty_one, text.standing.bust)
    return next((clause for clause in found if clause in telling), found[0])


def _paragraph(text: ShortText, table: TwentyOneTable, card: Card) -> str:
    standing, hand = text.standing, table.hand_at(card.box, card.hand)
    if card.box == 0 or hand is None:
        return standing.dealer if card.box == 0 else standing.initial
    view = table.game.view(hand, hand.doubled_at != NEVER, table.readings)
    if view.bust:
        return standing.bust
    if view.total == 21:
        return standing.natural if view.natural else standing.twenty_one
    return standing.stood if hand.stood_at != NEVER else _as_dealt(standing, hand, card)


def _as_dealt(standing: Standing, hand: Hand, card: Card) -> str:
    return standing.initial if card in hand.cards[:2] and not hand.split else standing.drawn


def _incidents(
    text: ShortText,
    table: TwentyOneTable,
    stakes: dict[Key, Stake],
    game: Game,
    findings: Findings,
) -> Incidents:
    """Voids of a text with a short section 5; what it is silent on is left to people."""
    out = Incidents()
    round_ = table.round
    grounds = _foreign(text, table, game, findings)
    if round_.shuffled is False:
        table.known_episodes().prove("not_shuffled", 0)
        _silent(findings, "not_shuffled", None)
    if not (round_.irregular or grounds):
        return out
    shared.rulings(round_, findings)
    for episode in table.known_episodes().all:
        if "foreign_card" in episode.kinds:
            grounds.append(Ground(episode.at, text.foreign))
        elif episode.kind in WITHOUT_A_CLAUSE and episode.noted:
            _silent(findings, episode.kind, episode.at)
        elif episode.kind == "technical_interruption":
            _silent(findings, episode.kind, episode.at)
            if not established(game, table, stakes, episode.at) and table.readings.other(
                "interruption-without-a-clause"
            ):
                grounds.append(Ground(episode.at, f"{shared.BORROWED}5.4.2"))
    accepted = {text.foreign}
    if _dealt_wrongly(text, table, grounds, findings):
        accepted.add(text.dealt_wrongly)
    shared.declared_grounds(round_, grounds, frozenset(accepted), None, findings)
    clause = shared.choose(grounds, round_)
    if clause is not None:
        out.void_clauses = (clause,)
    elif round_.voids:
        out.stopped = True
    _no_choice(text, table, findings)
    out.left, out.perhaps_left = left(table, stakes)
    return out


def _no_choice(text: ShortText, table: TwentyOneTable, findings: Findings) -> None:
    """The text gives nobody a choice: who takes his bet back breaks it."""
    for option in table.round.options:
        if option.option == "take_back":
            findings.add(
                "illegal_decision",
                (text.dealt_wrongly,),
                "take_back, which this text does not offer",
                at=option.at,
                box=option.box,
                player=option.player,
            )


def _silent(findings: Findings, kind: str, at: int | None) -> None:
    what = kind.replace("_", " ")
    findings.add("discretion", (), f"{what}: the text is silent on it; people decide", at=at)


def _foreign(
    text: ShortText, table: TwentyOneTable, game: Game, findings: Findings
) -> list[Ground]:
    """A card of no deck, or one more copy than decks: a foreign card, unless read otherwise."""
    round_ = table.round
    out: list[Ground] = []
    card = shared.foreign_card(round_, game.deck)
    if card is not None:
        where = None if card.box < 0 else card.box
        table.known_episodes().prove("foreign_card", card.at, box=where, cards=[card.draw])
        out.append(Ground(card.at, text.foreign))
    excess = shared.excess_card(round_)
    noted = next((note for note in round_.notes if note.kind == "card_excess"), None)
    if excess is not None:
        table.known_episodes().prove("card_excess", excess.at, cards=[excess.draw])
    found = excess or noted
    if found is None:
        return out
    if not table.readings.other("excess-card-as-foreign"):
        out.append(Ground(found.at, text.foreign))
        return out
    findings.add("impossible_card", (text.foreign,), "a card is there once too often", at=found.at)
    return out


def _dealt_wrongly(
    text: ShortText, table: TwentyOneTable, grounds: list[Ground], findings: Findings
) -> bool:
    """Dealt incorrectly, before anything was settled or drawn, and not to be put right: void.

    True where a declaration counts as a note of its own: nothing that was noted stands behind it,
    and it does not come too late.
    """
    round_ = table.round
    declared = next((v for v in round_.voids if shared.covers(v.clause, text.dealt_wrongly)), None)
    late = after_all = False
    known = [
        e for e in table.known_episodes().all if e.kinds & DEALT_WRONGLY and (e.notes or e.moves)
    ]
    for episode in known:
        if not _past_repair(episode, declared):
            continue
        if _too_late(text, table, episode.at) and not table.readings.other("late-dealing-error"):
            _late(text, findings, episode.at)
            late = True
        elif episode.repairable() and declared is not None:
            after_all = True
        elif episode.notes:
            grounds.append(Ground(episode.at, text.dealt_wrongly))
    if declared is None or late or any(g.clause == text.dealt_wrongly for g in grounds):
        return False
    if after_all:
        _after_all(text, table, grounds, declared, findings)
    if any(e.put_right_at < declared.at or e.repairable() for e in known):
        return False  # what was noted is no ground any more, and nothing else was
    if _too_late(text, table, declared.at) and not table.readings.other("late-dealing-error"):
        _late(text, findings, declared.at)
        return False
    return True


def _past_repair(episode: Episode, declared: DeclaredVoid | None) -> bool:
    """Ruled so, or declared void while it was open."""
    if episode.put_right_at != NEVER and (declared is None or episode.put_right_at < declared.at):
        return False
    if episode.repairable() is False:
        return True
    return declared is not None and episode.at < declared.at


def _after_all(
    text: ShortText,
    table: TwentyOneTable,
    grounds: list[Ground],
    declared: DeclaredVoid,
    findings: Findings,
) -> None:
    """Ruled reconstructable, and declared void before a card was moved."""
    if table.readings.other("void-after-reconstructable"):
        return
    grounds.append(Ground(declared.at, text.dealt_wrongly))
    says = "declared void although it had been ruled that the cards can be put right"
    findings.add("discretion", (text.dealt_wrongly,), says, at=declared.at)


def _too_late(text: ShortText, table: TwentyOneTable, at: int) -> bool:
    if paid_before(table, at):
        return True
    if _subsequent_deal_at(table) < at:
        return True
    if not text.unasked_may_begin:
        return False
    done = initial_done_at(table, at)
    first = next((card for card in table.round.cards if card.at > done), None)
    begun = first is not None and first.at < at and first in table.unasked
    return begun and table.readings.other("unasked-first-card")


def _late(text: ShortText, findings: Findings, at: int) -> None:
    says = "a dealing error that cannot be put right was noted after further cards or a settlement"
    findings.add("discretion", (text.dealt_wrongly,), says, at=at)


def _subsequent_deal_at(table: TwentyOneTable) -> int:
    """When the subsequent deal began.

    It is the cards that players ask for (MBS 1.1.14); when it is over, the dealer draws (MBS 3.19,
    Pandemonium 3.18). So his second card proves that its time has come, if the initial deal was
    complete and somebody had decided. A card that nobody asked for, or one that the dealer took
    before, begins nothing: it may be the very card that was dealt incorrectly.
    """
    idle = {id(c) for c in (*table.initial, *table.initial_gone, *table.unasked)}
    further = (card.at for card in table.round.cards if card.dealt_box and id(card) not in idle)
    asked_for = min(further, default=NEVER)
    second = table.dealer_second_at
    complete = all(card.at < second for card in table.initial)
    decided = any(made.at < second for made in table.round.decisions)
    return min(asked_for, second) if complete and decided else asked_for
