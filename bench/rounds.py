"""Made-up rounds for the benchmarks: the shape and size of real ones, without playing a game.

About 25 events a round: opening, three boxes with bets, cards, decisions, settlements, closing.
The benchmarks of the log must not wait for the simulator, and need no correct play.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from events import model as m

RANKS, SUITS = "A23456789JQK", "SHDC"
START = datetime(2026, 11, 14, 22, tzinfo=UTC)


def play(table: str, rounds: int, seed: int = 1) -> Iterator[tuple[str, str, datetime, m.Event]]:
    """Round, device, time and event, in order of play."""
    rng = random.Random(f"{table}{seed}")
    at = START
    for number in range(1, rounds + 1):
        round_ = f"{table}-{number:06d}"
        for device, event in _round(rng, number):
            at += timedelta(microseconds=rng.randint(200_000, 3_000_000))
            yield round_, device, at, event


def _round(rng: random.Random, number: int) -> Iterator[tuple[str, m.Event]]:
    limits = {"initial": m.Limit(2500, 500_000), "player_pair": m.Limit(500, 50_000)}
    shoe = f"S{number // 40:05d}"
    yield "console", m.RoundOpened("pontoon-plus-rws-v5", shoe, 8, 7, limits, None, "shoe", "D17")
    boxes = sorted(rng.sample(range(1, 8), 3))
    stakes = {box: rng.randint(1, 40) * 2500 for box in boxes}
    for box in boxes:
        yield "layout", m.BetPlaced(box, 1, f"P{box}{number % 97}", "initial", stakes[box], True)
    yield "console", m.BetsClosed()
    draw = number % 40 * 9
    for place in (*boxes, 0, *boxes, 0):
        draw += 1
        card = rng.choice(RANKS) + rng.choice(SUITS)
        yield "shoe", m.CardDealt(draw, place, int(place > 0), card, True)
    for box in boxes:
        choice = rng.choice(("hit", "stand", "stand", "double"))
        yield "console", m.DecisionMade(box, 1, f"P{box}{number % 97}", choice)
        if choice == "hit":
            draw += 1
            yield "shoe", m.CardDealt(draw, box, 1, rng.choice(RANKS) + rng.choice(SUITS), True)
    yield "console", m.HandRevealed(0, 0)
    for box in boxes:
        won = rng.random() < 0.48
        yield (
            "console",
            m.BetSettled(
                box,
                1,
                f"P{box}{number % 97}",
                "initial",
                stakes[box],
                stakes[box] * won,
                stakes[box] * won,
                "final",
            ),
        )
    yield "console", m.RoundClosed()
