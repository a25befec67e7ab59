"""Reading rounds from a file that somebody hands us: Avro object container or JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from events import codec
from events.errors import ContractError, DecodeError, InputError
from events.jsonl import read_lines
from events.model import Envelope

AVRO_MAGIC = b"Obj\x01"


def read_events(path: Path) -> list[Envelope]:
    """All events of a file, or an InputError that names the line or the byte.

    The whole file is read before anything is answered, so that bad input gives no answers.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: expected a file, found a folder") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if not head:
        raise InputError(f"{path}: expected events, found an empty file")
    if head == AVRO_MAGIC:
        return list(_read_avro(path))
    if head[:1] not in {b"{", b" ", b"\n", b"\r", b"\t", b"["}:
        raise InputError(
            f"{path}, byte 0: expected an Avro object container or JSON Lines of events, "
            f"found {head!r}"
        )
    with path.open("rb") as file:
        events = list(read_lines(file, str(path)))
    if not events:
        raise InputError(f"{path}: expected events, found only empty lines")
    return events


def _read_avro(path: Path) -> Iterator[Envelope]:
    """Events of a container: of the event schema itself, or messages as a log or archive keeps."""
    import fastavro

    with path.open("rb") as file:
        try:
            blocks = fastavro.block_reader(file, return_record_name=True)
            count = 0
            for block in blocks:
                for record in block:
                    count += 1
                    yield _envelope(record, path, count)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - fastavro raises whatever its C code met
            at = file.tell()
            text = str(error) or "it ends in the middle of a block"
            raise InputError(f"{path}, byte {at}: not a whole Avro file: {text}") from None


def _envelope(record: Any, path: Path, number: int) -> Envelope:
    where = f"{path}, event {number}"
    if not isinstance(record, dict):
        raise InputError(f"{where}: expected an event record, found {type(record).__name__}")
    try:
        if "event" in record:
            return codec.checked_envelope(record)
        if isinstance(record.get("value"), bytes):
            return codec.decode(record["value"])
    except (ContractError, DecodeError) as error:
        raise InputError(f"{where}: {error}") from None
    except (KeyError, TypeError) as error:
        raise InputError(f"{where}: not a record of the event schema: {error}") from None
    raise InputError(f"{where}: expected a record of the event schema, found other fields")
