"""Which modules settle the rounds of a rulebook, read from their imports.

Never listed by hand, because a list is forgotten when a module is added. Nothing is imported for
it: the mutation bench asks before it puts a changed module in the place of the real one.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

ENGINE = ("replay.engine", "replay.fold", "replay.columns")
"""What every round passes on its way to the rules of its book."""

_ASIDE = frozenset({"replay.fingerprint", "replay.registry", "replay.sources"})
"""Which rulebook is asked, and this: they settle nothing."""


@cache
def settling_modules(package: str) -> tuple[str, ...]:
    """Every module of `replay` that a round of this rulebook can pass through, sorted."""
    seen: set[str] = set()
    todo = [package, *ENGINE]
    while todo:
        module = todo.pop()
        if module in seen or module in _ASIDE:
            continue
        seen.add(module)
        todo += _imports(module)
    return tuple(sorted(seen))


@cache  # most modules serve several rulebooks
def _imports(module: str) -> tuple[str, ...]:
    """The modules of `replay` that a module imports, wherever in it the import stands."""
    out: list[str] = []
    for node in _statements(ast.parse(source_of(module))):
        if isinstance(node, ast.Import):
            out += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            out.append(node.module)
            out += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name for name in out if name.startswith("replay.") and _file(name) is not None)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, however deep. No expression holds one, and most of a tree is expressions:
    to leave them out takes a tenth of the time."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for inside in ("body", "orelse", "handlers", "finalbody", "cases"):
            todo += getattr(node, inside, ())


def source_of(module: str) -> bytes:
    """The source of a module, with the line ends that git keeps."""
    file = _file(module)
    if file is None:
        raise LookupError(f"no source of {module}: a fingerprint is made from the sources")
    return file.read_bytes().replace(b"\r\n", b"\n")


@cache
def _file(module: str) -> Traversable | None:
    """The source file of a module or package."""
    _, *parts = module.split(".")
    place = resources.files("replay")
    for part in parts[:-1]:
        place = place / part
    single = place / f"{parts[-1]}.py"
    if single.is_file():
        return single
    inside = place / parts[-1] / "__init__.py"
    return inside if inside.is_file() else None
