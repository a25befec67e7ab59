"""Honest tables keep the rules: plain assertions over what they sent, one rule each."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from events.model import (
    BetPlaced,
    BetsClosed,
    BetSettled,
    BetWithdrawn,
    CardDealt,
    DecisionMade,
    Envelope,
    RoundOpened,
)
from tests.devices.kit import an_order, envelopes, rounds_of

LATER = {"insurance", "double", "split", "play"}
TEN_POINTS = set("TJQK")

Line = tuple[int, int, str, str]


@pytest.fixture(scope="module")
def honest() -> list[list[Envelope]]:
    sent = envelopes(an_order(tables=20, rounds=80, seed=9))
    return [played for events in sent.values() for played in rounds_of(events)]


def opened(played: list[Envelope]) -> RoundOpened:
    event = played[0].event
    assert isinstance(event, RoundOpened)
    return event


def placed(played: list[Envelope]) -> dict[Line, int]:
    """What lay on the table, net of what was taken back before the close."""
    out: dict[Line, int] = defaultdict(int)
    closed = False
    for envelope in played:
        event = envelope.event
        closed = closed or isinstance(event, BetsClosed)
        if isinstance(event, BetPlaced):
            out[event.box, event.hand, event.player, event.bet] += event.amount
        elif isinstance(event, BetWithdrawn) and not closed:
            out[event.box, event.hand, event.player, event.bet] -= event.amount
    return {line: cents for line, cents in out.items() if cents}


def test_every_bet_is_settled_once(honest: list[list[Envelope]]) -> None:
    for played in honest:
        lines = placed(played)
        settled = Counter(
            (e.event.box, e.event.hand, e.event.player, e.event.bet)
            for e in played
            if isinstance(e.event, BetSettled) and e.event.stake
        )
        assert set(settled) == set(lines)
        assert set(settled.values()) == {1}
        for e in played:
            if isinstance(e.event, BetSettled) and e.event.stake:
                line = (e.event.box, e.event.hand, e.event.player, e.event.bet)
                assert e.event.stake == lines[line]
                assert 0 <= e.event.stake_returned <= e.event.stake


def test_bets_come_before_the_close_and_within_the_limits(honest: list[list[Envelope]]) -> None:
    for played in honest:
        limits, closed = opened(played).limits, False
        for e in played:
            closed = closed or isinstance(e.event, BetsClosed)
            if isinstance(e.event, BetPlaced) and e.event.bet not in LATER:
                assert not closed
        on_box: dict[tuple[int, str], int] = defaultdict(int)
        for (box, _, _, bet), cents in placed(played).items():
            if bet in limits:
                on_box[box, bet] += cents
                assert cents >= limits[bet].min
        assert all(cents <= limits[bet].max for (_, bet), cents in on_box.items())


def test_later_bets_stay_within_the_first(honest: list[list[Envelope]]) -> None:
    for played in honest:
        lines = placed(played)
        for (box, hand, player, bet), cents in lines.items():
            initial = lines.get((box, 1, player, "initial"), 0)
            if bet == "insurance":
                assert cents * 2 <= initial
            elif bet == "double":
                on_hand = lines.get((box, hand, player, "split"), initial)
                assert cents <= on_hand
            elif bet == "split":
                assert cents == initial
            elif bet == "play":
                assert cents == lines[box, hand, player, "ante"]
            elif bet == "progressive":
                assert (box, hand, player, "ante") in lines


def first_cards(played: list[Envelope]) -> dict[tuple[int, int], list[str]]:
    out: dict[tuple[int, int], list[str]] = defaultdict(list)
    for e in played:
        if isinstance(e.event, CardDealt):
            out[e.event.box, e.event.hand].append(e.event.card)
    return out


def test_insurance_and_surrender_need_the_right_first_card(honest: list[list[Envelope]]) -> None:
    for played in honest:
        if opened(played).rulebook == "three-card-poker-rws-v3":
            continue
        up = first_cards(played)[0, 0][0][0]
        for e in played:
            if isinstance(e.event, BetPlaced) and e.event.bet == "insurance":
                assert up == "A"
            if isinstance(e.event, DecisionMade) and e.event.decision == "surrender":
                blackjack = opened(played).rulebook.startswith("blackjack")
                assert up != "A" if blackjack else up in "AKQJ"


def value(card: str) -> int:
    return 10 if card[0] in TEN_POINTS else "A23456789".index(card[0]) + 1


def test_splits_are_of_cards_of_one_value_into_four_hands_at_most(
    honest: list[list[Envelope]],
) -> None:
    for played in honest:
        hands: dict[tuple[int, int], list[str]] = defaultdict(list)
        for e in played:
            if isinstance(e.event, CardDealt):
                hands[e.event.box, e.event.hand].append(e.event.card)
            elif isinstance(e.event, DecisionMade) and e.event.new_hand is not None:
                cards = hands[e.event.box, e.event.hand]
                assert len(cards) == 2
                assert value(cards[0]) == value(cards[1])
                assert e.event.new_hand <= 4
                hands[e.event.box, e.event.new_hand].append(cards.pop())


def test_the_seated_player_decides(honest: list[list[Envelope]]) -> None:
    own = {"even_money", "withdraw_double"}
    for played in honest:
        seated = {
            e.event.box: e.event.player
            for e in played
            if isinstance(e.event, BetPlaced) and e.event.seated
        }
        for e in played:
            if isinstance(e.event, DecisionMade) and e.event.decision not in own:
                assert e.event.player == seated[e.event.box]


def test_the_dealer_stops_where_he_must(honest: list[list[Envelope]]) -> None:
    for played in honest:
        rulebook = opened(played).rulebook
        cards = first_cards(played)[0, 0]
        if rulebook == "three-card-poker-rws-v3" or len(cards) < 2:
            continue

        def total(some: list[str]) -> tuple[int, bool]:
            low = sum(map(value, some))
            soft = low <= 11 and any(c[0] == "A" for c in some)
            return (low + 10, True) if soft else (low, False)

        def stands(some: list[str], blackjack: bool = rulebook.startswith("b")) -> bool:
            points, soft = total(some)
            return points > 17 or (points == 17 and (blackjack or not soft))

        assert stands(cards)
        assert not stands(cards[:-1])


def test_at_poker_each_player_looks_at_one_hand_and_stands_behind_none(
    honest: list[list[Envelope]],
) -> None:
    for played in honest:
        if opened(played).rulebook != "three-card-poker-rws-v3":
            continue
        lookers = [e.event.player for e in played if e.type == "HandExamined"]  # type: ignore[attr-defined]
        assert len(lookers) == len(set(lookers))
        players: dict[int, set[str]] = defaultdict(set)
        for box, _, player, _ in placed(played):
            players[box].add(player)
        assert all(len(who) == 1 for who in players.values())
