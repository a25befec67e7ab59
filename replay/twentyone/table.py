"""The table as play unfolds: cards and decisions in order become hands, each decision is checked.

Play is taken as it was accepted: a decision that breaks a rule is noted and still has its effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from replay.answer import Key
from replay.cards import POINTS
from replay.episodes import Episodes
from replay.episodes.model import Seat
from replay.episodes.text import CARDS
from replay.facts import LATER_BETS, NEVER, Bet, Card, Decision, Moved, Round
from replay.findings import Findings
from replay.readings import Readings
from replay.stakes import Stake
from replay.twentyone import rearranged
from replay.twentyone.choices import taken_back
from replay.twentyone.hands import Box, Hand
from replay.twentyone.intended import Intended
from replay.twentyone.moment import Moment, excused

if TYPE_CHECKING:
    from replay.twentyone.game import Game


class TwentyOneTable:
    """All hands of a round. Made by walking the steps of play once."""

    __slots__ = (
        "_intended",
        "boxes",
        "by_draw",
        "cut_short",
        "dealer",
        "dealer_gone",
        "dealer_second_at",
        "dealt_wrongly",
        "episodes",
        "extra_at",
        "findings",
        "game",
        "initial",
        "initial_gone",
        "owed",
        "readings",
        "replacing",
        "round",
        "splits",
        "stakes",
        "stray",
        "taken_back",
        "unasked",
        "wrongly_gone",
    )

    def __init__(self, game: Game, round_: Round, readings: Readings, findings: Findings) -> None:
        self.game = game
        self.round = round_
        self.readings = readings
        self.findings = findings
        self.boxes: dict[int, Box] = {}
        self.dealer: list[Card] = []
        self.dealer_gone: list[Card] = []  # his cards that were discarded
        self.extra_at = NEVER  # the first card to a player beyond the initial deal
        self.dealer_second_at = NEVER
        self.initial: list[Card] = []  # the initial deal, and cards to a box without a bet
        self.initial_gone: list[Card] = []  # cards of it that were taken away
        self.unasked: list[Card] = []  # cards to a hand that had not asked
        self.stray: list[Card] = []  # cards to a box on which nothing lies
        self.by_draw: dict[int, Card] | None = None
        self.dealt_wrongly: list[Card] = []  # to a player after the dealer's second card
        self.stakes: Mapping[Key, Stake] = {}  # what counts of the bets, once that is known
        self.splits: dict[int, int] = {}  # when -> the number of the new hand
        self.episodes: Episodes | None = None  # where something is irregular
        self._intended: Intended | None = None
        self.cut_short = False  # void, or play stopped: what was no longer done is no breach
        self.wrongly_gone: list[Card] = []  # cards of the dealer that were taken away wrongly
        self.owed = 0  # how many of them he has not replaced yet
        self.replacing: list[Card] = []  # those that he drew in their place
        self.taken_back: dict[Seat, int] = {}  # who had his bets back, and when
        if round_.options and game.section5.gives_choice:
            self.taken_back = taken_back(round_)
        self._seat()
        self._walk()

    def _seat(self) -> None:
        """Who bets where, and who decides: the seated player, else the highest initial bet."""
        boxes = self.boxes
        for bet in self.round.bets.values():
            if bet.stake <= bet.taken and not bet.late and bet.bet not in LATER_BETS:
                continue  # withdrawn whole before the close: it never played
            box = boxes.get(bet.box)
            if box is None:
                box = boxes[bet.box] = Box(bet.box)
            if bet.late and not self._counts(bet):
                continue  # late chips alone do not play
            if bet.bet == "initial":
                box.initials[bet.player] = bet
            if bet.seated and (box.seated is None or bet.bet == "initial"):
                box.seated = bet.player
        for box in boxes.values():
            if box.seated is None and self.game.highest_decides:
                box.seated = self._highest(box, frozenset())

    def _counts(self, bet: Bet) -> int:
        """What a bet amounts to without the chips that came too late, unless they count too."""
        in_time = max(0, bet.stake - bet.taken)
        if bet.late_left and self.readings.other("late-bet"):
            return in_time + bet.late_left
        return in_time

    def _highest(self, box: Box, gone: frozenset[str]) -> str | None:
        """Nobody sits at the box: the player with the highest bet decides."""
        totals: Counter[str] = Counter()
        initials: Counter[str] = Counter()
        for bet in self.round.bets.values():
            if bet.box != box.no or bet.bet in LATER_BETS or bet.player in gone:
                continue
            amount = self._counts(bet)
            if amount:
                totals[bet.player] += amount
                if bet.bet == "initial":
                    initials[bet.player] += amount
        in_all = max(totals, key=totals.__getitem__, default=None)
        initial = max(initials, key=initials.__getitem__, default=in_all)
        if in_all != initial and self.readings.other("highest-bet"):
            return in_all
        return initial

    def gone(self, box: Box, at: int) -> set[str]:
        """Who left the box, or had his bets on it back, before a moment."""
        out = {p for (no, p), when in self.taken_back.items() if no == box.no and when < at}
        for note in self.round.notes:
            if note.kind == "player_left" and note.player and note.box in {None, box.no}:
                out.update([note.player] if note.at < at else [])
        return out

    def _pass_on(self, box: Box, at: int) -> None:
        """Who left, or had his bets back, decides no more: the highest of those who stay does."""
        gone = self.gone(box, at)
        given_up = box.hands[1].surrendered
        if box.seated in given_up:
            if self.given_up(box, box.hands[1]):
                return  # the hand is over for all
            gone.update(given_up)
        if box.seated in gone:
            box.seated = self._highest(box, frozenset(gone)) or box.seated

    def plays(self, box: Box, at: int = NEVER) -> bool:
        """Whether anybody still plays the box: an initial bet that was not taken back by then."""
        if not self.taken_back:
            return bool(box.initials)
        back = self.taken_back
        return any(back.get((box.no, player), NEVER) >= at for player in box.initials)

    def given_up(self, box: Box, hand: Hand) -> bool:
        """Whether a hand was surrendered for everybody: by all, or by the one whose word binds."""
        if not hand.surrendered:
            return False
        if not box.initials.keys() - hand.surrendered.keys():
            return True
        if box.seated not in hand.surrendered:
            return False
        return not self.readings.other("surrender-in-a-shared-box")

    def _walk(self) -> None:
        for step in self.round.steps:
            if isinstance(step, Card):
                self._deal(step)
            elif isinstance(step, Decision):
                self._decide(step)
            elif isinstance(step, Moved):
                rearranged.move(self, step)
            else:
                rearranged.discard(self, step)
        if self.round.irregular:
            self._bind()
        for no in {no for no, _ in self.taken_back}:
            if no in self.boxes:
                self._pass_on(self.boxes[no], NEVER)

    def _bind(self) -> None:
        """The play is over: what is left is bound, and a card of an episode is no stray one."""
        episodes = self.known_episodes()
        episodes.finish()
        for hand in self.player_hands():
            if hand.strays:
                known = {draw for e in episodes.all if e.kinds & CARDS for draw in e.cards}
                hand.strays = [card for card in hand.strays if card.draw not in known]

    def _deal(self, card: Card) -> None:
        card.box, card.hand = card.dealt_box, card.dealt_hand  # a second look starts afresh
        if card.box == 0:
            cards = self.dealer
            cards.append(card)
            if len(cards) == 1:
                self.initial.append(card)
            elif len(cards) == 2:
                self.dealer_second_at = min(card.at, self.dealer_second_at)
            if self.owed:
                self.owed -= 1
                self.replacing.append(card)
            return
        box = self.boxes.get(card.box)
        if box is None:
            self.stray.append(card)
            self.initial.append(card)
            return
        hand = box.hands.get(card.hand)
        if hand is None:
            hand = box.hands[card.hand] = Hand(card.box, card.hand)
        hand.cards.append(card)
        if len(hand.cards) <= 2 and not hand.split and card.hand == 1:
            self.initial.append(card)
            return
        if self.extra_at == NEVER:
            self.extra_at = card.at
        if self.dealer_second_at != NEVER:
            self.dealt_wrongly.append(card)
        self.came(hand, card)

    def came(self, hand: Hand, card: Card) -> None:
        """A further card has come to a hand, asked for or not."""
        if hand.pending:
            hand.pending -= 1
        elif hand.owed:
            hand.owed -= 1
        else:
            self.unasked.append(card)
            if hand.stood_at != NEVER:
                hand.strays = [*hand.strays, card]

    @property
    def concluded(self) -> bool:
        """Whether everything that was to be done had its time."""
        return self.round.closed and not self.cut_short

    def replaced(self) -> bool:
        """Whether the dealer drew in the place of a card that was taken away wrongly."""
        return bool(self.replacing)

    @property
    def drawing_at(self) -> int:
        """When the subsequent deal began: a further card to a player, or the dealer's second."""
        return min(self.extra_at, self.dealer_second_at)

    def hand_at(self, box: int, hand: int) -> Hand | None:
        found = self.boxes.get(box)
        return None if found is None else found.hands.get(hand)

    def _decide(self, made: Decision) -> None:
        hand = self.hand_at(made.box, made.hand)
        if hand is None:
            clauses = tuple(c for check in self.game.checks["any"] for c in check.clauses)
            self.illegal(made, clauses, f"{made.decision}, but there is no such hand")
            return
        box = self.boxes[made.box]
        if self.game.highest_decides and (made.player != box.seated or self.round.irregular):
            self._pass_on(box, made.at)
        moment = Moment(self, made, box, hand)
        if not (self.findings.quiet or hand.nothing):
            self._check(moment)
        self._take(moment)

    def _check(self, moment: Moment) -> None:
        made = moment.decision
        checks = self.game.checks
        for check in checks.get(made.decision) or checks["none"]:
            if check.breaks(moment) and not (self.round.irregular and excused(check, moment)):
                held = " ".join(moment.cards) or "no cards"
                says = f"{made.decision} on {held} ({moment.total}), but {check.says}"
                self.illegal(made, check.clauses, says)
                return

    def illegal(self, made: Decision, clauses: tuple[str, ...], says: str) -> None:
        self.findings.add(
            "illegal_decision",
            clauses,
            says,
            at=made.at,
            box=made.box,
            hand=made.hand,
            player=made.player,
        )

    def _take(self, moment: Moment) -> None:
        """The decision takes effect as it was accepted."""
        made, hand, decision = moment.decision, moment.hand, moment.decision.decision
        if decision == "hit":
            if len(hand.cards) < 2:
                hand.early += 1
            irregular = self.unasked and self.round.irregular
            if not (irregular and rearranged.lies_there(self, hand, made.at)):
                hand.pending += 1
        elif decision == "stand":
            hand.stood_at = made.at
        elif decision == "double":
            if hand.doubled_at == NEVER:
                hand.doubled_at = made.at
            hand.pending += 1
        elif decision == "split":
            self._split(moment)
        elif decision == "surrender":
            hand.surrendered.setdefault(made.player, made.at)
        elif decision == "even_money":
            hand.even_money.setdefault(made.player, made.at)
        elif decision == "withdraw_double":
            hand.withdrew.setdefault(made.player, made.at)
            hand.withdrew_on.setdefault(made.player, moment.total)

    def _split(self, moment: Moment) -> None:
        made, box, hand = moment.decision, moment.box, moment.hand
        number = made.new_hand or max(box.hands) + 1
        self.splits[made.at] = number
        new = box.hands.get(number)
        if new is None:
            new = box.hands[number] = Hand(box.no, number)
        if len(hand.cards) < 2:
            return
        if self.game.pays_21_at_once and moment.total == 21:
            new.split = new.nothing = True
            hand.pending = new.pending = 1
            return
        if box.first is None:
            box.first = tuple(hand.cards[:2])
        aces = all(card.face[0] == "A" for card in box.first)
        second = hand.cards.pop()
        second.hand = number
        new.cards.append(second)
        for half in (hand, new):
            half.split, half.aces = True, aces
            half.pending, half.early = 1, 0
            half.stood_at = NEVER
        new.parent = hand

    def find(self, draw: int) -> Card | None:
        """The card of a draw, where it was dealt to somebody."""
        if self.by_draw is None:
            self.by_draw = {card.draw: card for card in self.round.cards}
        return self.by_draw.get(draw)

    def list_of(self, card: Card) -> list[Card]:
        if card.box == 0:
            return self.dealer
        hand = self.hand_at(card.box, card.hand)
        return self.stray if hand is None else hand.cards

    def lies(self, draw: int) -> tuple[int, int] | None:
        """Where a drawn card lies now."""
        card = self.find(draw)
        return None if card is None else (card.box, card.hand)

    def intended(self) -> Intended:
        """Where order and decisions put each card; asked only where something is irregular."""
        if self._intended is None:
            self._intended = Intended(self)
        return self._intended

    def known_episodes(self) -> Episodes:
        """The episodes of the round; made when something is irregular, and not before."""
        if self.episodes is None:
            self.episodes = Episodes(
                self.round,
                self.game.section5.text._replace(
                    belongs=lambda step: self.intended().belongs(step),
                    question=lambda note: self.intended().question(note),
                ),
            )
        return self.episodes

    def first_two(self, box: Box) -> list[str]:
        """The initial two cards of a box, as dealt before any split."""
        cards = box.first or box.hands[1].cards[:2]
        return [card.face for card in cards]

    def player_hands(self) -> list[Hand]:
        return [hand for box in self.boxes.values() for hand in box.hands.values()]


def points(face: str) -> int:
    """Points of a card with the ace as 1; 0 for one that belongs to no deck."""
    return POINTS.get(face, 0)
