"""The simulated floor: rounds and events per second, and how often rare hands come.

    uv run python -m bench.devices [--tables 40] [--rounds 200]
    uv run python -m bench.devices --rates 1000000

The first plays on one core and on all, without a log. The second compares the hands of that many
rounds with their exact chances; `off by` is in standard deviations, and beyond 4 is suspicious.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import time
from collections import Counter, defaultdict
from datetime import date
from math import comb, sqrt

from events.codec import decode_record
from events.days import GamingDay
from events.devices.floor import Floor, default_floor
from events.devices.plan import POKER, Before, Order, micros, tables_of, units_of
from events.devices.poker import ranks
from events.devices.run import Hour, play_floor
from events.devices.twentyone.hands import is_natural

DAY = date(2026, 11, 14)
CHUNK = 1_500  # rounds of one table for counting hands


def an_order(tables: int, rounds: int, seed: int = 0, rulebook: str | None = None) -> Order:
    days = GamingDay()
    return Order(
        tables=tables,
        day=DAY,
        start_us=micros(days.start_of(DAY)),
        end_us=micros(days.end_of(DAY)),
        rounds=rounds,
        seed=seed,
        rulebook=rulebook,
        irregularities=default_floor().day.irregularities,
    )


def speed(tables: int, rounds: int) -> None:
    """Rounds and events per second, on one core and on all."""
    order, floor = an_order(tables, rounds), default_floor()
    units = units_of(tables_of(order, floor))
    print(
        f"{'processes':>9} {'rounds/s':>9} {'events/s':>9} {'events/round':>13} {'bytes/event':>12}"
    )
    for processes in (1, os.cpu_count() or 1):
        played = events = size = 0
        start = time.perf_counter()
        for hour in play_floor(units, order, floor, Before(), processes):
            played += hour.rounds
            for _, values, _ in hour.messages:
                events += len(values)
                size += sum(map(len, values))
        took = time.perf_counter() - start
        print(
            f"{processes:>9} {played / took:>9,.0f} {events / took:>9,.0f} "
            f"{events / played:>13.1f} {size / events:>12.0f}"
        )


class Hands:
    """Counts hands, and adds up what chance would give."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.expected: defaultdict[str, float] = defaultdict(float)
        self.of: Counter[str] = Counter()

    def add(self, what: str, chance: float, *, came: bool) -> None:
        self.of[what] += 1
        self.expected[what] += chance
        self.seen[what] += came

    def show(self) -> None:
        for what, of in self.of.items():
            chance = self.expected[what] / of
            off = (self.seen[what] - of * chance) / sqrt(of * chance * (1 - chance))
            print(f"{what:<40} {self.seen[what]:>9,} of {of:>10,}  {chance:>9.6f}  {off:>+6.2f}")


def count_21(hands: Hands, cards: list[str], decks: int, rulebook: str) -> None:
    """One box's first two cards at a game of 21."""
    in_rank, rank_count = 4 * decks, 13 if rulebook.startswith("blackjack") else 12
    size = in_rank * rank_count
    tens = rank_count - 9
    first, second = cards[:2]
    name = rulebook.removesuffix("-v5").removesuffix("-v4").removesuffix("-rws")
    hands.add(f"{name} pair", (in_rank - 1) / (size - 1), came=first[0] == second[0])
    natural = 2 * in_rank * in_rank * tens / (size * (size - 1))
    hands.add(f"{name} natural", natural, came=is_natural(cards[:2]))
    aces = in_rank / size * (decks - 1) / (size - 1)
    hands.add(f"{name} suited aces", aces, came=first == second and first[0] == "A")


KINDS = ((5, 48), (4, 52), (3, 720), (2, 1_096), (1, 3_744), (0, 16_440))


def count_poker(hands: Hands, cards: list[str], box: int) -> None:
    """Three cards of a player or of the dealer."""
    found = ranks.rank(cards)[0]
    for kind, ways in KINDS:
        hands.add(f"3 card poker {ranks.NAMES[kind]}", ways / comb(52, 3), came=found == kind)
    if not box:
        low = (comb(10, 3) - 8) * 60 / comb(52, 3)
        hands.add("3 card poker dealer qualifies", 1 - low, came=ranks.qualifies(cards))


def count_hour(hands: Hands, hour: Hour) -> None:
    """Every hand of the rounds that lie whole within the hour."""
    for _, values, _ in hour.messages:
        opened: dict[str, object] = {}
        dealt: dict[tuple[int, int], list[str]] = defaultdict(list)
        for value in values:
            kind, own = decode_record(value)["event"]
            if kind == "RoundOpened":
                opened, dealt = own, defaultdict(list)
            elif kind == "CardDealt":
                dealt[own["box"], own["hand"]].append(own["card"])
            elif kind == "RoundClosed" and opened:
                for (box, hand), cards in dealt.items():
                    if opened["rulebook"] == POKER:
                        count_poker(hands, cards, box)
                    elif box and hand == 1:
                        decks, rulebook = int(str(opened["decks"])), str(opened["rulebook"])
                        count_21(hands, cards, decks, rulebook)


def rates(rounds: int) -> None:
    """Hands against their exact chances; no hand is arranged and nothing goes wrong."""
    floor: Floor = default_floor()
    floor = dataclasses.replace(floor, day=dataclasses.replace(floor.day, staged_every=0))
    tables = max(5, rounds // CHUNK)
    order = dataclasses.replace(an_order(tables, rounds // tables), irregularities=0.0)
    hands = Hands()
    played = 0
    for hour in play_floor(
        units_of(tables_of(order, floor)), order, floor, Before(), os.cpu_count() or 1
    ):
        played += hour.rounds
        count_hour(hands, hour)
    print(f"{played:,} rounds at {tables:,} tables; seen, of, exact chance, off by")
    hands.show()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--rates", type=int, metavar="ROUNDS")
    asked = parser.parse_args()
    if asked.rates:
        rates(asked.rates)
    else:
        speed(asked.tables, asked.rounds)


if __name__ == "__main__":
    main()
