"""Completeness by enumeration: does every bet meet a rule, and is every rule met by a bet?

Hands are finite in kind. For every rulebook this plays each kind of hand against each kind of
dealer's hand with each thing that a player may do, in every reading that the text leaves open, and
asks all rules of each bet instead of stopping at the first. Three things must come out:
every bet that no rule settles belongs to a round that is reported as not played to its end; every
rule is the first that applies somewhere, or stands in UNREACHABLE with its reason; and where two
rules of one stage apply to one bet, tests/replay/test_overlaps.py knows which the text has first.

    uv run python -m bench.completeness [--share 0.25]
"""

from __future__ import annotations

import argparse
import importlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

from bench.completeness_rounds import RoundKind, rounds_of
from checks.audit import audit
from checks.golden.load import load
from replay.registry import rulebooks
from replay.rounds import facts_of
from replay.rules import NoRule, Result, Rule, ask

ASKED_IN = ("replay.twentyone.settler", "replay.rulebooks.three_card_poker_rws_v3.settling.settle")
SEED = 17
TOLD = frozenset({"incomplete_round", "round_not_concluded"})
"""Findings that say that a bet could not be settled."""

_NO_NATURAL = "a hand out of a split is never a natural"
_ALWAYS_SPLIT = "the hand of a split bet is a split one, which the rule before it names"
UNREACHABLE: dict[tuple[str, str, str], str] = {
    ("*", "split", "no cards"): "a split hand begins with a card, and split chips without a split "
    "go back before a rule is asked",
    ("pontoon-*", "split", "pontoon"): _NO_NATURAL,
    ("pontoon-*", "split", "did not follow a split"): "who has a split bet followed",
    ("*", "split", "bust after double"): _ALWAYS_SPLIT,
    ("*", "split", "bust"): _ALWAYS_SPLIT,
    ("pontoon-*", "split", "21"): _ALWAYS_SPLIT,
    ("pontoon-*", "split", "dealer pontoon"): _ALWAYS_SPLIT,
    ("blackjack-*", "split", "doubled, dealer blackjack"): _ALWAYS_SPLIT,
    ("blackjack-*", "split", "21 loses to blackjack"): _ALWAYS_SPLIT,
    ("blackjack-*", "split", "even money"): _NO_NATURAL,
    ("blackjack-*", "split", "blackjack*"): _NO_NATURAL,
    ("blackjack-*", "initial", "split, dealer blackjack: the others"): "the hand of the initial "
    "bet is the first of its box: where it did not bust it is the first live one",
}
"""Rulebook, bet and rule, with * for any: rules that no round meets first, and why they stay."""


@dataclass(slots=True)
class Seen:
    """What was asked of one rulebook."""

    book: str
    rounds: int = 0
    asked: int = 0
    first: Counter[tuple[str, str]] = field(default_factory=Counter)  # bet and rule
    readings: set[frozenset[str]] = field(default_factory=set)
    overlaps: set[tuple[str, str, str]] = field(default_factory=set)  # bet, first, other
    gaps: Counter[tuple[str, str]] = field(default_factory=Counter)  # bet and kind of round, told
    silent: list[tuple[str, str]] = field(default_factory=list)  # the same where nobody is told
    bare: set[tuple[frozenset[str], str]] = field(default_factory=set)
    """Of the round at hand: the readings that were turned, and a bet without a rule under them."""

    def __call__(self, rules: Sequence[Rule], case: Any) -> tuple[Rule, Result]:
        """In place of `replay.rules.ask`."""
        self.asked += 1
        bet = _bet_of(self.book, rules, case)
        readings = getattr(case, "readings", None) or case.table.readings
        self.readings.add(readings.turned)
        try:
            rule, result = ask(rules, case)
        except NoRule:
            self.bare.add((readings.turned, bet))
            for rule in rules:
                if rule.when(case):  # it waits for a card
                    self.first[bet, rule.name] += 1
                    break
            raise
        self.first[bet, rule.name] += 1
        if not readings.turned:
            later = rules[rules.index(rule) + 1 :]
            self.overlaps.update(
                (bet, rule.name, other.name)
                for other in later
                if other.needs <= rule.needs and other.when(case)
            )
        return rule, result

    def never_first(self) -> list[tuple[str, str]]:
        """Rules that no round met first."""
        (book,) = [book for book in rulebooks() if book.id == self.book]
        rules = [(bet, rule.name) for bet, asked in book.rules.items() for rule in asked]
        return [rule for rule in rules if not self.first[rule]]


def reason(book: str, bet: str, rule: str) -> str | None:
    """Why a rule that is never first stays, or None."""
    for (books, bets, name), why in UNREACHABLE.items():
        if fnmatch(rule, name) and fnmatch(book, books) and fnmatch(bet, bets):
            return why
    return None


def _bet_of(book: str, rules: Sequence[Rule], case: Any) -> str:
    bet = getattr(case, "bet", None)
    if bet is not None:
        return str(bet.bet)
    (found,) = [found for found in rulebooks() if found.id == book]
    return next(name for name, listed in found.rules.items() if listed is rules)


@contextmanager
def asking(seen: Seen) -> Iterator[None]:
    """Every rule is asked, as long as this lasts."""
    modules = [importlib.import_module(name) for name in ASKED_IN]
    try:
        for module in modules:
            module.ask = seen  # type: ignore[attr-defined]
        yield
    finally:
        for module in modules:
            module.ask = ask  # type: ignore[attr-defined]


def enumerate_book(book: str, share: float = 1.0) -> Seen:
    """Play every kind of round of a rulebook, or a share of them: always the same ones."""
    seen, chance = Seen(book), random.Random(SEED)
    with asking(seen):
        for kind in rounds_of(book):
            if chance.random() < share:
                _try(seen, kind)
    return seen


def _try(seen: Seen, kind: RoundKind) -> None:
    status = "settled" if kind.closed else "incomplete"
    case = {"name": kind.name, "play": kind.play, "lines": [], "status": status}
    (round_,) = facts_of(load(case, seen.book, "enumerated").events)
    seen.rounds += 1
    seen.bare.clear()
    audit(round_)
    for turned, bet in sorted(seen.bare, key=lambda one: (sorted(one[0]), one[1])):
        answer = audit(round_, turned=turned)
        if answer.status != "settled" or any(f.kind in TOLD for f in answer.findings):
            seen.gaps[bet, kind.gap] += 1
        else:
            seen.silent.append((bet, f"{kind.name} {sorted(turned)}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of all rounds; 1 is all")
    share = parser.parse_args().share
    wrong = 0
    for book in rulebooks():
        seen = enumerate_book(book.id, share)
        rules = sum(map(len, book.rules.values()))
        print(
            f"{book.id}: {seen.rounds:,} rounds, {seen.asked:,} bets asked in "
            f"{len(seen.readings)} combinations of readings; {rules - len(seen.never_first())} of "
            f"{rules} rules were first somewhere"
        )
        for bet, name in seen.never_first():
            why = reason(book.id, bet, name)
            wrong += why is None
            print(f"  never first: {bet}, {name}: {why or 'NOT ACCEPTED'}")
        for (bet, gap), count in sorted(seen.gaps.items()):
            print(f"  no rule, and reported: {bet}, {gap}: {count:,}")
        for bet, name in seen.silent:
            wrong += 1
            print(f"  NO RULE AND NOT REPORTED: {bet}, {name}")
        print(f"  {len(seen.overlaps)} pairs of rules of one stage apply to one bet")
    if wrong:
        raise SystemExit(f"{wrong} rules or bets are not accounted for")


if __name__ == "__main__":
    main()
