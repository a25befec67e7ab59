"""Finding the gateway's signatures over one round in the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.journal import segments_of
from events.archive.reader import Archive
from events.archive.rounds import IndexFile, ask_journal
from events.codec import body_of, hash_body
from events.handed import bounds
from events.registry import TableKey
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead
from pipelines.evidence.gateway import GatewayWord
from pipelines.investigate.locate import Located

_COLUMNS = ("seq", "type", "round", "prev", "hash", "key", "signature")
_LATER = 3
"""So many signatures after the round are tried: the first is the one that it got, unless somebody
else made it."""


class _Row(NamedTuple):
    seq: int
    type: str
    round: str | None
    prev: bytes
    hash: bytes
    key: str | None
    signature: bytes | None
    day: date


def gateway_word(
    archive: Archive, located: Located, keys: tuple[TableKey, ...], day_start: time
) -> GatewayWord | None:
    """The events that lead from valid signatures back to the round; None where there is no
    signature and the registry has no key. Other rounds' events are not among them: what only
    these lead to is left to another signature."""
    table, day = located.table or "", located.day
    if day is None:
        return None
    rows = _rows(archive, table, day, [e.seq or 0 for e in located.events])
    own = {hash_body(body_of(message.value)) for message in located.messages}
    wanted = _leading(rows, own, HeadKeys(table, keys))
    if not wanted and not keys:
        return None
    found = _messages(archive, located, {row.day for row in wanted}, {row.hash for row in wanted})
    by_hash = {hash_body(body_of(message.value)): message for message in found}
    messages = [by_hash[row.hash] for row in wanted if row.hash in by_hash]
    return GatewayWord(tuple(messages[: bounds.ROUND_MESSAGES]), keys, day_start)


def _rows(archive: Archive, table: str, day: date, numbers: list[int]) -> list[_Row]:
    """The table's events from the round's first to the first signatures after its last, which may
    lie on the next day."""
    first, last = min(numbers), max(numbers)
    sql = "SELECT day FROM day_tables WHERE table_id = ? AND day > ? ORDER BY day LIMIT 1"
    after = archive.db.execute(sql, (table, day.isoformat())).fetchall()
    out: list[_Row] = []
    for when in [day, *(date.fromisoformat(text) for (text,) in after)]:
        columns: pa.Table = archive.read_tables(when, [table], _COLUMNS)
        columns = columns.filter(pc.field("seq") >= first).sort_by("seq")
        signed: Any = columns.filter((pc.field("type") == "HeadSigned") & (pc.field("seq") > last))
        ends = sorted(set(signed["seq"].to_pylist()))[:_LATER]
        if ends:
            columns = columns.filter(pc.field("seq") <= ends[-1])
        out += [_Row(**row, day=when) for row in columns.select(_COLUMNS).to_pylist()]
        if ends:
            break
    return out


def _leading(rows: list[_Row], own: set[bytes], keys: HeadKeys) -> list[_Row]:
    """Followed back from each signature, the first one after the round first."""
    by_hash = {(row.seq, row.hash): row for row in rows}
    last = max((row.seq for row in rows if row.hash in own), default=0)
    heads = [row for row in rows if row.type == "HeadSigned" and _counts(row, keys)]
    heads.sort(key=lambda row: (row.seq < last, row.seq if row.seq > last else -row.seq))
    reached: set[bytes] = set()
    out: dict[tuple[int, bytes], _Row] = {}
    for head in heads:
        path, led = [head], False
        at = by_hash.get((head.seq - 1, head.prev))
        while at is not None and (at.hash in own or at.round is None):
            if at.hash in own:
                led = led or at.hash not in reached
                reached.add(at.hash)
                out |= {(row.seq, row.hash): row for row in path} if led else {}
                path = []
            else:
                path.append(at)
            at = by_hash.get((at.seq - 1, at.prev))
        if own <= reached:
            break
    return sorted(out.values())


def _counts(row: _Row, keys: HeadKeys) -> bool:
    """Where the registry has keys, a signature that is none is left out."""
    if row.key is None or row.signature is None:
        return False
    if not keys.keys:
        return True
    head = SignedHead(row.key, row.signature, row.day)
    return keys.judge(head, row.seq, row.prev)[0] is HeadVerdict.VALID


def _messages(
    archive: Archive, located: Located, days: set[date], hashes: set[bytes]
) -> Iterator[StoredMessage]:
    """The messages with these hashes: read from the round on, where the signatures follow."""
    left = set(hashes)
    for message in _from_round(archive, located, days):
        digest = hash_body(body_of(message.value))
        if digest in left:
            left.remove(digest)
            yield message
        if not left:
            return


def _from_round(archive: Archive, located: Located, days: set[date]) -> Iterator[StoredMessage]:
    if located.day is None or not days:
        return
    key = (located.table or "").encode()
    start, segment = _begin(archive, located, located.day)
    for when in sorted({located.day, *days}):
        for row in sorted(segments_of(archive.db, "day = ?", when.isoformat()), key=lambda r: r.id):
            if when == located.day and row.id < segment:
                continue
            begin = start if row.id == segment else 0
            with EvidenceFile(archive.layout.file(row.day, row.name)) as file:
                for block in file.blocks(begin, row.length):
                    yield from (m for m in block.messages if m.key == key)


def _begin(archive: Archive, located: Located, day: date) -> tuple[int, int]:
    """Where the round begins: the byte, and the segment."""
    where, values = "WHERE round = ? AND table_id = ?", (located.round, located.table)
    found = list(ask_journal(archive.db, where, values))
    sql = "SELECT name FROM indexes WHERE day = ?"
    for (name,) in archive.db.execute(sql, (day.isoformat(),)).fetchall():
        with IndexFile(archive.layout.file(day, name)) as index:
            found += index.ask(where, values)
    places = [(place.segment, place.start) for place in found if place.day == day.isoformat()]
    segment, start = min(places, default=(0, 0))
    return start, segment
