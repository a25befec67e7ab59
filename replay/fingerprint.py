"""A rulebook's fingerprint: a hash over its clauses and the source of its rules.

Every answer can say which rules made it: a changed clause, odds or condition changes the
fingerprint, and an old answer keeps the old one.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from replay.registry import rulebook

SHARED = ("replay.rules", "replay.cards", "replay.readings")


@cache
def fingerprint(book_id: str) -> str | None:
    """The fingerprint of a rulebook, or None where there is none of that id."""
    book = rulebook(book_id)
    if book is None:
        return None
    digest = hashlib.sha256()
    for clause in book.clauses:
        digest.update(f"{clause.number}\x1f{clause.gist}\x1f{clause.held}\n".encode())
    for module in (*SHARED, *book.modules):
        for name, source in _sources(module):
            digest.update(f"{name}\n".encode() + source)
    return digest.hexdigest()


def _sources(module: str) -> list[tuple[str, bytes]]:
    """The source of a module, or of every module of a package, in a fixed order."""
    package, _, leaf = module.rpartition(".")
    folder = resources.files(package)
    single = folder / f"{leaf}.py"
    if single.is_file():
        return [(module, _text(single.read_bytes()))]
    inside = folder / leaf
    files = sorted(entry.name for entry in inside.iterdir() if entry.name.endswith(".py"))
    return [(f"{module}.{name}", _text((inside / name).read_bytes())) for name in files]


def _text(source: bytes) -> bytes:
    return source.replace(b"\r\n", b"\n")
