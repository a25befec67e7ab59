"""Would anybody notice if a rule were wrong? Each rule changed a little, and who notices.

    uv run python -m bench.mutation                    every mutant of every rulebook: an hour or so
    uv run python -m bench.mutation --sample 40        that many of each group, by seed
    uv run python -m bench.mutation --group blackjack-rws-v5
    uv run python -m bench.mutation --again FILE       what an earlier output calls alive
    uv run python -m bench.mutation --drop-conditions  one condition of an and/or left out
    uv run python -m bench.mutation --tests            survivors are held against tests too

A mutant is first held against the golden rounds, then, if they let it live, against honest play:
simulated tables whose house was written from the text apart from the replay; what no golden round
can say (several rounds, columns) is asked of the tests that a group names, where `--tests` wants it
and no reason is known. Prints the score per rulebook, and every survivor.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bench.mutant_trial import (
    ALIVE,
    GOLDEN,
    HONEST,
    NEVER_LOADED,
    ROOT,
    TESTS,
    Witnesses,
    golden_rounds,
    judge,
)
from bench.mutants import Mutant, mutants_of
from replay.sources import settling_modules

BOOKS = {
    "pontoon-plus-rws-v5": "replay.rulebooks.pontoon_plus_rws_v5",
    "blackjack-rws-v5": "replay.rulebooks.blackjack_rws_v5",
    "pontoon-pandemonium-rws-v4": "replay.rulebooks.pontoon_pandemonium_rws_v4",
    "pontoon-mbs-v5": "replay.rulebooks.pontoon_mbs_v5",
    "three-card-poker-rws-v3": "replay.rulebooks.three_card_poker_rws_v3",
}
COMPARISON = (
    *(f"checks.compare.{room}" for room in ("recorded", "sides", "elsewhere", "kinds", "walk")),
    "checks.late",
    "checks.audit",
)
COMPARISON_TESTS = (
    "tests/checks/test_compare.py",
    "tests/checks/test_late.py",
)
SHARED_TESTS = (
    "tests/replay/test_episodes.py",
    "tests/replay/test_limits_change.py",
    "tests/checks/test_late.py",
)
"""What golden rounds cannot say: several rounds, columns, messages, an order that was disturbed."""
UNKNOWN = "not looked into yet"
NO_RULES = frozenset({"clauses", "readings", "words", "__init__"})
"""Modules that only hold words."""


class MutantGroup(NamedTuple):
    """Modules that are changed together, and the rulebooks whose rounds may notice it."""

    modules: tuple[str, ...]
    rulebooks: tuple[str, ...]
    tests: tuple[str, ...] = ()  # beside their golden rounds


def groups() -> dict[str, MutantGroup]:
    """What settles, as its imports say: each rulebook's own modules, then what they share."""
    settles = {book: settling_modules(package) for book, package in BOOKS.items()}
    out = {
        book: MutantGroup(tuple(m for m in settles[book] if m.startswith(f"{package}.")), (book,))
        for book, package in BOOKS.items()
    }
    every = sorted({module for modules in settles.values() for module in modules})
    games = [m for m in every if m.startswith("replay.twentyone.")]
    shared = [m for m in every if not m.startswith(("replay.twentyone", "replay.rulebooks."))]
    users = tuple(book for book in BOOKS if set(games) & set(settles[book]))
    out["what the 21 games share"] = MutantGroup(tuple(games), users)
    out["what all games share"] = MutantGroup(tuple(shared), tuple(BOOKS), SHARED_TESTS)
    out["the comparison"] = MutantGroup(COMPARISON, tuple(BOOKS), COMPARISON_TESTS)
    return out


GROUPS = groups()


@dataclass(slots=True)
class GroupScore:
    """One group: how many mutants, who noticed them, and who lived."""

    mutants: int = 0
    golden: int = 0
    honest: int = 0
    tests: int = 0
    survivors: list[Mutant] = field(default_factory=list)


def group_mutants(group: str, *, drop: bool = False) -> list[Mutant]:
    out: list[Mutant] = []
    for module in GROUPS[group].modules:
        path = ROOT / (module.replace(".", "/") + ".py")
        if path.is_file() and module.rpartition(".")[2] not in NO_RULES:
            out += mutants_of(module, path, drop=drop)
    return out


@cache
def honest_days(rulebook: str, rounds: int, seed: int) -> list[Any]:
    """Columns of honest tables."""
    from bench.floor_day import an_order, audit_jobs, jobs

    order = an_order(2, rounds, seed=seed, rulebook=rulebook, irregularities=0.05)
    return [e for audited in audit_jobs(jobs(order, keep="all")) for e in audited.events]


def reason(mutant: Mutant) -> str:
    """Why a survivor may live, where we know it (bench/survivors.toml)."""
    known = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text("utf-8"))
    for entry in known["survivor"]:
        if entry["text"] in mutant.text and entry.get("change", "") in mutant.change:
            return str(entry["reason"])
    return UNKNOWN


def excused(mutant: Mutant) -> bool:
    return reason(mutant) != UNKNOWN


def alive_in(output: str, mutants: list[Mutant]) -> list[Mutant]:
    """The mutants that an earlier output calls alive, wherever their lines are by now."""
    lived = re.findall(r"alive: (\S+):\d+: (.*)", output)
    return [
        mutant
        for mutant in mutants
        if any(
            module == mutant.module and said.startswith(f"{mutant.change} in `{mutant.text}`")
            for module, said in lived
        )
    ]


def run_group(
    group: str,
    *,
    sample: int | None,
    seed: int,
    honest_rounds: int,
    processes: int = 1,
    again: str | None = None,
    drop: bool = False,
    ask_tests: bool = False,
) -> GroupScore:
    """Every mutant of a group, a sample of them, or those that lived before."""
    mutants = group_mutants(group, drop=drop)
    if again is not None:
        mutants = alive_in(again, mutants)
    if sample is not None and sample < len(mutants):
        mutants = random.Random(f"{seed}/{group}").sample(mutants, sample)
    _, rulebooks, tests = GROUPS[group]
    if not ask_tests:
        tests = ()
    days = [day for book in rulebooks for day in honest_days(book, honest_rounds, seed)]
    by = Witnesses([r for book in rulebooks for r in golden_rounds(book)], days, tests, excused)
    score = GroupScore(len(mutants))
    for index, who in sorted(judge(mutants, by, processes).items()):
        score.golden += who == GOLDEN
        score.honest += who == HONEST
        score.tests += who == TESTS
        if who == NEVER_LOADED:
            raise SystemExit(f"{mutants[index]}: nobody imported the changed module")
        if who == ALIVE:
            score.survivors.append(mutants[index])
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--group", choices=list(GROUPS), action="append")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--honest", type=int, default=400, help="rounds per table")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", type=Path, help="only what this earlier output calls alive")
    parser.add_argument("--drop-conditions", action="store_true", help="only these")
    parser.add_argument("--tests", action="store_true", help="ask the group's tests too")
    given = parser.parse_args()
    heads = ("mutants", "golden", "honest", "tests", "alive", "score")
    print(f"{'rules of':<28}" + "".join(f"{head:>8}" for head in heads), flush=True)
    again = None if given.again is None else given.again.read_text("utf-8")
    for group in given.group or GROUPS:
        score = run_group(
            group, sample=given.sample, seed=given.seed, honest_rounds=given.honest,
            processes=given.processes, again=again, drop=given.drop_conditions,
            ask_tests=given.tests,
        )  # fmt: skip
        lived = len(score.survivors)
        share = 100 * (score.mutants - lived) / max(1, score.mutants)
        counts = (score.mutants, score.golden, score.honest, score.tests, lived)
        print(f"{group:<28}" + "".join(f"{n:>8,}" for n in counts) + f"{share:>7.1f}%", flush=True)
        for mutant in score.survivors:
            print(f"  alive: {mutant}: {reason(mutant)}", flush=True)


if __name__ == "__main__":
    main()
