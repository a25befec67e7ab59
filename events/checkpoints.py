"""Checkpoints: what a table's chain looked like at a moment, written down to be kept elsewhere.

A chain shows every change but one: cut off at its end, it is a shorter chain that is whole. And
whoever can rewrite the log can rewrite what lies beside it. So the heads are written down when a
segment closes and when a gaming day ends, and somebody carries a copy away. With the head goes a
seal over the events since, where the writer knows them (events/seal.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

from events.chain import Head
from events.contract import LONG_MAX, parse_time, show
from events.errors import ContractError, InputError
from events.handed import bounds
from events.handed.text import parse_json, read_whole
from events.log.base import Message
from events.log.files.reader import segment_messages
from events.log.files.segment import list_segments
from events.runtime.lines import append_lines
from events.seal import Sealed, seal_messages

_HEX64 = re.compile(r"[0-9a-f]{64}")

Clock = Callable[[], datetime]
End = TypeVar("End")

QUARANTINE = "#quarantine"
"""Stands where a table's name would: a checkpoint of what lies in quarantine, numbered as there.
Other files of the house that only grow have such names too (events/house_log.py)."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One table's chain at a moment: so many events, and the hash of the last.

    `seal` is that of the events from `first` to `seq`; without one only the last event is known.
    """

    table: str
    seq: int
    head: bytes
    at: datetime
    reason: str
    first: int | None = None
    seal: bytes | None = None

    @property
    def of_table(self) -> bool:
        """Whether it is about a table's chain and not about some other file of the house."""
        return not self.table.startswith("#")

    def seals(self, seq: int) -> bool:
        """Whether an event of this number belongs to what is sealed."""
        return self.first is not None and self.first <= seq <= self.seq


def utc_now() -> datetime:
    """The time by this machine's clock."""
    return datetime.now(UTC)


_NAMES = ("table", "seq", "head", "at", "reason")
_SEAL_NAMES = ("first", "seal")


def to_line(checkpoint: Checkpoint) -> str:
    """A checkpoint as a line of the file, without the line's end."""
    flat: dict[str, Any] = {
        "table": checkpoint.table,
        "seq": checkpoint.seq,
        "head": checkpoint.head.hex(),
        "at": checkpoint.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "reason": checkpoint.reason,
    }
    if checkpoint.seal is not None:
        flat |= {"first": checkpoint.first, "seal": checkpoint.seal.hex()}
    return json.dumps(flat, ensure_ascii=False)


def checkpoint_from_line(line: str) -> Checkpoint:
    """A line of the file as the checkpoint it was made from, or a ContractError."""
    try:
        flat = parse_json(line)
    except ContractError as error:
        raise ContractError(
            f"expected a checkpoint as JSON, found {line[:40]!r}: {error}"
        ) from None
    if not isinstance(flat, dict) or set(flat) not in (set(_NAMES), {*_NAMES, *_SEAL_NAMES}):
        raise ContractError(f"expected a checkpoint with {', '.join(_NAMES)}, found {line[:40]!r}")
    table, seq = flat["table"], flat["seq"]
    if not isinstance(table, str) or type(seq) is not int or not 1 <= seq <= LONG_MAX:
        raise ContractError("expected a table's name and a seq from 1 on")
    head = _digest("head", flat["head"])
    at, reason = parse_time(flat["at"]), flat["reason"]
    if not isinstance(reason, str):
        raise ContractError(f"reason: expected text, found {show(reason)}")
    if "seal" not in flat:
        return Checkpoint(table, seq, head, at, reason)
    first = flat["first"]
    if type(first) is not int or not 1 <= first <= seq:
        raise ContractError(f"first: expected a number from 1 to {seq}, found {show(first)}")
    return Checkpoint(table, seq, head, at, reason, first, _digest("seal", flat["seal"]))


def _digest(name: str, text: Any) -> bytes:
    if not isinstance(text, str) or not _HEX64.fullmatch(text):
        raise ContractError(f"{name}: expected 64 lower-case hex digits, found {show(text)}")
    return bytes.fromhex(text)


def load_checkpoints(
    path: Path,
    *,
    kept: bool = False,
    tables: Collection[str] | None = None,
    quarantine: bool = False,
) -> list[Checkpoint]:
    """The checkpoints of a file. `kept`: a copy from elsewhere, which must exist and be whole.

    Those of the quarantine and of other files only where they are asked for: they have no chain.

    In the house's own file a last line without its end was never acknowledged and does not count.
    `tables`: only of these; the others' lines are passed over unread.
    """
    content = _content(path, kept=kept)
    wanted = None if tables is None else frozenset(tables)
    out = []
    for number, line in _lines_of(content, wanted):
        try:
            found = checkpoint_from_line(line.decode("utf-8"))
        except (ContractError, UnicodeDecodeError) as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        if not found.of_table:
            if quarantine:
                out.append(found)
        elif wanted is None or found.table in wanted:
            out.append(found)
    if kept and not content.strip():
        raise InputError(f"{path}: expected checkpoints, found an empty file")
    return out


def _content(path: Path, *, kept: bool) -> bytes:
    if not path.exists():
        if not kept:
            return b""
        raise InputError(f"{path}: expected a file of checkpoints, found none")
    content = read_whole(path, bounds.KEPT_BYTES)
    return content if kept else content[: content.rfind(b"\n") + 1]


def _lines_of(content: bytes, tables: Collection[str] | None) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, without those that begin with another table's name."""
    begin = b'{"table": '
    wanted = {begin + json.dumps(t, ensure_ascii=False).encode() for t in tables or ()}
    for number, line in enumerate(content.splitlines(), start=1):
        other = (
            tables is not None
            and line.startswith(begin)
            and line[: line.find(b', "seq": ')] not in wanted
        )
        if line.strip() and not other:
            yield number, line


def of_tables(ends: Mapping[str, End]) -> dict[str, End]:
    """Without tables whose names begin as those of the house's own files do: a device may call its
    table what it likes, and must not speak for the log of what people did. They get no checkpoint.
    """
    return {table: end for table, end in ends.items() if not table.startswith("#")}


def write_checkpoints(
    path: Path, ends: Mapping[str, Head | Sealed], reason: str, clock: Clock = utc_now
) -> list[Checkpoint]:
    """Add the ends of some tables' chains to the file; on return the disk has them."""
    at = clock()
    new = [c for table, end in sorted(ends.items()) if (c := _made(table, end, at, reason)).seq]
    append_lines(path, map(to_line, new))
    return new


def _made(table: str, end: Head | Sealed, at: datetime, reason: str) -> Checkpoint:
    if isinstance(end, Head):
        return Checkpoint(table, end.seq, end.hash, at, reason)
    return Checkpoint(table, end.head.seq, end.head.hash, at, reason, end.first, end.seal)


def _reason(segment: Path) -> str:
    return f"segment {segment.stem} closed"


def checkpoint_segment(path: Path, segment: Path, sync: bytes, clock: Clock = utc_now) -> None:
    """Write the heads as they stood when a segment of the file log closed."""
    ends = seal_messages(lambda: segment_messages(segment, int(segment.stem), sync))
    write_checkpoints(path, of_tables(ends), _reason(segment), clock)


def checkpoint_segments(path: Path, folder: Path, sync: bytes, clock: Clock = utc_now) -> None:
    """Write what is missing: a process killed as a segment closed leaves it without."""
    closed = list_segments(folder)[:-1]
    done = _reasons(path, "segment [0-9]+ closed") if closed else set()
    for _, segment in closed:
        if _reason(segment) not in done:
            checkpoint_segment(path, segment, sync, clock)


def _reasons(path: Path, pattern: str) -> set[str]:
    """The reasons of one kind in the file, without reading what else its lines say."""
    found = re.findall(rf'"reason": "({pattern})"'.encode(), _content(path, kept=False))
    return {reason.decode() for reason in found}


def checkpoint_day(
    path: Path, day: date, ends: Mapping[str, Head | Sealed], clock: Clock = utc_now
) -> list[Checkpoint]:
    """Write the heads at the end of a gaming day."""
    return write_checkpoints(path, ends, _reason_of_day(day), clock)


def checkpoint_days(
    path: Path,
    days: Iterable[date],
    ends_of: Callable[[date], Mapping[str, Head | Sealed]],
    clock: Clock = utc_now,
) -> None:
    """Write what is missing for days that are over: a process killed there leaves one without."""
    done = _reasons(path, "gaming day [0-9-]+ ended")
    for day in days:
        if _reason_of_day(day) not in done:
            checkpoint_day(path, day, ends_of(day), clock)


def _reason_of_day(day: date) -> str:
    return f"gaming day {day.isoformat()} ended"


def checkpoint_now(
    path: Path, read: Callable[[], Iterable[Message]], clock: Clock = utc_now
) -> list[Checkpoint]:
    """Write the heads of a log as it stands, and seal what no checkpoint has sealed yet."""
    sealed = latest(c for c in load_checkpoints(path) if c.seal is not None)
    ends = seal_messages(read, {table: c.seq for table, c in sealed.items()})
    return write_checkpoints(path, of_tables(ends), "asked for", clock)


def latest(checkpoints: Iterable[Checkpoint]) -> dict[str, Checkpoint]:
    """The checkpoint that reaches farthest, per table; of several at one event a sealed one."""
    out: dict[str, Checkpoint] = {}
    for c in checkpoints:
        held = out.get(c.table)
        if held is None or (c.seq, c.seal is not None) >= (held.seq, held.seal is not None):
            out[c.table] = c
    return dict(sorted(out.items()))


def known_heads(checkpoints: Iterable[Checkpoint]) -> dict[str, dict[int, bytes]]:
    """Per table the hashes that its chain must meet, as TableChain takes them."""
    out: dict[str, dict[int, bytes]] = {}
    for checkpoint in checkpoints:
        out.setdefault(checkpoint.table, {})[checkpoint.seq] = checkpoint.head
    return out
