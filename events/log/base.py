"""What a log is: messages in partitions, each at an offset, read from a position onwards.

A message's value is the event in Avro single-object encoding, or whatever somebody sent instead:
a log keeps bytes and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from events.errors import EvenhandError


class LogError(EvenhandError):
    """A log that can't be opened, read or written. The text says where and what to do."""


class Message(NamedTuple):
    """One message and where it stands in the log.

    Where the log itself is damaged, one message stands for all that was lost there: `damage` says
    what and where, and the value is the damaged bytes as they lie on the disk. It takes the first
    lost offset; the next message may have a much higher one.

    `arrived_us`: when the log got it, in microseconds since 1970, where the log knows.
    """

    partition: int
    offset: int
    key: bytes | None
    value: bytes
    damage: str | None = None
    arrived_us: int | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message on its way into a log. The key is the table id.

    `arrived_us`: a simulated day arrives on its own day; else nobody says it beforehand.
    """

    key: bytes
    value: bytes
    arrived_us: int | None = None


class Log(Protocol):
    """Append, read, follow. `identity` tells one log from another (and from one made anew)."""

    @property
    def identity(self) -> str: ...

    def append(self, messages: Sequence[Outgoing]) -> None:
        """Write messages; what returns is durable."""

    def read(self, start: Mapping[int, int]) -> Iterator[Message]:
        """What is there now, from `start` (partition -> next offset, 0 where missing) on."""

    def follow(self, start: Mapping[int, int]) -> Iterator[Message | None]:
        """Like read, and then go on as messages arrive; yields None now and then while idle."""

    def end(self) -> Mapping[int, int]:
        """The offset after the last message, per partition."""

    def close(self) -> None:
        """Let go of files and connections."""
