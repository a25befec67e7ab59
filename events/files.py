"""Reading rounds from a file that somebody hands us: Avro object container or JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from events import codec
from events.bounds import Bounds
from events.errors import ContractError, DecodeError, InputError
from events.handed import bounds
from events.handed.text import open_handed, read_text_lines, refuse_larger
from events.jsonl import check_amounts, read_lines
from events.model import Envelope

AVRO_MAGIC = b"Obj\x01"


def read_events(path: Path, limits: Bounds | None = None) -> list[Envelope]:
    """All events of a file, or an InputError that names the line or the byte.

    The whole file is read before anything is answered, so that bad input gives no answers. An
    amount above the bound is such input; of times nothing is known here but what they say.
    """
    limits = limits or Bounds()
    with open_handed(path) as file:
        try:
            return _events_of(file, str(path), limits)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _events_of(file: BinaryIO, name: str, limits: Bounds) -> list[Envelope]:
    refuse_larger(file, name, bounds.FILE_BYTES)
    head = _peek(file, 4)
    if not head:
        raise InputError(f"{name}: expected events, found an empty file")
    if head == AVRO_MAGIC:
        return list(_read_avro(file, name, limits))
    if head[:1] not in {b"{", b" ", b"\n", b"\r", b"\t", b"["}:
        raise InputError(
            f"{name}, byte 0: expected an Avro object container or JSON Lines of events, "
            f"found {head!r}"
        )
    events = []
    for envelope in read_lines(read_text_lines(file, name), name, limits):
        events.append(envelope)
        if len(events) > bounds.EVENTS:
            says = f"expected at most {bounds.EVENTS:,} events, found more"
            raise InputError(f"{name}: {says}; hand it in in several files")
    if not events:
        raise InputError(f"{name}: expected events, found only empty lines")
    return events


def _peek(file: BinaryIO, count: int) -> bytes:
    """The first bytes, left in place: a pipe can't be read a second time."""
    head: bytes = file.peek(count)[:count]  # type: ignore[attr-defined]
    return head


def _read_avro(file: BinaryIO, name: str, limits: Bounds) -> Iterator[Envelope]:
    """Events of a container: of the event schema itself, or messages as a log or archive keeps."""
    from events.handed.avro import read_records

    for number, record in enumerate(read_records(file, name), start=1):
        yield _envelope(record, name, number, limits)


def _envelope(record: dict[str, Any], name: str, number: int, limits: Bounds) -> Envelope:
    where = f"{name}, event {number}"
    try:
        if "event" in record:
            envelope = codec.checked_envelope(record)
        else:
            envelope = codec.decode(record["value"])
        check_amounts(envelope, limits)
    except (ContractError, DecodeError) as error:
        raise InputError(f"{where}: {error}") from None
    return envelope
