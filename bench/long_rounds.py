"""Rounds of 1,000, 10,000 and 100,000 events of each kind, folded and audited, in one run.

The cost of a round grows in a straight line: the last column says how many times as much ten times
as many events cost. `uv run python -m bench.long_rounds [EVENTS ...]`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from checks.audit import audit
from events import model as m
from replay.rounds import facts_of

BOOK = "pontoon-plus-rws-v5"
SIZES = (1_000, 10_000, 100_000)

MANY: dict[str, Callable[[int], m.Event]] = {
    "BetPlaced": lambda _: m.BetPlaced(1, 1, "P1", "initial", 100, True),
    "BetWithdrawn": lambda _: m.BetWithdrawn(1, 1, "P1", "initial", 1),
    "CardBurnt": lambda n: m.CardBurnt(10 + n, None),
    "CardDealt": lambda n: m.CardDealt(10 + n, 1, 1, "2S", True),
    "CardDiscarded": lambda n: m.CardDiscarded(1 + n, "taken out"),
    "CardsMoved": lambda _: m.CardsMoved((m.Move(1, 1, 1),)),
    "DecisionMade": lambda _: m.DecisionMade(1, 1, "P1", "hit", None),
    "HandExamined": lambda _: m.HandExamined(1, "P1"),
    "HandRevealed": lambda _: m.HandRevealed(1, 1),
    "IrregularityNoted": lambda _: m.IrregularityNoted("dealing_error", 1, 1, "P1", "dealer", None),
    "JackpotRead": lambda n: m.JackpotRead(1_000 + n),
    "OptionTaken": lambda _: m.OptionTaken(1, "P1", "continue"),
    "RulingMade": lambda _: m.RulingMade("pit_manager", "5.1", "other", 1, 1, None),
    "BetSettled": lambda _: m.BetSettled(1, 1, "P1", "initial", 1, 1, 1, "interim"),
    "RoundVoided": lambda _: m.RoundVoided("shift_manager", "5.5.1", ""),
}


def long_round(kind: str, events: int) -> list[m.Envelope]:
    """A round that is won, with very many events of one kind in its middle."""
    made: list[m.Event] = [
        m.RoundOpened(BOOK, "SH-1", 8, 7, {"initial": m.Limit(1, 10**9)}),
        m.BetPlaced(1, 1, "P1", "initial", 2500, True),
        m.BetsClosed(),
        m.CardDealt(1, 1, 1, "KS", True),
        m.CardDealt(2, 0, 0, "JH", True),
        m.CardDealt(3, 1, 1, "QD", True),
        *(MANY[kind](n) for n in range(events)),
        m.CardDealt(4, 0, 0, "6C", True),
        m.CardDealt(5, 0, 0, "9C", True),
        m.BetSettled(1, 1, "P1", "initial", 2500, 2500, 2500, "final"),
        m.RoundClosed(),
    ]
    return [m.Envelope(event, "R-1") for event in made]


def seconds_of(kind: str, events: int) -> float:
    envelopes = long_round(kind, events)
    begun = time.process_time()
    (round_,) = facts_of(envelopes)
    audit(round_)
    return time.process_time() - begun


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or list(SIZES)
    sys.stdout.write(f"{'kind':18}" + "".join(f"{n:>12,}" for n in sizes) + "   last/before\n")
    for kind in MANY:
        took = [seconds_of(kind, n) for n in sizes]
        times = took[-1] / took[-2] if len(took) > 1 else 1.0
        sys.stdout.write(f"{kind:18}" + "".join(f"{t:>11.3f}s" for t in took) + f"{times:>12.1f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
