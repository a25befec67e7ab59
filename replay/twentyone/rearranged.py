"""Cards that were moved or taken away: what becomes of the hands, where that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.episodes import Episode
from replay.episodes.text import CARDS
from replay.facts import NEVER, Card, Discard, Moved
from replay.twentyone.hands import Hand

if TYPE_CHECKING:
    from replay.twentyone.table import TwentyOneTable


def move(table: TwentyOneTable, step: Moved) -> None:
    """A reconstruction: it counts where the text allows it, and puts its error right.

    A record that a card was moved to where it lies moves nothing. Rightful cards that were moved
    beside a known error are in no episode, whatever else was moved with them.
    """
    moves = tuple(one for one in step.moves if not _stays(table, one, step.at))
    astray = tuple(one for one in moves if _beside(table, one[0], step, one[1:]))
    for some in (tuple(one for one in moves if one not in astray), astray):
        if some:
            _move(table, Moved(step.at, some), outside=some is astray)


def _stays(table: TwentyOneTable, move: tuple[int, int, int], at: int) -> bool:
    draw, *place = move
    card = table.find(draw)
    if card is None or card.at > at or [card.box, card.hand] != place:
        return False
    return card in table.list_of(card)


def _beside(
    table: TwentyOneTable, draw: int, step: Moved | Discard, to: tuple[int, ...] | None = None
) -> bool:
    """Whether a card lies where it belongs, goes elsewhere or is taken away, and the errors that
    are open are known to be about other cards on other boxes."""
    card, episodes = table.find(draw), table.known_episodes()
    if card is None or card.at > step.at or not table.intended().lies_rightly(card):
        return False
    if to == table.intended().places[draw]:
        return False
    episodes.read_on(step.at)
    still = episodes.open_at(step.at)
    if any(draw in e.cards for e in episodes.all if e.kinds & CARDS):
        return False
    if any(card.box in {e.box, *(note.box for note in e.notes)} for e in still):
        return False
    return any(_known(table, e) for e in still)


def _known(table: TwentyOneTable, episode: Episode) -> bool:
    """Whether a card of the error is known that lies where it does not belong."""
    cards = [card for draw in episode.cards if (card := table.find(draw)) is not None]
    return any(not table.intended().lies_rightly(card) for card in cards)


def _move(table: TwentyOneTable, step: Moved, *, outside: bool) -> None:
    episodes = table.known_episodes()
    episode = None if outside else episodes.of_move(step, table.lies)
    if outside:
        episodes.outside.append(step)
    cards = [card for draw, _, _ in step.moves if (card := table.find(draw)) is not None]
    if not table.game.section5.may_move(table, step, episode):
        for card in cards:
            _owe(table, card)
        return
    further = further_cards(table)
    for draw, box, hand in step.moves:
        card = table.find(draw)
        if card is None:
            continue
        _take_out(table, card, further)
        card.box, card.hand = box, hand
        home = table.boxes.get(box)
        if home is not None and hand not in home.hands:
            home.hands[hand] = Hand(box, hand)
        pile = table.list_of(card)
        pile.append(card)
        pile.sort(key=lambda c: c.draw)
    recount(table)
    moved = {draw for draw, _, _ in step.moves}
    for card in further_cards(table):
        hand_now = table.hand_at(card.box, card.hand)
        if card.draw in moved and hand_now is not None:
            table.came(hand_now, card)
    for each in episodes.all:
        if each is episode or (each.open_at(step.at) and each.cards & moved):
            _repair(table, each, step)


def discard(table: TwentyOneTable, step: Discard) -> None:
    """A card is taken away: it is gone where the text allows it, or where it was nothing."""
    card = table.find(step.draw)
    if card is None or card not in table.list_of(card):
        return
    section5, episodes = table.game.section5, table.known_episodes()
    if cleared(table, card, step.at) or (section5.collects and section5.collects(table, card)):
        return  # nobody plays the hand any more: it stays as it was
    if section5.no_reconstruction(table, step, card):
        episode = episodes.holding(step)
    else:
        outside = _beside(table, step.draw, step)
        episode = None if outside else episodes.of_discard(step, table.lies)
        if outside:
            episodes.outside.append(step)
        if not section5.may_discard(table, step, episode):
            _owe(table, card)
            return
    _take_away(table, card, episode)
    if episode is not None:
        _repair(table, episode, step)


def _repair(table: TwentyOneTable, episode: Episode, step: Moved | Discard) -> None:
    """Put right where its cards lie where they belong, and nobody ruled that they cannot be."""
    if episode.repairable(step.at) is False:
        return
    cards = [card for draw in episode.cards if (card := table.find(draw)) is not None]
    lying = (card for card in cards if card in table.list_of(card))
    if all(table.intended().rightly(card, step) for card in lying):
        episode.put_right(step.at)


def cleared(table: TwentyOneTable, card: Card, at: int) -> bool:
    """Whether the card lies where nobody plays any more: it is only put away.

    The round was declared void and no card came after that, every bet there was settled, or
    everybody on the box had his bets back.
    """
    round_ = table.round
    declared = min((void.at for void in round_.voids), default=NEVER)
    if declared < at and not any(other.at > declared for other in round_.cards):
        return True
    bets = {key for key in round_.bets if card.box in {0, key[0]}}
    if bets and bets <= {settled.key for settled in round_.settled if settled.at < at}:
        return True
    box = table.boxes.get(card.box)
    if box is None or not box.initials:
        return False
    return all(table.taken_back.get((box.no, p), NEVER) < at for p in box.initials)


def _take_away(table: TwentyOneTable, card: Card, episode: Episode | None) -> None:
    hand = table.hand_at(card.box, card.hand)
    unasked = card in table.unasked
    pending = 0 if hand is None else hand.pending
    _take_out(table, card, further_cards(table))
    if card in table.initial:
        table.initial.remove(card)  # another one comes in its place
        table.initial_gone.append(card)
    if card.box == 0:
        table.dealer_gone.append(card)
        if episode is None or "simultaneous_cards" not in episode.kinds:
            recount(table)  # else his draw had begun, and goes on with another card
    elif unasked:
        recount(table)
    elif hand is not None and hand.pending > pending:
        hand.pending -= 1
        hand.owed += 1


def _owe(table: TwentyOneTable, card: Card) -> None:
    """A card that stays where it was: what comes in its place belongs to that breach."""
    hand = table.hand_at(card.box, card.hand)
    if card.box == 0:
        table.wrongly_gone.append(card)
        table.owed += 1
    elif hand is not None:
        hand.owed += 1


def _take_out(table: TwentyOneTable, card: Card, further: list[Card]) -> None:
    """A card leaves its hand; who had asked for it still waits for one."""
    pile = table.list_of(card)
    if card not in pile:
        return
    pile.remove(card)
    hand: Hand | None = table.hand_at(card.box, card.hand)
    if card in table.unasked:
        table.unasked.remove(card)
    elif hand is not None and card in further:
        hand.pending += 1


def lies_there(table: TwentyOneTable, hand: Hand, at: int) -> bool:
    """Whether the card that is asked for lies there: it came out together with the one before."""
    episodes = table.known_episodes()
    episodes.advance(at)
    together = {draw for e in episodes.of_kind("simultaneous_cards") for draw in e.cards}
    card = next((c for c in table.unasked if c in hand.cards and c.draw in together), None)
    if card is not None:
        table.unasked.remove(card)
    return card is not None


def further_cards(table: TwentyOneTable) -> list[Card]:
    """The players' cards beyond the initial deal, in the order drawn."""
    first = {id(c) for b in table.boxes.values() for c in b.first or b.hands[1].cards[:2]}
    cards = [c for hand in table.player_hands() for c in hand.cards if id(c) not in first]
    return sorted(cards, key=lambda c: c.at)


def recount(table: TwentyOneTable) -> None:
    """Cards were put right: the two deals as if they had been dealt so."""
    further = further_cards(table)
    table.extra_at = further[0].at if further else NEVER
    table.dealer_second_at = table.dealer[1].at if len(table.dealer) > 1 else NEVER
    table.dealt_wrongly = [card for card in further if card.at > table.dealer_second_at]
    later = {id(card) for card in (*further, *table.dealer[1:])}
    lying = [card for hand in table.player_hands() for card in hand.cards]
    lying += [*table.dealer, *table.stray]
    table.initial = sorted((c for c in lying if id(c) not in later), key=lambda c: c.draw)
