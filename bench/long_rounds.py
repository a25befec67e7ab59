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
BOOKS = (
    BOOK, "blackjack-rws-v5", "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5",
    "three-card-poker-rws-v3",
)  # fmt: skip
SIZES = (1_000, 10_000, 100_000)


def main_bet(book: str) -> str:
    return "ante" if book.startswith("three-card") else "initial"


def opening(book: str) -> m.RoundOpened:
    limits = {main_bet(book): m.Limit(1, 10**9)}
    return m.RoundOpened(book, "SH-1", 1 if main_bet(book) == "ante" else 8, 7, limits)


MANY: dict[str, Callable[[int, str], m.Event]] = {
    "RoundOpened": lambda _, book: opening(book),
    "BetPlaced": lambda _, book: m.BetPlaced(1, 1, "P1", main_bet(book), 100, True),
    "BetWithdrawn": lambda _, book: m.BetWithdrawn(1, 1, "P1", main_bet(book), 1),
    "BetRefused": lambda _, book: m.BetRefused(1, 1, "P1", main_bet(book), 1),
    "BetsClosed": lambda _, __: m.BetsClosed(),
    "CardBurnt": lambda n, _: m.CardBurnt(10 + n, None),
    "CardDealt": lambda n, _: m.CardDealt(10 + n, 1, 1, "2S", True),
    "CardDiscarded": lambda n, _: m.CardDiscarded(1 + n, "taken out"),
    "CardsMoved": lambda _, __: m.CardsMoved((m.Move(1, 1, 1),)),
    "DecisionMade": lambda _, __: m.DecisionMade(1, 1, "P1", "hit", None),
    "ButtonPressed": lambda _, __: m.ButtonPressed(1, "P1", 2),
    "HandExamined": lambda _, __: m.HandExamined(1, "P1"),
    "HandRevealed": lambda _, __: m.HandRevealed(1, 1),
    "IrregularityNoted": lambda _, __: m.IrregularityNoted(
        "dealing_error", 1, 1, "P1", "dealer", None
    ),
    "JackpotRead": lambda n, _: m.JackpotRead(1_000 + n),
    "OptionTaken": lambda _, __: m.OptionTaken(1, "P1", "continue"),
    "RulingMade": lambda _, __: m.RulingMade("pit_manager", "5.1", "other", 1, 1, None),
    "BetSettled": lambda _, book: m.BetSettled(1, 1, "P1", main_bet(book), 1, 1, 1, "interim"),
    "SettlementCorrected": lambda _, book: m.SettlementCorrected(
        1, 1, "P1", main_bet(book), 1, 1, 1, "interim", "wrong odds"
    ),
    "RoundVoided": lambda _, __: m.RoundVoided("shift_manager", "5.5.1", ""),
    "RoundClosed": lambda _, __: m.RoundClosed(),
}


def long_round(kind: str, events: int, book: str = BOOK) -> list[m.Envelope]:
    """A round that is won, with very many events of one kind in its middle."""
    bet = main_bet(book)
    made: list[m.Event] = [
        opening(book),
        m.BetPlaced(1, 1, "P1", bet, 2500, True),
        m.BetsClosed(),
        m.CardDealt(1, 1, 1, "KS", True),
        m.CardDealt(2, 0, 0, "JH", True),
        m.CardDealt(3, 1, 1, "QD", True),
        *(MANY[kind](n, book) for n in range(events)),
        m.CardDealt(4, 0, 0, "6C", True),
        m.CardDealt(5, 0, 0, "9C", True),
        m.BetSettled(1, 1, "P1", bet, 2500, 2500, 2500, "final"),
        m.RoundClosed(),
    ]
    return [m.Envelope(event, "R-1") for event in made]


def seconds_of(kind: str, events: int, book: str = BOOK) -> float:
    envelopes = long_round(kind, events, book)
    begun = time.process_time()
    (round_,) = facts_of(envelopes)
    audit(round_)
    return time.process_time() - begun


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or list(SIZES)
    for book in BOOKS:
        head = f"{book:28}" + "".join(f"{n:>12,}" for n in sizes)
        sys.stdout.write(f"{head}   last/before\n")
        for kind in MANY:
            took = [seconds_of(kind, n, book) for n in sizes]
            times = took[-1] / took[-2] if len(took) > 1 else 1.0
            sys.stdout.write(f"{kind:28}" + "".join(f"{t:>11.3f}s" for t in took))
            sys.stdout.write(f"{times:>12.1f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
