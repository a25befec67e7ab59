"""Would anybody notice if a rule were wrong? Each rule changed a little, and who notices.

    uv run python -m bench.mutation                    every mutant of every rulebook: an hour or so
    uv run python -m bench.mutation --sample 40        that many of each group, by seed
    uv run python -m bench.mutation --group blackjack-rws-v5
    uv run python -m bench.mutation --again FILE       what an earlier output calls alive
    uv run python -m bench.mutation --drop-conditions  one condition of an and/or left out

A mutant is first held against the golden rounds, then, if they let it live, against honest play:
simulated tables whose house was written from the text apart from the replay. Prints the score per
rulebook, and every survivor. Each mutant runs in a process of its own, so that an endless loop or a
broken import is only one more way of being noticed.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import os
import random
import re
import signal
import sys
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from bench.mutants import Mutant, mutants_of
from replay.sources import settling_modules

ROOT = Path(__file__).parent.parent
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
NO_RULES = frozenset({"clauses", "readings", "words", "__init__"})
"""Modules that only hold words."""


class MutantGroup(NamedTuple):
    """Modules that are changed together, and the rulebooks whose rounds may notice it."""

    modules: tuple[str, ...]
    rulebooks: tuple[str, ...]


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
    out["what all games share"] = MutantGroup(tuple(shared), tuple(BOOKS))
    out["the comparison"] = MutantGroup(COMPARISON, tuple(BOOKS))
    return out


GROUPS = groups()
SECONDS = 60
ALIVE, GOLDEN, HONEST = 0, 10, 11


@dataclass(slots=True)
class GroupScore:
    """One group: how many mutants, who noticed them, and who lived."""

    mutants: int = 0
    golden: int = 0
    honest: int = 0
    survivors: list[Mutant] = field(default_factory=list)


class _Mutated(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Gives one module the mutant's source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self.mutant.source, self.mutant.module, "exec")
        exec(code, module.__dict__)


def group_mutants(group: str, *, drop: bool = False) -> list[Mutant]:
    out: list[Mutant] = []
    for module in GROUPS[group].modules:
        path = ROOT / (module.replace(".", "/") + ".py")
        if path.is_file() and module.rpartition(".")[2] not in NO_RULES:
            out += mutants_of(module, path, drop=drop)
    return out


def judge(mutants: list[Mutant], look: Callable[[], int], processes: int) -> dict[int, int]:
    """Who notices each mutant, by its place in the list; each in a process of its own."""
    out: dict[int, int] = {}
    running: dict[int, int] = {}
    for index, mutant in enumerate(mutants):
        if len(running) >= processes:
            _wait(running, out)
        running[_fork(mutant, look)] = index
    while running:
        _wait(running, out)
    return out


def _wait(running: dict[int, int], out: dict[int, int]) -> None:
    pid, status = os.wait()
    if pid in running:
        noticed = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else GOLDEN
        out[running.pop(pid)] = noticed


def _fork(mutant: Mutant, look: Callable[[], int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = GOLDEN
    try:
        signal.alarm(SECONDS)
        sys.meta_path.insert(0, _Mutated(mutant))
        code = look()
    except BaseException:  # noqa: BLE001 - whatever it is, it was noticed
        pass
    os._exit(code)


def golden_rounds(rulebooks: Iterable[str]) -> list[Any]:
    """Read in a process of its own, because reading them imports what is to be changed."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_golden, frozenset(rulebooks)).result()


def _golden(wanted: frozenset[str]) -> list[Any]:
    from checks.golden.load import read_golden

    files = sorted((ROOT / "tests" / "replay" / "golden").rglob("*.yaml"))
    return [g for path in files for g in read_golden(path).rounds if g.rulebook in wanted]


def looker(rulebooks: Iterable[str], days: dict[str, list[Any]]) -> Callable[[], int]:
    """What a child does: the golden rounds, then the honest play. Nothing of replay may have been
    imported before it runs."""
    wanted = frozenset(rulebooks)
    rounds = golden_rounds(wanted)

    def look() -> int:
        from bench.citations import cited_in_vain
        from checks.golden.judge import answer_of, differences

        for golden in rounds:
            if differences(golden) or cited_in_vain(golden, answer_of(golden)):
                return GOLDEN
        from datetime import date

        from checks.table_day import audit_table_day

        for rulebook in wanted:
            for events in days.get(rulebook, ()):
                found = audit_table_day(date(2026, 11, 14), events).findings
                if any(row[3] in {"money", "procedure"} for row in found):
                    return HONEST
        return ALIVE

    return look


def honest_days(rulebooks: Iterable[str], rounds: int, seed: int) -> dict[str, list[Any]]:
    """Columns of honest tables, played in a process of its own that may import what it likes."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return {book: pool.submit(_honest, book, rounds, seed).result() for book in rulebooks}


def _honest(rulebook: str, rounds: int, seed: int) -> list[Any]:
    from bench.floor_day import an_order, audit_jobs, jobs

    order = an_order(2, rounds, seed=seed, rulebook=rulebook, irregularities=0.05)
    return [e for audited in audit_jobs(jobs(order, keep="all")) for e in audited.events]


def reason(mutant: Mutant) -> str:
    """Why a survivor may live, where we know it (bench/survivors.toml)."""
    known = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text("utf-8"))
    for entry in known["survivor"]:
        if entry["text"] in mutant.text and entry.get("change", "") in mutant.change:
            return str(entry["reason"])
    return "not looked into yet"


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
) -> GroupScore:
    """Every mutant of a group, a sample of them, or those that lived before."""
    mutants = group_mutants(group, drop=drop)
    if again is not None:
        mutants = alive_in(again, mutants)
    if sample is not None and sample < len(mutants):
        mutants = random.Random(f"{seed}/{group}").sample(mutants, sample)
    rulebooks = GROUPS[group].rulebooks
    look = looker(rulebooks, honest_days(rulebooks, honest_rounds, seed))
    score = GroupScore(len(mutants))
    for index, who in sorted(judge(mutants, look, processes).items()):
        score.golden += who == GOLDEN
        score.honest += who == HONEST
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
    given = parser.parse_args()
    print(f"{'rules of':<28}{'mutants':>8}{'golden':>8}{'honest':>8}{'alive':>8}{'score':>8}")
    again = None if given.again is None else given.again.read_text("utf-8")
    for group in given.group or GROUPS:
        score = run_group(
            group, sample=given.sample, seed=given.seed, honest_rounds=given.honest,
            processes=given.processes, again=again, drop=given.drop_conditions,
        )  # fmt: skip
        lived = len(score.survivors)
        share = 100 * (score.mutants - lived) / max(1, score.mutants)
        counts = (score.mutants, score.golden, score.honest, lived)
        print(f"{group:<28}" + "".join(f"{n:>8,}" for n in counts) + f"{share:>7.1f}%", flush=True)
        for mutant in score.survivors:
            print(f"  alive: {mutant}: {reason(mutant)}", flush=True)


if __name__ == "__main__":
    main()
