"""The episodes of a round of 3 Card Poker: one walk through its play binds them.

What the cards alone prove is opened here: a card face up, one too many on a hand, no burnt card,
a look at a second hand. Cards that leave a hand which is over are only cleared away.
"""

from __future__ import annotations

from heapq import merge

from replay.cards import DECK_52
from replay.episodes import Episode, Episodes
from replay.facts import (
    NEVER,
    Card,
    Decision,
    DeclaredVoid,
    Discard,
    Look,
    Moved,
    Note,
)
from replay.grounds import covers
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import (
    EXPOSED,
    LOOKED,
    MISDEALT,
    NO_BURN,
    TOGETHER,
    WRONG_COUNT,
    noticed_at,
    on_purpose,
)
from replay.rulebooks.three_card_poker_rws_v3.irregular.subjects import TEXT, Subjects
from replay.rulebooks.three_card_poker_rws_v3.play.acts import Acts, Bound, whole_hands
from replay.rulebooks.three_card_poker_rws_v3.play.order import Sequence
from replay.rulebooks.three_card_poker_rws_v3.play.players import out_before
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER, HAND, PokerTable


class Binding:
    """The walk: where each card lies, and to which episode each step belongs."""

    __slots__ = ("_empty_from", "_first_look", "_table", "acts", "episodes", "lies", "sequence")

    def __init__(self, table: PokerTable) -> None:
        self._table = table
        self.acts: dict[Episode, Acts] = {}
        subjects = Subjects(table.round, self.acts)
        text = TEXT._replace(
            belongs=self._belongs, question=subjects.question, about=subjects.about
        )
        self.episodes = subjects.episodes = Episodes(table.round, text)
        self.lies: dict[int, int] = {}  # draw: the box where it lies
        self.sequence = Sequence(table)
        self._first_look: dict[str, int] = {}
        self._empty_from = _emptied(table)

    def run(self) -> Bound:
        for step in merge(self._table.round.steps, self._table.round.looks, key=_when):
            self.episodes.advance(step.at)
            match step:
                case Card():
                    self._card(step)
                case Moved():
                    self._moved(step)
                case Discard():
                    self._discarded(step)
                case Look():
                    self._look(step)
        self.episodes.finish()
        self._declared()
        self._say_outside()
        return Bound(self.episodes, self.acts, self.lies, self.sequence.draws)

    def _declared(self) -> None:
        """Who declares the round void for a wrong deal that the cards prove has noticed it."""
        for void in self._table.round.voids:
            if covers(void.clause, "5.8.7") and self._dealer_miscounted(void.at):
                self._noticed(void, WRONG_COUNT, DEALER)
            known = self.episodes.of_kind(*MISDEALT, TOGETHER)
            if covers(void.clause, "5.8.6") and not known and self._out_of_order():
                self._noticed(void, "dealing_error", None)

    def _dealer_miscounted(self, at: int) -> bool:
        """Whether the dealer's hand had a wrong number; too few only where the deal was past it."""
        count = self._there(DEALER)
        if count >= HAND:
            return count > HAND
        round_ = self._table.round
        looked = any(look.at < at for look in (*round_.looks, *round_.revealed))
        past = looked or any(made.at < at for made in round_.decisions)
        return bool(count) and (past or self._out_of_order())

    def _noticed(self, void: DeclaredVoid, kind: str, box: int | None) -> None:
        still = [e for e in self.episodes.of_kind(kind) if e.box == box and not e.notes]
        episode = still[-1] if still else self.episodes.prove(kind, void.at, box=box)
        if not episode.notes:
            note = Note(void.at, kind, box, box, None, void.by, void.reason)
            episode.add_note(note)

    def _out_of_order(self, at: int | None = None) -> bool:
        """Whether a card of the deal lies elsewhere than the order puts it: of one box, or any."""
        for draw in self.sequence.draws:
            place = self.sequence.place(draw)
            lies = self.lies.get(draw, place)
            if place is not None and place != lies and at in {None, lies, place}:
                return True
        return False

    def _say_outside(self) -> None:
        """Cards that were moved or taken away though nothing was wrong count as they were dealt."""
        sets = self._table.round.dealt_from == "shuffler"
        for step in self.episodes.outside:
            box = self.lies.get(step.draw) if isinstance(step, Discard) else None
            self._table.findings.add(
                "illegal_reconstruction",
                ("3.11" if sets else "3.10", "1.17"),
                "cards were moved or taken away, but nothing was wrong with them",
                at=step.at,
                box=box,
                hand=None if box is None else min(box, 1),
            )

    def _card(self, card: Card) -> None:
        table, box = self._table, card.dealt_box
        if card is table.round.cards[0] and table.burn_due():
            self.episodes.prove(NO_BURN, card.at, cards=(card.draw,))
        if card.face_up:
            self.episodes.prove(EXPOSED, card.at, box=box, cards=(card.draw,))
        self.lies[card.draw] = box
        self.sequence.deal(card.draw, box)
        if self._there(box) > HAND and (box == DEALER or box in table.owner):
            known = [e for e in self._counts(box) if e.put_right_at == NEVER]
            if known:
                known[-1].cards.add(card.draw)
            else:
                self.episodes.prove(WRONG_COUNT, card.at, box=box, cards=(card.draw,))

    def _look(self, look: Look) -> None:
        """One hand of his own is what a player may look at."""
        player = look.player
        if player is None or self._table.owner.get(look.box) != player:
            return
        if not self._there(look.box):
            return  # nothing to be seen yet
        if self._first_look.setdefault(player, look.box) != look.box:
            self.episodes.prove(LOOKED, look.at, box=look.box)

    def _moved(self, step: Moved) -> None:
        episode = self.episodes.of_move(step, self._where)
        if episode is None:
            return
        sets = self._table.round.dealt_from == "shuffler"
        whole = whole_hands(self.lies, step, sets=sets)
        touched = {box for draw, box, _ in step.moves if draw in self.lies}
        touched |= {self.lies[draw] for draw, _, _ in step.moves if draw in self.lies}
        self.lies.update((draw, box) for draw, box, _ in step.moves if draw in self.lies)
        for each in self._concerned(episode, touched):
            acts = self.acts.setdefault(each, Acts())
            acts.touched |= touched
            if not whole:
                acts.broken_at = min(acts.broken_at, step.at)
            if self._right_now(each, whole):
                each.put_right(step.at)
            else:
                each.put_right_at = NEVER

    def _concerned(self, episode: Episode, touched: set[int]) -> list[Episode]:
        """The episode of a move, and the open ones that it settles beside it."""
        kinds = MISDEALT | {WRONG_COUNT}
        beside = (e for e in self.episodes.of_kind(*kinds) if e is not episode)
        still = [e for e in beside if e.put_right_at == NEVER and e.box in touched]
        return [episode, *still]

    def _right_now(self, episode: Episode, whole: bool) -> bool:
        if WRONG_COUNT in episode.kinds and episode.box is not None:
            return self._there(episode.box) == HAND
        if episode.kinds & MISDEALT:
            if self._out_of_order(episode.box):
                return False
            return whole or self._table.first_seen() < noticed_at(episode)
        return NO_BURN in episode.kinds

    def _discarded(self, step: Discard) -> None:
        table, box = self._table, self.lies.get(step.draw)
        if box is None:
            return
        face = next(card.face for card in table.round.cards if card.draw == step.draw)
        if face not in DECK_52:  # what could not be read, and what is no card of the deck
            self._take_out(step.draw, box)
            return
        if self._over(box, step):
            return
        episode = self.episodes.of_discard(step, self._where)
        if episode is None and self.sequence.place(step.draw) != box:
            self.episodes.outside.remove(step)
            episode = self.episodes.prove("dealing_error", step.at, box=box, cards=(step.draw,))
            episode.add_discard(step)
        if episode is None:
            return
        if NO_BURN in episode.kinds:
            episode.cards.update(self.lies)
            self.sequence.burn(step.draw)
        self._take_out(step.draw, box)
        self.acts.setdefault(episode, Acts()).touched.add(box)
        if self._right_now(episode, whole=False):
            episode.put_right(step.at)

    def _take_out(self, draw: int, box: int) -> None:
        self.sequence.take_out(draw, box)
        del self.lies[draw]

    def _over(self, box: int, step: Discard) -> bool:
        """Whether a hand is out of the round, so that its cards are only cleared away."""
        table, round_, at = self._table, self._table.round, step.at
        if any(void.at < at for void in round_.voids):
            return True
        if any(s.at < at and box in {s.key[0], DEALER} for s in round_.settled):
            return True
        if box == DEALER or box not in table.owner:
            return False
        if out_before(table, box, table.owner[box], at):
            return not self._one_too_many(box, step)
        if self._taken_back(box, at):
            return True
        if any(on_purpose(e) for e in self.episodes.of_kind(LOOKED) if e.box == box):
            return True
        counts = self._counts(box)
        if any(e.repairable(at) is False for e in counts):
            return True
        return any(e.noted for e in counts) and self._empty_from.get(box, NEVER) <= at

    def _one_too_many(self, box: int, step: Discard) -> bool:
        """Whether a card that was noted as too many is taken away, and not the whole hand."""
        known = [e for e in self._counts(box) if e.noted and step.draw in e.cards]
        still = [e for e in known if e.repairable(step.at) is not False]
        return bool(still) and box not in self._empty_from

    def _taken_back(self, box: int, at: int) -> bool:
        """Whether the player in charge took his bets back before a moment, with an error to do so
        that he had not yet answered."""
        answered: set[Episode] = set()
        for option in self._table.round.options:
            if (option.box, option.player) != (box, self._table.owner[box]) or option.at >= at:
                continue
            asked = [e for e in self.episodes.all if e.at < option.at and self._asks(e, box)]
            if option.option == "take_back" and not answered.issuperset(asked):
                return True
            answered.update(asked)
        return False

    def _asks(self, episode: Episode, box: int) -> bool:
        """Whether an error gives whoever sits there a choice."""
        unseen = noticed_at(episode) <= self._table.first_seen()
        if WRONG_COUNT in episode.kinds:
            some = episode.put_right_at != NEVER
        elif episode.kinds & MISDEALT:
            some = not unseen
        elif EXPOSED in episode.kinds:
            some = unseen and len(self.episodes.of_kind(EXPOSED)) == 1
        else:
            some = TOGETHER in episode.kinds
        if NO_BURN in episode.kinds:
            some = bool(episode.repairable()) or episode.put_right_at != NEVER
        if not some:
            return False
        touched = self.acts[episode].touched if episode in self.acts else ()
        return episode.box in {None, DEALER, box} or box in touched

    def _counts(self, box: int) -> list[Episode]:
        return [e for e in self.episodes.of_kind(WRONG_COUNT) if e.box == box]

    def _there(self, box: int) -> int:
        return sum(place == box for place in self.lies.values())

    def _where(self, draw: int) -> tuple[int, int] | None:
        box = self.lies.get(draw)
        return None if box is None else (box, min(box, 1))

    def _belongs(self, step: Moved) -> bool:
        """Whether a move puts every card where the order of the deal does."""
        moved = [(draw, box) for draw, box, _ in step.moves if draw in self.lies]
        return bool(moved) and all(self.sequence.place(draw) == box for draw, box in moved)


def _when(step: Card | Decision | Moved | Discard | Look) -> int:
    return step.at


def _emptied(table: PokerTable) -> dict[int, int]:
    """From when on a box is cleared: every card that lay there is taken away one by one."""
    lies: dict[int, int] = {}
    since: dict[int, int] = {}
    for step in table.round.steps:
        if isinstance(step, Card):
            lies[step.draw] = step.dealt_box
            since.pop(step.dealt_box, None)
        elif isinstance(step, Moved):
            lies.update((draw, box) for draw, box, _ in step.moves if draw in lies)
            for _, box, _ in step.moves:
                since.pop(box, None)
        elif isinstance(step, Discard) and step.draw in lies:
            since.setdefault(lies.pop(step.draw), step.at)
    return {box: at for box, at in since.items() if box not in lies.values()}
