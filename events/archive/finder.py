"""Finding one round among millions: by its id, by ids that look like it, by table and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from difflib import SequenceMatcher

from events.archive.errors import DamagedError, UnknownRoundError
from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.journal import segments_of, snapshot
from events.archive.reader import Archive
from events.archive.rounds import IndexFile, Stretch, ask_journal
from events.codec import decode_record, to_envelope
from events.model import Envelope

_NEIGHBOURS = 5
_DAYS_FOR_SUGGESTIONS = 60
_DAYS_BESIDE = 400
_LONGEST_ID = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A round as the archive has it: the bytes as they came, and what they say, by seq."""

    round: str
    day: date
    table: str
    messages: tuple[StoredMessage, ...]
    events: tuple[Envelope, ...]


def find_round(archive: Archive, round_: str, table: str | None = None) -> FoundRound:
    """A round by its id, read from the evidence, without reading its day.

    Where several tables use one id, it is the round of the table that is asked for, or of the one
    that opened it first, as things arrived."""
    with snapshot(archive.db):
        stretches = list(_ask(archive, "WHERE round = ? ORDER BY stretch", (round_,)))
        if not stretches:
            nearest = nearest_rounds(archive, round_)
            hint = f"; did you mean {' or '.join(nearest[:3])}?" if nearest else ""
            raise UnknownRoundError(f"round {round_}: the archive does not know it{hint}", nearest)
        found = [pair for s in stretches for pair in _read(archive, s)]
    expected = sum(s.events for s in stretches)
    if len(found) != expected:
        raise DamagedError(
            f"round {round_}: expected {expected} events in the evidence, found {len(found)}; "
            f"evenhand verify --day {stretches[0].day} tells more"
        )
    table = table or _whose([event for _, event in found])
    found = sorted(
        (pair for pair in found if pair[1].table == table), key=lambda pair: pair[1].seq or 0
    )
    return FoundRound(
        round_,
        date.fromisoformat(stretches[0].day),
        table,
        tuple(message for message, _ in found),
        tuple(event for _, event in found),
    )


def _whose(arrived: Sequence[Envelope]) -> str:
    """The table that first opened the round; where none did, the first that named it."""
    opened = (event for event in arrived if event.type == "RoundOpened")
    return next(opened, arrived[0]).table or ""


def _read(archive: Archive, s: Stretch) -> Iterator[tuple[StoredMessage, Envelope]]:
    rows = segments_of(archive.db, "id = ?", s.segment)
    if not rows:
        raise DamagedError(f"round {s.round}: the index names an evidence file that is not there")
    written = s.round.encode()
    with EvidenceFile(archive.layout.file(rows[0].day, rows[0].name)) as file:
        for block in file.blocks(s.start, s.stop):
            for message in block.messages:
                # a look at the bytes first: decoding every neighbour would cost far more
                if written in message.value:
                    record = decode_record(message.value)
                    if record["round"] == s.round:
                        yield message, to_envelope(record)


def nearest_rounds(archive: Archive, round_: str, most: int = 5) -> tuple[str, ...]:
    """Ids that look like one that is not known, the most alike first."""
    found: set[str] = set()
    for text in dict.fromkeys((round_, round_.strip().upper())):
        for where in ("round < ? ORDER BY round DESC", "round >= ? ORDER BY round"):
            sql = f"WHERE {where} LIMIT {_NEIGHBOURS}"
            found.update(s.round for s in _ask(archive, sql, (text,), _DAYS_FOR_SUGGESTIONS))
    slips = _slips(round_.strip().upper()[:_LONGEST_ID])
    sql = f"WHERE round IN ({', '.join('?' * len(slips))})"
    found.update(s.round for s in _ask(archive, sql, slips, _DAYS_FOR_SUGGESTIONS))
    alike = {r: SequenceMatcher(None, round_.upper(), r.upper()).ratio() for r in found}
    near = [r for r in alike if alike[r] > 0.6]
    return tuple(sorted(near, key=lambda r: (-alike[r], r))[:most])


def _slips(text: str) -> tuple[str, ...]:
    """What somebody may have meant: a character too many, two changed over, a digit mistyped."""
    out = {text}
    for n in range(len(text)):
        out.add(text[:n] + text[n + 1 :])
        out.add(text[:n] + text[n + 1 : n + 2] + text[n] + text[n + 2 :])
        if text[n].isdigit():
            out.update(text[:n] + digit + text[n + 1 :] for digit in "0123456789")
    return tuple(sorted(out))


def round_at(archive: Archive, table: str, at: datetime) -> str | None:
    """The round that a table was playing at a moment, or the last one that it began before."""
    us = (at - _EPOCH) // timedelta(microseconds=1)
    sql = "WHERE table_id = ? AND first_us <= ? ORDER BY first_us DESC LIMIT 1"
    found = list(_ask(archive, sql, (table, us)))
    return max(found, key=lambda s: s.first_us).round if found else None


def rounds_beside(archive: Archive, table: str, at: datetime) -> tuple[str | None, str | None]:
    """The rounds that a table began before and after the one that began at a moment."""
    us = (at - _EPOCH) // timedelta(microseconds=1)
    ways = (("<", "DESC", max), (">", "ASC", min))
    out: list[str | None] = []
    for sign, order, nearest in ways:
        sql = f"WHERE table_id = ? AND first_us {sign} ? ORDER BY first_us {order} LIMIT 1"
        found = list(_ask(archive, sql, (table, us), _DAYS_BESIDE))
        out.append(nearest(found, key=lambda s: s.first_us).round if found else None)
    return out[0], out[1]


def _ask(
    archive: Archive, where: str, values: tuple[object, ...], days: int | None = None
) -> Iterable[Stretch]:
    """The index's answers: of the open days, then of the complete ones, newest first."""
    yield from ask_journal(archive.db, where, values)
    sql = "SELECT day, name FROM indexes ORDER BY day DESC"
    for day, name in archive.db.execute(sql).fetchall()[:days]:
        with IndexFile(archive.layout.file(date.fromisoformat(day), name)) as index:
            yield from index.ask(where, values)
