"""The walk along one table's record: numbers without gaps, each once and in order, hashes that
join, and a clock that goes on.

`evenhand replay FILE` and the nightly run both come here; the nightly run only with table-days that
a quick look at the columns did not find whole (checks/record_columns.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from events.chain import Quarantined
from events.codec import GENESIS, hash_body

ELSEWHERE = -1
"""The place of an event that belongs to the chain and is audited with another day."""


class Link(NamedTuple):
    """What the walk needs of one event. `place` is the caller's own number for it."""

    seq: int
    at: int | None  # microseconds since 1970
    round: str | None
    prev: bytes | None
    hash: bytes | None
    place: int = ELSEWHERE


class Problem(NamedTuple):
    """One thing wrong, and the event that shows it."""

    kind: str
    link: Link
    says: str


@dataclass(slots=True)
class Walk:
    """What came of a walk: what is wrong, which events count, and where unreadable ones belong."""

    problems: list[Problem] = field(default_factory=list)
    kept: list[Link] = field(default_factory=list)  # one per number, in order
    unread: dict[bytes, Link] = field(default_factory=dict)  # hash of a body in quarantine

    def add(self, kind: str, link: Link, says: str) -> None:
        if link.place != ELSEWHERE:
            self.problems.append(Problem(kind, link, says))


def walk(
    arrived: Sequence[Link],
    *,
    others: Iterable[Link] = (),
    known: Mapping[int, bytes] | None = None,
    unreadable: Quarantined | None = None,
) -> Walk:
    """Follow one table's events, given in the order in which they came.

    `others` are events of the same chain that other days hold: at least the last one before these.
    `known` are checkpoints, number to hash; one beyond the last event says that the end is cut off.
    """
    out = Walk()
    if not arrived:
        return out
    of_number: dict[int, list[Link]] = {}
    for link in others:
        of_number.setdefault(link.seq, []).append(link)
    _arrivals(out, arrived, of_number)
    out.kept = _counting(of_number)
    _follow(out, unreadable or Quarantined())
    _checkpoints(out, known or {})
    out.problems.sort(key=lambda p: (p.link.seq, p.kind))
    return out


def _arrivals(out: Walk, arrived: Sequence[Link], of_number: dict[int, list[Link]]) -> None:
    """Events that came again, and events that came after a later one."""
    highest = 0
    runs: list[tuple[str, list[Link], int]] = []
    for link in arrived:
        same = of_number.setdefault(link.seq, [])
        if same:
            _join(runs, "duplicate_event", link, highest)
        elif link.seq < highest:
            _join(runs, "out_of_order", link, highest)
        same.append(link)
        highest = max(highest, link.seq)
    for kind, run, before in runs:
        first, many = of_number[run[0].seq][0], _events(run[0].seq, run[-1].seq)
        if kind == "out_of_order":
            out.add(kind, run[0], f"{many} came after event {before}")
        else:
            other = any(link.hash != of_number[link.seq][0].hash for link in run)
            says = f"{many} came a second time"
            says += ", with another content" if other else ""
            out.add(kind, run[0] if first.place == ELSEWHERE else first, says)


def _join(runs: list[tuple[str, list[Link], int]], kind: str, link: Link, highest: int) -> None:
    """A stretch of one round that came late or again is one thing wrong, not a hundred."""
    if runs:
        last_kind, run, _ = runs[-1]
        if last_kind == kind and run[-1].seq + 1 == link.seq and run[-1].round == link.round:
            run.append(link)
            return
    runs.append((kind, [link], highest))


def _counting(of_number: Mapping[int, list[Link]]) -> list[Link]:
    """One event per number: where there are several, the one that the chain goes on from."""
    kept = []
    for seq in sorted(of_number):
        links = of_number[seq]
        chosen = links[0]
        if len(links) > 1:
            chosen = next((link for link in links if link.place != ELSEWHERE), chosen)
            named = {after.prev for after in of_number.get(seq + 1, ()) if after.prev is not None}
            chosen = next((link for link in links if link.hash in named), chosen)
        kept.append(chosen)
    return kept


def _follow(out: Walk, unreadable: Quarantined) -> None:
    last: Link | None = None
    broken: int | None = None
    for link in out.kept:
        if last is None:
            if link.seq == 1 and link.prev not in {None, GENESIS}:
                out.add("broken_chain", link, "the first event names an event before it")
        elif link.seq > last.seq + 1:
            _gap(out, last, link, unreadable)
        elif link.prev is not None and last.hash is not None and link.prev != last.hash:
            if broken != last.seq:  # an event that was changed disagrees with both neighbours
                says = f"event {link.seq} names another hash for the event before it than that has"
                out.add("broken_chain", link, f"{says}: one of the two was changed")
            broken = link.seq
        if last is not None and _earlier(link, last):
            out.add("clock_backwards", link, f"event {link.seq} is earlier than the one before it")
        last = link


def _earlier(link: Link, before: Link) -> bool:
    return link.at is not None and before.at is not None and link.at < before.at


def _gap(out: Walk, last: Link, link: Link, unreadable: Quarantined) -> None:
    """Numbers that are not there; bodies that nobody could read may stand in their place."""
    missing = link.seq - last.seq - 1
    bodies = unreadable.fill(link.prev, missing) if link.prev is not None else []
    for back, body in enumerate(bodies, start=1):
        out.unread[hash_body(body)] = link._replace(seq=link.seq - back)
    end = link.seq - 1 - len(bodies)
    if end > last.seq:
        many = _events(last.seq + 1, end)
        out.add("sequence_gap", link, f"{many} of the table missing before event {link.seq}")


def _checkpoints(out: Walk, known: Mapping[int, bytes]) -> None:
    last = out.kept[-1]
    told = {p.link.seq for p in out.problems if p.kind == "broken_chain"}
    if known:
        for link in out.kept:
            head = known.get(link.seq)
            if head is None or link.hash is None or link.hash == head:
                continue
            if not told & {link.seq, link.seq + 1}:
                out.add("broken_chain", link, f"event {link.seq} is not the one of the checkpoint")
    beyond = [seq for seq in known if seq > last.seq]
    if beyond:
        says = f"the record ends at event {last.seq}, but a checkpoint knows event {max(beyond)}"
        rounds = (link.round for link in reversed(out.kept) if link.round is not None)
        out.add("truncated", last._replace(round=next(rounds, None)), says)


def _events(first: int, last: int) -> str:
    return f"event {first}" if first == last else f"events {first} to {last}"
