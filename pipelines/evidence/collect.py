"""Gathering evidence from the archive: the round's bytes and its table's chain around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.journal import segments_of
from events.archive.reader import Archive
from events.archive.rounds import IndexFile, Stretch, ask_journal
from events.chain import Link, Quarantined
from events.checkpoints import Checkpoint
from events.codec import body_of, hash_body
from events.errors import EvenhandError
from pipelines.evidence.material import (
    BODY,
    BREAK,
    CHECKPOINT,
    HASH,
    HEAD,
    ROUND,
    START,
    ChainLine,
)
from pipelines.investigate.locate import Located

_LINKS = ("seq", "prev", "hash")
Tell = Callable[[int], None]


class EvidenceError(EvenhandError):
    """Evidence that can't be made: the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A stretch of a table's chain with the bytes that its proof needs."""

    lines: tuple[ChainLine, ...]
    beside: tuple[StoredMessage, ...]
    checkpoints: tuple[Checkpoint, ...]
    begins: str
    ends: str


def collect_chain(
    archive: Archive,
    located: Located,
    checkpoints: list[Checkpoint],
    shoe_seq: int | None,
    *,
    sealed: bool,
    tell: Tell = lambda done: None,
) -> Chain:
    """The chain from the last checkpoint before the round to the next one after it."""
    table = located.table or ""
    own = {e.seq or 0: hash_body(body_of(m.value)) for m, e in _pairs(located)}
    first, last = min(own), max(own)
    mine = sorted((c for c in checkpoints if c.table == table), key=lambda c: c.seq)
    before = next((c for c in reversed(mine) if c.seq < first), None)
    after = next((c for c in mine if c.seq >= last), None)
    links = _links(archive, table, before.seq if before else 1, after.seq if after else None, own)
    walk = _Walk(links, own, _quarantined(archive, table))
    backward, begins = walk.back(first, before)
    forward, ends, bodies = walk.on(first, last, after)
    needed = {line.hash for line in forward if line.given == BODY}
    if sealed:
        forward = [
            line._replace(given=HASH) if line.given == BODY and line.seq > last else line
            for line in forward
        ]
        needed = {line.hash for line in forward if line.given == BODY}
    shoe = {links[shoe_seq].hash} if shoe_seq in links else _shoe_hash(archive, table, shoe_seq)
    found = _messages(archive, located, needed | shoe, bodies, tell)
    order = {line.hash: line.seq for line in forward} | dict.fromkeys(shoe, shoe_seq or 0)
    kept = sorted(found.items(), key=lambda pair: order[pair[0]])
    used = [c for c, is_used in ((before, begins == CHECKPOINT), (after, ends == CHECKPOINT))
            if c is not None and is_used]  # fmt: skip
    return Chain((*backward, *forward), tuple(m for _, m in kept), tuple(used), begins, ends)


def _pairs(located: Located) -> Iterator[tuple[StoredMessage, Any]]:
    return zip(located.messages, located.events, strict=True)


def _links(
    archive: Archive, table: str, first: int, last: int | None, own: dict[int, bytes]
) -> dict[int, Link]:
    """Links by number from the columns of every day that has some of them.

    Where two events claim one number, the one counts that the next one names.
    """
    sql = (
        "SELECT day FROM day_tables WHERE table_id = ? AND last_seq >= ? AND first_seq <= ? "
        "ORDER BY day"
    )
    days = archive.db.execute(sql, (table, first, last or 2**62)).fetchall()
    of_number: dict[int, list[Link]] = {}
    for (day,) in days:
        columns = archive.read_tables(date.fromisoformat(day), [table], _LINKS)
        rows = zip(*(columns[name].to_pylist() for name in _LINKS), strict=True)
        for seq, prev, digest in rows:
            if seq >= first and (last is None or seq <= last):
                of_number.setdefault(seq, []).append(Link(seq, prev, digest))
    out: dict[int, Link] = {}
    for seq, links in of_number.items():
        named = {after.prev for after in of_number.get(seq + 1, ())}
        chosen = next((link for link in links if link.hash == own.get(seq)), None)
        out[seq] = chosen or next((link for link in links if link.hash in named), links[0])
    return out


def _quarantined(archive: Archive, table: str) -> list[bytes]:
    return [q.raw for q in archive.quarantine() if q.table in {table, None} and q.kind != "damage"]


def _shoe_hash(archive: Archive, table: str, seq: int | None) -> set[bytes]:
    """The hash of a shoe's start that lies before the stretch of chain."""
    if seq is None:
        return set()
    found = _links(archive, table, seq, seq, {})
    return {found[seq].hash} if seq in found else set()


@dataclass(frozen=True, slots=True)
class _Walk:
    links: dict[int, Link]
    own: dict[int, bytes]
    unreadable: list[bytes]

    def back(self, first: int, before: Checkpoint | None) -> tuple[list[ChainLine], str]:
        """From the round's first event back, for as long as each event names the one before."""
        lines: list[ChainLine] = []
        seq = first
        least = before.seq if before else 1
        while seq > least:
            link, earlier = self.links.get(seq), self.links.get(seq - 1)
            if link is None or earlier is None or link.prev != earlier.hash:
                return lines[::-1], BREAK
            seq -= 1
            lines.append(ChainLine(seq, earlier.hash, HASH))
        if before is not None:
            meets = self.links[seq].hash == before.head if seq in self.links else False
            return lines[::-1], CHECKPOINT if meets else BREAK
        return lines[::-1], START

    def on(
        self, first: int, last: int, after: Checkpoint | None
    ) -> tuple[list[ChainLine], str, dict[bytes, bytes]]:
        """From the round's first event on, with bodies that nobody could read in their place."""
        lines: list[ChainLine] = []
        bodies: dict[bytes, bytes] = {}
        end = after.seq if after else max(self.links)
        seq = first
        while seq <= end:
            link = self.links.get(seq)
            if link is None:
                filled = self._fill(seq, lines, bodies)
                if not filled:
                    return lines, BREAK, bodies
                seq += filled
                continue
            if lines and link.prev != lines[-1].hash and seq > last:
                return lines, BREAK, bodies
            lines.append(ChainLine(seq, link.hash, ROUND if seq in self.own else BODY))
            seq += 1
        if after is None:
            return lines, HEAD, bodies
        return lines, CHECKPOINT if lines[-1].hash == after.head else BREAK, bodies

    def _fill(self, seq: int, lines: list[ChainLine], bodies: dict[bytes, bytes]) -> int:
        """Put what lies in quarantine where the next event's hash says it belongs."""
        following = min((n for n in self.links if n > seq), default=None)
        if following is None:
            return 0
        gap = following - seq
        filled = Quarantined(self.unreadable).fill(self.links[following].prev, gap)
        if len(filled) < gap:
            return 0
        for n, body in enumerate(reversed(filled)):
            digest = hash_body(body)
            bodies[digest] = body
            lines.append(ChainLine(seq + n, digest, BODY))
        return gap


def _messages(
    archive: Archive,
    located: Located,
    wanted: set[bytes],
    bodies: dict[bytes, bytes],
    tell: Tell,
) -> dict[bytes, StoredMessage]:
    """The messages of some hashes, as they lie in the evidence; from the round's place on first."""
    key = (located.table or "").encode()
    found = {
        digest: StoredMessage("quarantine", 0, 0, key, body)
        for digest, body in bodies.items()
        if digest in wanted
    }
    left = wanted - found.keys()
    place = _place(archive, located)
    for start in (place, None):  # a second time from the beginning, for what came out of order
        for message in _scan(archive, start, tell):
            if not left:
                return found
            if message.key == key:
                digest = hash_body(body_of(message.value))
                if digest in left:
                    found[digest] = message
                    left.discard(digest)
    if left:
        raise EvidenceError(
            f"round {located.round}: {len(left)} events of its table's chain are in the columns "
            f"and not in the evidence; evenhand verify tells more"
        )
    return found


def _place(archive: Archive, located: Located) -> Stretch | None:
    where, values = "WHERE round = ? ORDER BY stretch", (located.round,)
    rows = list(ask_journal(archive.db, where, values))
    if not rows and located.day is not None:
        sql = "SELECT name FROM indexes WHERE day = ?"
        for (name,) in archive.db.execute(sql, (located.day.isoformat(),)).fetchall():
            with IndexFile(archive.layout.file(located.day, name)) as index:
                rows = list(index.ask(where, values))
    return rows[0] if rows else None


def _scan(archive: Archive, start: Stretch | None, tell: Tell) -> Iterator[StoredMessage]:
    """The evidence's messages from a place on, or all of them."""
    rows = segments_of(archive.db, "1 = 1")
    for row in rows:
        if start is not None and (row.day.isoformat(), row.id) < (start.day, start.segment):
            continue
        begin = start.start if start is not None and row.id == start.segment else 0
        with EvidenceFile(archive.layout.file(row.day, row.name)) as file:
            for block in file.blocks(begin, row.length):
                yield from block.messages
                tell(len(block.messages))
