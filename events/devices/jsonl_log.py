"""A log that is a file of the contract's flat JSON, for looking at rounds and for `replay`.

It is written once, from the start. Messages that are no events, which only planted damage makes,
have no JSON form and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from events.codec import decode
from events.errors import ContractError, DecodeError
from events.jsonl import dumps
from events.log.base import Message, Outgoing


class JsonlLog:
    """Append only; there is nothing to read back."""

    def __init__(self, path: Path) -> None:
        self.identity = str(path)
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._written = 0

    def append(self, messages: Sequence[Outgoing]) -> None:
        for message in messages:
            try:
                line = dumps(decode(message.value))
            except (DecodeError, ContractError):
                continue
            self._file.write(line + "\n")
            self._written += 1
        self._file.flush()

    def read(self, start: Mapping[int, int]) -> Iterator[Message]:
        return iter(())

    def follow(self, start: Mapping[int, int]) -> Iterator[Message | None]:
        return iter(())

    def end(self) -> Mapping[int, int]:
        return {0: self._written}

    def close(self) -> None:
        self._file.close()
