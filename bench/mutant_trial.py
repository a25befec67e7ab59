"""One mutant on trial: who notices it, and in which order they are asked.

The golden rounds come first, then honest play, then the tests that are named for its group. Each
mutant has a process of its own, forked from one that has read the rounds and the libraries, so that
an endless loop or a broken import is only one more way of being noticed. Of the golden rounds that
pass through its function those come first that noticed its neighbours, then those that cite its
paragraph.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
from collections.abc import Callable
from ctypes import c_int
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from bench.mutants import Mutant

ROOT = Path(__file__).parent.parent
ALIVE, GOLDEN, HONEST, TESTS, NEVER_LOADED = 0, 10, 11, 12, 13
CPU_SECONDS = 120
MEMORY = 8 << 30
_JUDGED = ("replay", "checks", "pipelines", "tests")  # where mutants stand, and who imports them
_READERS = frozenset(
    f"checks.golden.{name}" for name in ("expected", "load", "opening", "script", "words")
)
"""Who only reads golden rounds imports nothing that is changed; the rounds are of its classes."""
_AT_IMPORT: set[tuple[str, int]] = set()  # functions called while modules are imported
_KILLERS = 12
_FEW = 3


class AskedRound(NamedTuple):
    """A golden round, the paragraphs that it is about, and the functions through which it goes."""

    golden: Any
    cites: frozenset[str]
    passes: frozenset[tuple[str, int]]  # module and first line


@dataclass(slots=True)
class Witnesses:
    """Who may notice a mutant: golden rounds, honest days of tables, files of tests."""

    rounds: list[AskedRound]
    days: list[Any] = field(default_factory=list)
    tests: tuple[str, ...] = ()
    excused: Callable[[Mutant], bool] = lambda mutant: (
        False
    )  # a reason is known: tests are left out
    noticed: dict[str, list[int]] = field(default_factory=dict)  # by module, the latest at the end

    def order(self, mutant: Mutant) -> list[int]:
        """The rounds that can notice a mutant, the likeliest first: of a change in a function those
        that call it; of any other, and where it is called at the import too, all of them."""
        place, beside = (mutant.module, mutant.function), frozenset(mutant.clauses)
        numbers = [n for n, each in enumerate(self.rounds) if place in each.passes]
        if len(numbers) < _FEW or place in _AT_IMPORT:
            numbers = list(range(len(self.rounds)))
        random.Random(1).shuffle(numbers)  # neighbours are much alike
        before = self.noticed.get(mutant.module, [])[-_KILLERS:]
        latest = {number: len(before) - place for place, number in enumerate(before)}

        def rank(number: int) -> tuple[int, bool]:
            return latest.get(number, _KILLERS + 1), beside.isdisjoint(self.rounds[number].cites)

        return sorted(numbers, key=rank)

    def remember(self, mutant: Mutant, number: int) -> None:
        """A round that noticed one mutant of a module often notices the next."""
        seen = self.noticed.setdefault(mutant.module, [])
        if number in seen:
            seen.remove(number)
        seen.append(number)


class _Mutated(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Gives one module the mutant's source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.loaded = False

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: ModuleType) -> None:
        self.loaded = True
        code = compile(self.mutant.source, self.mutant.module, "exec")
        exec(code, module.__dict__)


@cache
def golden_rounds(rulebook: str) -> tuple[AskedRound, ...]:
    """All of a rulebook; they must hold as long as nothing is changed."""
    from checks.golden.load import read_golden

    _AT_IMPORT.update(_calls(lambda: _import_all(rulebook)))
    files = sorted((ROOT / "tests" / "replay" / "golden").rglob("*.yaml"))
    rounds = [g for path in files for g in read_golden(path).rounds if g.rulebook == rulebook]
    return tuple(AskedRound(golden, _about(golden), _passed(golden)) for golden in rounds)


def _import_all(rulebook: str) -> None:
    """Also what only the judges need: every child finds the libraries in memory."""
    import pytest  # noqa: F401

    from replay.registry import rulebook as book

    book(rulebook)


def _about(golden: Any) -> frozenset[str]:
    expected = (*golden.lines, *golden.findings)
    cited = {clause for each in expected for clause in each.cited.clauses}
    return frozenset(cited | {golden.name.partition(" ")[0]})


def _passed(golden: Any) -> frozenset[tuple[str, int]]:
    from checks.golden.judge import differences

    wrong: list[str] = []
    passed = _calls(lambda: wrong.extend(differences(golden)))
    if wrong:
        raise SystemExit(f"{golden.id}: {wrong[0]}; without any change the rounds must hold")
    return passed


def _calls(do: Callable[[], None]) -> frozenset[tuple[str, int]]:
    """The functions that are called meanwhile."""
    codes: dict[int, Any] = {}

    def call(frame: FrameType, _event: str, _arg: object) -> None:
        codes[id(frame.f_code)] = frame.f_code

    sys.settrace(call)
    try:
        do()
    finally:
        sys.settrace(None)
    return frozenset((_module(c.co_filename), c.co_firstlineno) for c in codes.values())


@cache
def _module(file: str) -> str:
    try:
        return ".".join(Path(file).relative_to(ROOT).with_suffix("").parts)
    except ValueError:
        return file


def judge(mutants: list[Mutant], by: Witnesses, processes: int) -> dict[int, int]:
    """Who notices each mutant, by its place in the list; each in a process of its own."""
    gc.collect()
    gc.freeze()  # what is shared with the children stays shared
    out: dict[int, int] = {}
    running: dict[int, int] = {}
    noticed_by = RawArray(c_int, [-1] * len(mutants))

    def wait() -> None:
        pid, status = os.wait()
        if pid not in running:
            return
        index = running.pop(pid)
        out[index] = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else GOLDEN
        if out[index] == ALIVE:
            print(
                f"  {len(out)}/{len(mutants)} alive: {mutants[index]}", file=sys.stderr, flush=True
            )
        if noticed_by[index] >= 0:
            by.remember(mutants[index], noticed_by[index])

    for index, mutant in enumerate(mutants):
        if len(running) >= processes:
            wait()
        running[_fork(mutant, by, lambda n, index=index: _note(noticed_by, index, n))] = index
    while running:
        wait()
    return out


def _note(noticed_by: Any, index: int, number: int) -> None:
    noticed_by[index] = number


def _fork(mutant: Mutant, by: Witnesses, asked: Callable[[int], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = GOLDEN
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        gc.disable()
        if _put_in_place(mutant):
            code = _look(mutant, by, asked)
        else:
            loader = _Mutated(mutant)
            _forget_what_was_imported()
            sys.meta_path.insert(0, loader)
            code = _look(mutant, by, asked)
            if code == ALIVE and not loader.loaded:
                code = NEVER_LOADED
    except BaseException:  # noqa: BLE001 - whatever it is, it was noticed
        pass
    os._exit(code)


def _put_in_place(mutant: Mutant) -> bool:
    """The function's new code in the function that everybody knows already, which saves importing
    all modules anew. Only where nothing but the body of a function that the module names changed.
    """
    from replay import rules

    at_import = (mutant.module, mutant.function) in _AT_IMPORT
    if not mutant.name or at_import or mutant.module not in sys.modules:
        return False
    found: Any = sys.modules[mutant.module]
    code: Any = compile(mutant.source, mutant.module, "exec")
    for part in mutant.name.split("."):
        found = found.__dict__.get(part)
        code = next((c for c in code.co_consts if getattr(c, "co_name", None) == part), None)
    function = getattr(found, "__func__", None) or getattr(found, "fget", None) or found
    if not isinstance(function, FunctionType) or function.__code__.co_freevars != code.co_freevars:
        return False
    function.__globals__.update(LOSE=rules.LOSE, RETURNED=rules.RETURNED)  # outcomes it may turn to
    function.__code__ = code
    return True


def _forget_what_was_imported() -> None:
    for name in list(sys.modules):
        changed = name.partition(".")[0] in _JUDGED and name not in _READERS
        if changed or name == "bench.citations":
            del sys.modules[name]


def _look(mutant: Mutant, by: Witnesses, asked: Callable[[int], None]) -> int:
    from bench.citations import cited_in_vain
    from checks.golden.judge import answer_of, differences

    for number in by.order(mutant):
        asked(number)
        golden = by.rounds[number].golden
        answer = answer_of(golden)
        if differences(golden, answer) or cited_in_vain(golden, answer):
            return GOLDEN
    asked(-1)
    from datetime import date

    from checks.table_day import audit_table_day

    for events in by.days:
        found = audit_table_day(date(2026, 11, 14), events).findings
        if any(row[3] in {"money", "procedure"} for row in found):
            return HONEST
    if by.tests and not by.excused(mutant) and _fails(by.tests):
        return TESTS
    return ALIVE


def _fails(tests: tuple[str, ...]) -> bool:
    import pytest

    said = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        return pytest.main([*said, *(str(ROOT / test) for test in tests)]) != 0
