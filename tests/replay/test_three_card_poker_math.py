"""Exact mathematics of 3 Card Poker through the real rules: known results, to the last fraction.

Every payment below comes out of the settlement of a real round. Only the counting of deals is done
here: a class of hands that rank the same is settled once for each way in which the dealer's hand
can lie to it, and weighted by the number of deals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import pytest

from replay.cards import RANKS, SUITS
from replay.findings import Findings
from replay.fold import Fold
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3 import BOOK
from replay.rulebooks.three_card_poker_rws_v3.play import ranking as r

DECK = [rank + suit for rank in RANKS for suit in SUITS]
Hand = tuple[str, ...]
HANDS: list[Hand] = list(combinations(DECK, 3))
RANKING = {hand: r.ranking(hand) for hand in HANDS}
DEALS = 407_170_400
ANTE = 100
LIMITS = {"ante": (1, 1000), "pair_plus": (1, 1000)}


def net(bet: str, hand: Hand, dealer: Hand, decision: str | None = None) -> int:
    """What one round brings the player on all his lines, stakes taken off."""
    fold = Fold("M", None)
    fold.round_opened(0, BOOK.id, "S", 1, 6, LIMITS, None, "shoe", None, None)
    fold.bet_placed(1, 1, 1, "P1", bet, ANTE, True)
    fold.bets_closed(2)
    fold.card_burnt(3, 1, None)
    cards = [(box, cards[i]) for i in range(3) for box, cards in ((1, hand), (0, dealer))]
    for index, (box, face) in enumerate(cards, 4):
        fold.card_dealt(index, index, box, box, face, False)
    if decision is not None:
        fold.decision_made(10, 1, 1, "P1", decision, None)
    if decision == "play":
        fold.bet_placed(11, 1, 1, "P1", "play", ANTE, True)
    fold.round_closed(12)
    fold.round.events = 13
    findings = Findings(fold.round)
    outcome = BOOK.settle(fold.round, Readings(), findings, False)
    assert outcome.status == "settled"
    assert findings.items == []
    return sum(line.stake_returned + line.winnings - line.stake for line in outcome.lines)


def beside(hand: Hand, candidates: Sequence[Hand]) -> Hand:
    """The first of the candidates that shares no card with a hand."""
    taken = set(hand)
    return next(other for other in candidates if taken.isdisjoint(other))


def test_all_hands_by_kind() -> None:
    kinds = Counter(r.NAMES[r.kind_of(rank)] for rank in RANKING.values())
    assert len(HANDS) == 22_100
    assert kinds == {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "three odd cards": 16_440,
    }


def test_the_jackpot_list() -> None:
    rows = Counter(r.jackpot_row(rank, hand) for hand, rank in RANKING.items())
    assert [rows[row] for row in (*range(5), None)] == [1, 3, 44, 52, 720, 21_280]


def test_the_order_of_a_hand_never_matters() -> None:
    for hand in HANDS[::97]:
        a, b, c = hand
        assert r.ranking((c, a, b)) == r.ranking((b, c, a)) == RANKING[hand]


def test_dealer_fails_to_qualify() -> None:
    assert sum(not r.qualifies(rank) for rank in RANKING.values()) == 6_720


def test_pair_plus_exactly() -> None:
    """Every one of the 22,100 hands is settled; the house keeps 308 in 5,525."""
    total = sum(net("pair_plus", hand, beside(hand, HANDS[::1000])) for hand in HANDS)
    assert Fraction(total, len(HANDS) * ANTE) == Fraction(-308, 5525)


class Dealers:
    """How many of the dealer's hands rank below a line, beside a given hand of the player."""

    def __init__(self) -> None:
        self.all = sorted(RANKING.values())
        self.ones: dict[str, list[int]] = {card: [] for card in DECK}
        self.twos: dict[tuple[str, str], list[int]] = {p: [] for p in combinations(DECK, 2)}
        for hand, rank in sorted(RANKING.items(), key=lambda item: item[1]):
            for card in hand:
                self.ones[card].append(rank)
            for pair in combinations(hand, 2):
                self.twos[pair].append(rank)

    def below(self, hand: Hand, line: int) -> int:
        """Inclusion and exclusion of the three cards that the dealer can't have."""
        count = bisect_left(self.all, line)
        count -= sum(bisect_left(self.ones[card], line) for card in hand)
        count += sum(bisect_left(self.twos[pair], line) for pair in combinations(hand, 2))
        return count - (RANKING[hand] < line)

    def spread(self, hand: Hand) -> tuple[int, int, int, int]:
        """Hands that do not qualify; that do and are lower, the same, higher."""
        mine = max(RANKING[hand], r.QUEEN_HIGH)
        weak, lower = self.below(hand, r.QUEEN_HIGH), self.below(hand, mine)
        same = self.below(hand, RANKING[hand] + 1) if RANKING[hand] >= r.QUEEN_HIGH else lower
        return weak, lower - weak, same - lower, 18_424 - same


def examples(hand: Hand, by_rank: list[Hand]) -> Iterator[Hand | None]:
    """A dealer's hand for each part of the spread, None where there is none."""
    ranks = [RANKING[other] for other in by_rank]
    mine, weak = RANKING[hand], bisect_left(ranks, r.QUEEN_HIGH)
    low, high = bisect_left(ranks, max(mine, r.QUEEN_HIGH)), bisect_left(ranks, mine + 1)
    for part in (by_rank[:weak], by_rank[weak:low], by_rank[low:high], by_rank[max(low, high) :]):
        yield next((other for other in part if set(hand).isdisjoint(other)), None)


@pytest.fixture(scope="module")
def weights() -> dict[int, list[int]]:
    """For each class of equal hands: how many deals there are of each part of the spread."""
    dealers = Dealers()
    out: dict[int, list[int]] = {}
    for hand, rank in RANKING.items():
        so_far = out.setdefault(rank, [0, 0, 0, 0])
        for part, count in enumerate(dealers.spread(hand)):
            so_far[part] += count
    return out


def test_every_deal_is_counted(weights: dict[int, list[int]]) -> None:
    assert sum(map(sum, weights.values())) == DEALS


def test_ante_and_play_exactly(weights: dict[int, list[int]]) -> None:
    """With the 5-4-1 bonus, playing queen-six-four and better: 686,689 in 20,358,520."""
    by_rank = sorted(HANDS, key=RANKING.__getitem__)
    q64 = r.ranking(("QS", "6H", "4D"))
    total, seen = 0, set()
    for hand in HANDS:
        rank = RANKING[hand]
        if rank in seen:
            continue
        seen.add(rank)
        decision = "play" if rank >= q64 else "fold"
        for count, dealer in zip(weights[rank], examples(hand, by_rank), strict=True):
            if dealer is None:
                assert count == 0
            else:
                total += count * net("ante", hand, dealer, decision)
    assert Fraction(total, DEALS * ANTE) == Fraction(-686_689, 20_358_520)
