"""A chain that is at hand: its links, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from events.chain import ChainLink, ChainReport, Linked, QuarantinedLink, TableChain
from events.codec import body_of, hash_body


def link_of(record: Mapping[str, Any], message: bytes) -> ChainLink:
    """The link of a message and its decoded record."""
    return ChainLink(record["seq"], record["prev"], hash_body(body_of(message)))


def verify_chain(
    table: str,
    links: Iterable[Linked],
    *,
    known: Mapping[int, bytes] | None = None,
    quarantined: Sequence[bytes] = (),
) -> ChainReport:
    """The report on a whole chain that is at hand."""
    chain = TableChain(table, known=known, quarantined=QuarantinedLink(quarantined))
    for link in links:
        chain.feed(link)
    return chain.report()
