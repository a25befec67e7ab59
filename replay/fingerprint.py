"""A rulebook's fingerprint: a hash over its clauses and the source of all that settles by it.

Every answer can say which rules made it: a changed clause, odds or condition changes the
fingerprint, and an old answer keeps the old one.
"""

from __future__ import annotations

import hashlib
from functools import cache

from replay.registry import rulebook
from replay.sources import settling_modules, source_of


@cache
def fingerprint(book_id: str) -> str | None:
    """The fingerprint of a rulebook, or None where there is none of that id."""
    book = rulebook(book_id)
    if book is None:
        return None
    digest = hashlib.sha256()
    for clause in book.clauses:
        digest.update(f"{clause.number}\x1f{clause.gist}\x1f{clause.held}\n".encode())
    for module in settling_modules(book.package):
        digest.update(f"{module}\n".encode() + source_of(module))
    return digest.hexdigest()
