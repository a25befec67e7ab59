"""Golden rounds in disorder: events lost, doubled, swapped, cut off, mixed with another round's.

Whatever a broken log holds, every round of it gets an answer.
"""

from __future__ import annotations

import dataclasses
import random

import pytest

from checks.audit import audit
from checks.golden.load import Golden
from events.model import Envelope
from replay.rounds import facts_of
from tests.golden import load_all

OPENINGS = frozenset({"TableOpened", "ShoeStarted", "RoundOpened"})
BOOKS = sorted({golden.rulebook for golden in load_all()})


def body_of(golden: Golden) -> list[Envelope]:
    return [e for e in golden.events if e.type not in OPENINGS]


def disordered(golden: Golden, others: list[list[Envelope]], rng: random.Random) -> list[Envelope]:
    head = [e for e in golden.events if e.type in OPENINGS]
    body = body_of(golden)
    for _ in range(rng.randint(1, 4)):
        if not body:
            break
        place = rng.randrange(len(body))
        match rng.choice(["lost", "doubled", "swapped", "swapped", "cut", "mixed", "mixed"]):
            case "lost":
                del body[place]
            case "doubled":
                body.insert(rng.randrange(len(body) + 1), body[place])
            case "swapped":
                body.insert(rng.randrange(len(body)), body.pop(place))
            case "cut":
                body = body[:place]
            case "mixed":
                event = rng.choice(rng.choice(others))
                body.insert(place, dataclasses.replace(event, round=golden.events[-1].round))
    return [*head, *body]


def play(book: str, rounds: int, seed: int) -> None:
    goldens = [golden for golden in load_all() if golden.rulebook == book]
    others = [body for body in map(body_of, goldens) if body]  # some end when they have opened
    rng = random.Random(f"{seed}/{book}")
    for number in range(rounds):
        golden = rng.choice(goldens)
        for round_ in facts_of(disordered(golden, others, rng)):
            try:
                audit(round_, trace=number % 10 == 0)
            except Exception as error:
                error.add_note(f"{golden.name}, seed {seed}, round {number}")
                raise


@pytest.mark.parametrize("book", BOOKS)
def test_every_round_of_a_broken_log_gets_an_answer(book: str) -> None:
    play(book, 10_000, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("book", BOOKS)
def test_very_many_rounds_of_broken_logs_get_an_answer(book: str, seed: int) -> None:
    play(book, 100_000, seed)
