"""A witness: keeps the last state of a house's log that it saw, and signs what goes on from it.

It runs where the house can't write, with a key and a state of its own. A house that rewrote its
archive can make every file anew, and still can't show that the new log grew out of the one that
was witnessed. Then the witness refuses, and says so loudly.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from events.runtime.durable import sync_folder, write_all, write_whole
from events.trust.errors import TrustError
from events.trust.keyfiles import read_known_keys, read_private, write_private
from events.trust.merkle import check_consistency
from events.trust.note import NoteSignature, SignerKey, VerifierKey, open_note, parse_note
from events.trust.tlog import TreeState, cosign, parse_state

KEY, HOUSE, LAST, ALARMS = "witness.key", "house.keys", "checkpoint", "alarms.jsonl"

Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)


class UnknownHouseError(TrustError):
    """A checkpoint that no key of the house has signed."""


class OtherSizeError(TrustError):
    """The proof begins elsewhere than where this witness stands."""

    def __init__(self, size: int) -> None:
        super().__init__(f"this witness stands at {size} leaves")
        self.size = size


class SplitViewError(TrustError):
    """Two states of one log that do not fit: the log was rewritten, or shown in two ways."""


@dataclass(frozen=True, slots=True)
class Witness:
    """One witness for one house, with its folder."""

    folder: Path
    key: SignerKey
    house: tuple[VerifierKey, ...]
    now: Clock = _utc_now

    @classmethod
    def open(cls, folder: Path, now: Clock = _utc_now) -> Witness:
        house = tuple(read_known_keys(folder / HOUSE))
        return cls(folder, read_private(folder / KEY), house, now)

    def last(self) -> TreeState | None:
        """The last state that it signed."""
        path = self.folder / LAST
        if not path.exists():
            return None
        try:
            return parse_state(parse_note(path.read_text("utf-8")).text)
        except (OSError, UnicodeError, TrustError) as error:
            raise TrustError(f"{path}: the witness's own state can't be read: {error}") from None

    def add(self, old: int, proof: Sequence[bytes], checkpoint: str) -> NoteSignature:
        """Sign a newer state, once the proof shows that it goes on from the last."""
        try:
            note, _ = open_note(checkpoint, self.house)
        except TrustError as error:
            raise UnknownHouseError(str(error)) from None
        state = parse_state(note.text)
        if old > state.size:
            raise TrustError(f"a proof from {old} leaves to {state.size} goes backwards")
        with self._alone():
            last = self.last()
            self._fits(last, old, proof, state, checkpoint)
            signature = cosign(note, self.key, self.now())
            if last is None or state.size > last.size:
                signed = note.with_signatures([signature])
                write_whole(self.folder / LAST, str(signed).encode())
            return signature

    def _fits(
        self,
        last: TreeState | None,
        old: int,
        proof: Sequence[bytes],
        state: TreeState,
        checkpoint: str,
    ) -> None:
        if last is None:
            if old or proof:
                raise OtherSizeError(0)
            return
        if last.origin != state.origin:
            raise UnknownHouseError(f"this witness is for {last.origin}, not for {state.origin}")
        if state.size < last.size or (state.size == last.size and state.root != last.root):
            self.alarm(state, f"it had seen {last.size} leaves with another root", checkpoint)
        if old != last.size:
            raise OtherSizeError(last.size)
        try:
            check_consistency(old, last.root, state.size, state.root, proof)
        except TrustError as error:
            self.alarm(state, str(error), checkpoint)

    def alarm(self, state: TreeState, why: str, checkpoint: str) -> None:
        """Keep the checkpoint that does not fit, with the house's own signature, as the proof."""
        says = f"{state.origin} showed a state of {state.size} leaves that does not fit: {why}"
        at = self.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        row: dict[str, Any] = {"at": at, "says": says, "checkpoint": checkpoint}
        path = self.folder / ALARMS
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        try:
            write_all(fd, (json.dumps(row, ensure_ascii=False) + "\n").encode())
            os.fsync(fd)
        finally:
            os.close(fd)
        sync_folder(self.folder)
        raise SplitViewError(says)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One checkpoint at a time, also where two processes serve one folder."""
        fd = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def new_witness(folder: Path, name: str, house: Sequence[VerifierKey]) -> VerifierKey:
    """Make a witness's folder; answers the key by which others know it."""
    key = SignerKey.make(name)
    write_private(folder / KEY, key)
    text = "".join(f"{one}\n" for one in house)
    write_whole(folder / HOUSE, text.encode())
    return key.cosigner
