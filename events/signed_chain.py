"""What valid signatures cover: of a table's events, those from which the hashes lead to one.

A signature covers the chain before it, back to a gap. Where several events claim one number, it
covers the one whose hash is named, so that signatures tell an honest tail from a forged one,
whichever came first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from events.chain import QuarantinedLink
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead

Place = tuple[int, bytes]
"""Number and hash: an event, wherever a copy of it lies."""


class SignedLink(Protocol):
    """An event's place in the chain, and its signature where it is a `HeadSigned`."""

    @property
    def seq(self) -> int: ...
    @property
    def prev(self) -> bytes | None: ...
    @property
    def hash(self) -> bytes | None: ...
    @property
    def signed(self) -> SignedHead | None: ...


class RefusedSignature(NamedTuple):
    """A signature that was looked at and covers nothing."""

    place: Place
    verdict: HeadVerdict
    why: str


class Coverage(NamedTuple):
    """The events that valid signatures cover, and the signatures that are none."""

    covered: Collection[Place] = frozenset()
    refused: tuple[RefusedSignature, ...] = ()


def coverage(
    links: Iterable[SignedLink], keys: HeadKeys, unreadable: QuarantinedLink | None = None
) -> Coverage:
    """Follow each signature back, the last one first.

    Where a valid one leads through an earlier one, the earlier one has nothing to add and is not
    looked at: of a day that is whole, only the last is.
    """
    there: dict[Place, SignedLink] = {}
    numbers: dict[int, list[Place]] = {}
    for link in links:
        if link.hash is not None and (link.seq, link.hash) not in there:
            there[link.seq, link.hash] = link
            numbers.setdefault(link.seq, []).append((link.seq, link.hash))
    bodies, covered, refused = unreadable or QuarantinedLink(), set[Place](), []
    signed = [(place, link) for place, link in there.items() if link.signed is not None]
    for place, link in sorted(signed, key=lambda one: -one[0][0]):
        if place in covered or link.signed is None or link.prev is None:
            continue
        verdict, why = keys.judge(link.signed, link.seq, link.prev)
        if verdict is HeadVerdict.VALID:
            _back(place, there, numbers, bodies, covered)
        else:
            refused.append(RefusedSignature(place, verdict, why))
    return Coverage(covered, tuple(reversed(refused)))


def _back(
    place: Place | None,
    there: Mapping[Place, SignedLink],
    numbers: Mapping[int, list[Place]],
    bodies: QuarantinedLink,
    covered: set[Place],
) -> None:
    """Cover an event and all that the hashes lead to, over bodies that nobody could read too."""
    while place is not None and place not in covered:
        covered.add(place)
        link = there[place]
        named = None if link.prev is None else (link.seq - 1, link.prev)
        place = named if named in there else _beyond(named, numbers, bodies)


def _beyond(
    named: Place | None, numbers: Mapping[int, list[Place]], bodies: QuarantinedLink
) -> Place | None:
    """The event before unreadable bodies that fill the gap, where the last of them names it."""
    if named is None:
        return None
    found = bodies.fill(named[1], named[0])
    if not found:
        return None
    before = numbers.get(named[0] - len(found), ())
    return next((place for place in before if place[1] in found[-1]), None)
