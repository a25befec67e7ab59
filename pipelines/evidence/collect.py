"""Gathering evidence from the archive: the round's bytes, and the sealed stretches around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow.compute as pc

from events.archive.entries import TableEntries
from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.finder import find_round
from events.archive.journal import segments_of
from events.archive.reader import Archive
from events.archive.rounds import IndexFile, Stretch, ask_journal
from events.archive.segment import SegmentRow
from events.checkpoints import Checkpoint
from events.codec import body_of, hash_body
from events.errors import EvenhandError
from events.seal import Entry, seal_of, tag_of
from pipelines.evidence.material import Unsealed
from pipelines.investigate.locate import Located

_BACK_BYTES = 8 << 20
"""A shoe starts shortly before its first round: so far back the evidence is read first."""


class EvidenceError(EvenhandError):
    """Evidence that can't be made: the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The chain around a round, what seals it, and the messages that stand beside the round's."""

    chain: tuple[Entry, ...]
    checkpoints: tuple[Checkpoint, ...]
    unsealed: Unsealed | None
    beside: tuple[StoredMessage, ...]


def collect(archive: Archive, located: Located, checkpoints: Iterable[Checkpoint]) -> Collected:
    """The stretches, sealed by checkpoints, that hold the round and what its answer rests on: the
    start of its shoe, on whatever day, and the next round's opening where something came late.

    Events of the round that none of them holds get the chain without a seal, from the last
    checkpoint before to the next one after, or to the newest event.
    """
    table = located.table or ""
    entries = TableEntries(archive, table)
    mine = sorted((c for c in checkpoints if c.table == table), key=lambda c: (c.seq, c.at))
    numbers = [e.seq or 0 for e in located.events]
    cover = _Cover(entries, mine)
    rests_on = list(_rests_on(archive, located))
    for seq in [*numbers, *(seq for seq, _ in rests_on)]:
        cover.hold(seq)
    left = [seq for seq in numbers if not cover.holds(seq)]
    unsealed = cover.add_unsealed(left) if left else None
    chain = cover.chain()
    beside = _of_the_round(archive, located, entries, {entry.hash for entry in chain})
    beside = [*(message for _, message in rests_on), *beside]
    return Collected(tuple(chain), tuple(cover.checkpoints()), unsealed, tuple(beside))


class _Cover:
    """Stretches of one table's chain, chosen one by one."""

    def __init__(self, entries: TableEntries, checkpoints: list[Checkpoint]) -> None:
        self._entries, self._checkpoints = entries, checkpoints
        self._chosen: dict[Checkpoint, list[Entry]] = {}
        self._rest: list[Entry] = []

    def holds(self, seq: int) -> bool:
        return any(c.seals(seq) for c in self._chosen)

    def hold(self, seq: int) -> None:
        """Choose the stretch with an event that was sealed first, if possible one that fits.

        An old seal is worth more than a new one, and mostly shorter: of a segment, or of a day.
        """
        if self.holds(seq):
            return
        holding = [c for c in self._checkpoints if c.seals(seq)]
        holding.sort(key=lambda c: (c.at, c.seq - (c.first or 0)))
        for c in holding:
            if found := self._fitting(c):
                self._choose(c, found)
                return
        if holding:  # then let the verifier see what was sealed, and that it does not fit
            c = holding[0]
            self._choose(c, self._entries.between(c.first or 1, c.seq))

    def _choose(self, c: Checkpoint, entries: list[Entry]) -> None:
        inside = [o for o in self._chosen if c.seals(o.first or 0) and c.seals(o.seq)]
        for other in inside:
            del self._chosen[other]
        self._chosen[c] = entries

    def _fitting(self, c: Checkpoint) -> list[Entry] | None:
        """The entries that were sealed. What claims a number a second time may have come later."""
        for read in (self._entries.between, self._entries.first_claims):
            found = read(c.first or 1, c.seq)
            if seal_of(found) == c.seal:
                return found
        return None

    def add_unsealed(self, numbers: list[int]) -> Unsealed:
        """The chain around events that nothing seals; from where to where."""
        known = [c.seq for c in self._checkpoints]
        first = max((seq for seq in known if seq < numbers[0]), default=1)
        newest = self._entries.last
        last = min((seq for seq in known if numbers[-1] <= seq <= newest), default=None)
        self._rest = self._entries.between(first, last or newest)
        bare = [c for c in self._checkpoints if c.seq == last and c.seal is None]
        self._chosen |= {c: [] for c in bare}
        return Unsealed(first, last or newest, last is None)

    def chain(self) -> list[Entry]:
        return sorted({*self._rest, *(e for some in self._chosen.values() for e in some)})

    def checkpoints(self) -> list[Checkpoint]:
        return sorted(self._chosen, key=lambda c: (c.seq, c.at))


def _of_the_round(
    archive: Archive, located: Located, entries: TableEntries, hashes: set[bytes]
) -> list[StoredMessage]:
    """What bears the round's id and does not count: second claims to a number, unreadable bytes."""
    counted = {hash_body(body_of(message.value)) for message in located.messages}
    tag = tag_of(located.round)
    found = [*find_round(archive, located.round, located.table).messages]
    found += [one.message for one in entries.unread if one.entry.tag == tag]
    others = {hash_body(body_of(message.value)): message for message in found}
    return [m for digest, m in others.items() if digest in hashes and digest not in counted]


def _rests_on(archive: Archive, located: Located) -> Iterator[tuple[int, StoredMessage]]:
    """The events besides the round's own that its answer rests on: number and message."""
    shoe, following = located.context.shoe, located.context.next_round
    if shoe is not None and shoe.seq is not None and shoe.day is not None:
        yield shoe.seq, _start_of_shoe(archive, located, shoe.seq, shoe.day)
    if following is not None:
        found = find_round(archive, following.id, located.table)
        pairs = zip(found.messages, found.events, strict=True)
        yield following.seq, next(message for message, e in pairs if e.seq == following.seq)


def _start_of_shoe(archive: Archive, located: Located, seq: int, day: date) -> StoredMessage:
    """The message with which the round's shoe began."""
    table = located.table or ""
    columns: Any = archive.read_tables(day, [table], ("seq", "type", "hash"))
    rows = columns.filter(pc.field("seq") == seq).to_pylist()
    hashes = [row["hash"] for row in rows if row["type"] == "ShoeStarted"]
    for message in _before_first_round(archive, table, seq, day):
        if message.key == table.encode() and hash_body(body_of(message.value)) in hashes[:1]:
            return message
    raise EvidenceError(
        f"round {located.round}: the start of its shoe, event {seq}, is in the columns and not in "
        f"the evidence; evenhand verify --day {day} tells more"
    )


def _before_first_round(
    archive: Archive, table: str, seq: int, on: date
) -> Iterator[StoredMessage]:
    """A day's messages, those first that lie right before the round that follows an event."""
    day = on.isoformat()
    rows = {row.id: row for row in segments_of(archive.db, "day = ?", day)}
    where = "WHERE day = ? AND table_id = ? AND first_seq > ? ORDER BY first_seq LIMIT 1"
    following = list(_ask(archive, day, where, (day, table, seq)))
    if following:
        place = min(following, key=lambda p: p.first_seq)
        where = "WHERE segment = ? AND start <= ? ORDER BY start DESC LIMIT 1"
        blocks = _ask(archive, day, where, (place.segment, place.start - _BACK_BYTES))
        start = max((block.start for block in blocks), default=0)
        yield from _read(archive, rows[place.segment], start, place.stop)
    for row in reversed(rows.values()):
        yield from _read(archive, row, 0, row.length)


def _ask(archive: Archive, day: str, where: str, values: tuple[object, ...]) -> Iterator[Stretch]:
    """The places of rounds, from the journal and from the day's own index."""
    yield from ask_journal(archive.db, where, values)
    for (name,) in archive.db.execute("SELECT name FROM indexes WHERE day = ?", (day,)).fetchall():
        with IndexFile(archive.layout.file(date.fromisoformat(day), name)) as index:
            yield from index.ask(where, values)


def _read(archive: Archive, row: SegmentRow, start: int, stop: int) -> Iterator[StoredMessage]:
    with EvidenceFile(archive.layout.file(row.day, row.name)) as file:
        for block in file.blocks(start, stop):
            yield from block.messages
