"""Checkpoints: what a table's chain looked like at a moment, written down to be kept elsewhere.

A chain shows every change but one: cut off at its end, it is a shorter chain that is whole. And
whoever can rewrite the log can rewrite what lies beside it. So the heads are written down when a
segment closes and when a gaming day ends, and somebody carries a copy away.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from events.chain import Head
from events.contract import parse_time, show
from events.durable import sync_folder, write_all
from events.errors import ContractError, EvenhandError, InputError
from events.gateway import heads_of
from events.log.reader import segment_messages
from events.log.segment import list_segments

_HEX64 = re.compile(r"[0-9a-f]{64}")

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One table's chain at a moment: so many events, and the hash of the last."""

    table: str
    seq: int
    head: bytes
    at: datetime
    reason: str


def utc_now() -> datetime:
    """The time by this machine's clock."""
    return datetime.now(UTC)


def to_line(checkpoint: Checkpoint) -> str:
    """A checkpoint as a line of the file, without the line's end."""
    return json.dumps(
        {
            "table": checkpoint.table,
            "seq": checkpoint.seq,
            "head": checkpoint.head.hex(),
            "at": checkpoint.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "reason": checkpoint.reason,
        },
        ensure_ascii=False,
    )


def checkpoint_from_line(line: str) -> Checkpoint:
    """A line of the file as the checkpoint it was made from, or a ContractError."""
    try:
        flat = json.loads(line)
    except ValueError:
        raise ContractError(f"expected a checkpoint as JSON, found {line[:40]!r}") from None
    names = ("table", "seq", "head", "at", "reason")
    if not isinstance(flat, dict) or set(flat) != set(names):
        raise ContractError(f"expected a checkpoint with {', '.join(names)}, found {line[:40]!r}")
    table, seq, head = flat["table"], flat["seq"], flat["head"]
    if not isinstance(table, str) or type(seq) is not int or seq < 1:
        raise ContractError("expected a table's name and a seq from 1 on")
    if not isinstance(head, str) or not _HEX64.fullmatch(head):
        raise ContractError(f"head: expected 64 lower-case hex digits, found {show(head)}")
    at, reason = parse_time(flat["at"]), str(flat["reason"])
    return Checkpoint(table, seq, bytes.fromhex(head), at, reason)


def load_checkpoints(path: Path, *, kept: bool = False) -> list[Checkpoint]:
    """The checkpoints of a file. `kept`: a copy from elsewhere, which must exist and be whole.

    In the house's own file a last line without its end was never acknowledged and does not count.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if not kept:
            return []
        raise InputError(f"{path}: expected a file of checkpoints, found none") from None
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from None
    if not kept:
        content = content[: content.rfind(b"\n") + 1]
    out = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            out.append(checkpoint_from_line(line.decode("utf-8")))
        except (ContractError, UnicodeDecodeError) as error:
            raise InputError(f"{path}, line {number}: {error}") from None
    if kept and not out:
        raise InputError(f"{path}: expected checkpoints, found an empty file")
    return out


def write_checkpoints(
    path: Path, heads: Mapping[str, Head], reason: str, clock: Clock = utc_now
) -> list[Checkpoint]:
    """Add the heads of some tables to the file; on return the disk has them."""
    at = clock()
    new = [Checkpoint(t, h.seq, h.hash, at, reason) for t, h in sorted(heads.items()) if h.seq]
    text = "".join(to_line(c) + "\n" for c in new).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        _append(fd, text)
        sync_folder(path.parent)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None
    finally:
        os.close(fd)
    return new


def _append(fd: int, text: bytes) -> None:
    """After the last whole line: half a line is what a killed process left."""
    end = _end_of_lines(fd)
    os.ftruncate(fd, end)
    os.lseek(fd, end, os.SEEK_SET)
    try:
        write_all(fd, text)
    except OSError:
        os.ftruncate(fd, end)
        raise
    os.fsync(fd)


def _end_of_lines(fd: int) -> int:
    start = size = os.fstat(fd).st_size
    while start > 0:
        start = max(0, start - 65536)
        found = os.pread(fd, size - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def _reason(segment: Path) -> str:
    return f"segment {segment.stem} closed"


def checkpoint_segment(path: Path, segment: Path, sync: bytes, clock: Clock = utc_now) -> None:
    """Write the heads as they stood when a segment of the file log closed."""
    heads = heads_of(segment_messages(segment, int(segment.stem), sync))
    write_checkpoints(path, heads, _reason(segment), clock)


def checkpoint_segments(path: Path, folder: Path, sync: bytes, clock: Clock = utc_now) -> None:
    """Write what is missing: a process killed as a segment closed leaves it without."""
    closed = list_segments(folder)[:-1]
    done = {c.reason for c in load_checkpoints(path)} if closed else set()
    for _, segment in closed:
        if _reason(segment) not in done:
            checkpoint_segment(path, segment, sync, clock)


def checkpoint_day(
    path: Path, day: date, heads: Mapping[str, Head], clock: Clock = utc_now
) -> list[Checkpoint]:
    """Write the heads at the end of a gaming day."""
    return write_checkpoints(path, heads, f"gaming day {day.isoformat()} ended", clock)


def latest(checkpoints: Iterable[Checkpoint]) -> dict[str, Checkpoint]:
    """The checkpoint that reaches farthest, per table."""
    out: dict[str, Checkpoint] = {}
    for checkpoint in checkpoints:
        held = out.get(checkpoint.table)
        if held is None or checkpoint.seq >= held.seq:
            out[checkpoint.table] = checkpoint
    return dict(sorted(out.items()))


def known_heads(checkpoints: Iterable[Checkpoint]) -> dict[str, dict[int, bytes]]:
    """Per table the hashes that its chain must meet, as TableChain takes them."""
    out: dict[str, dict[int, bytes]] = {}
    for checkpoint in checkpoints:
        out.setdefault(checkpoint.table, {})[checkpoint.seq] = checkpoint.head
    return out


def contradictions(kept: Sequence[Checkpoint], own: Sequence[Checkpoint]) -> list[str]:
    """Where the house's own file says something else than a copy that was kept elsewhere."""
    ours = known_heads(own)
    out = []
    for c in kept:
        found = ours.get(c.table, {}).get(c.seq)
        if found is None:
            out.append(f"table {c.table}: the checkpoint at event {c.seq} is gone from our file")
        elif found != c.head:
            out.append(
                f"table {c.table}, event {c.seq}: the kept copy has hash {c.head.hex()[:16]}, "
                f"our file {found.hex()[:16]}"
            )
    return out
