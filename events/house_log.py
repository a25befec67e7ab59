"""The house's transparency log: the sealed lines of its checkpoints as the leaves of one tree.

    checkpoints.jsonl     the leaves: each line with a seal, in order, without its line end
    tlog/checkpoint       the newest state that the house signed, with its witnesses' signatures
    tlog/NUMBER.note      the last state that the witness with that key signed

Files of the house that only grow (the chain of runs, what people did, the findings' history) are
sealed by lines of their own, so that whoever signs the tree signs for them too.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from events.chain import Head
from events.checkpoints import Checkpoint, latest, load_checkpoints, write_checkpoints
from events.runtime.durable import write_whole
from events.runtime.lines import read_lines
from events.runtime.modes import make_folder, open_file
from events.seal import Sealed
from events.trust.errors import TrustError
from events.trust.merkle import MerkleTree
from events.trust.note import NoteSignature, SignedNote, SignerKey, VerifierKey, parse_note
from events.trust.tlog import TreeState, parse_state, sign_state

GROWING = {
    "#runs": "runs.jsonl",
    "#people": "people/log.jsonl",
    "#access": "people/access.jsonl",
    "#findings": "finding_history.jsonl",
    "#tables": "tables_history.jsonl",
}
"""Files of lines that are sealed, by the name that stands where a table's would."""
_SEALED = b'"seal": "'


def sealed_lines(checkpoints: Path) -> list[bytes]:
    """The leaves of the log."""
    return [line for line in read_lines(checkpoints) if _SEALED in line]


def seal_growing(home: Path, checkpoints: Path, reason: str) -> list[Checkpoint]:
    """Write a checkpoint of each file that has grown since its last one."""
    known = latest(load_checkpoints(checkpoints, tables=GROWING, quarantine=True))
    ends = {
        name: sealed
        for name, file in GROWING.items()
        if (sealed := _sealed(home / file)) is not None
        and (name not in known or known[name].seq != sealed.head.seq)
    }
    return write_checkpoints(checkpoints, ends, reason) if ends else []


def _sealed(path: Path) -> Sealed | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        os.fsync(file.fileno())  # what is sealed must still be there after the power failed
    lines = read_lines(path)
    if not lines:
        return None
    head = Head(len(lines), hashlib.sha256(lines[-1]).digest())
    return Sealed(1, head, hashlib.sha256(b"\n".join(lines) + b"\n").digest())


def growing_problems(home: Path, kept: Iterable[Checkpoint]) -> Iterator[str]:
    """What is wrong with these files, by the checkpoints that sealed them."""
    by_name: dict[str, list[Checkpoint]] = {}
    for c in kept:
        if c.table in GROWING and c.seal is not None:
            by_name.setdefault(c.table, []).append(c)
    for name, some in by_name.items():
        path = home / GROWING[name]
        yield from _prefixes(path, read_lines(path), sorted(some, key=lambda c: (c.seq, c.at)))


def _prefixes(path: Path, lines: list[bytes], sealed: list[Checkpoint]) -> Iterator[str]:
    digest, done, good = hashlib.sha256(), 0, 0
    for c in sealed:
        when = f"since {c.at:%Y-%m-%d %H:%M:%S} UTC ({c.reason})"
        if c.seq > len(lines):
            yield f"{path}: {c.seq} lines were sealed {when}, found {len(lines)}: it was cut"
            return
        digest.update(b"".join(line + b"\n" for line in lines[done : c.seq]))
        done = c.seq
        if digest.copy().digest() != c.seal:
            yield f"{path}: of the lines {good + 1} to {c.seq} one was changed {when}"
            return
        good = c.seq


@dataclass(frozen=True, slots=True)
class HouseLog:
    """The log of one home."""

    home: Path
    checkpoints: Path

    @property
    def folder(self) -> Path:
        return self.home / "tlog"

    def tree(self) -> MerkleTree:
        return MerkleTree(sealed_lines(self.checkpoints))

    def newest(self) -> SignedNote | None:
        """The newest state that the house signed."""
        return _read_note(self.folder / "checkpoint")

    def advance(self, key: SignerKey, reason: str) -> tuple[MerkleTree, SignedNote]:
        """Seal what has grown and sign the state as it is now; one process at a time."""
        make_folder(self.folder)
        fd = open_file(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            seal_growing(self.home, self.checkpoints, reason)
            tree = self.tree()
            return tree, self._sign(tree, key)
        finally:
            os.close(fd)

    def _sign(self, tree: MerkleTree, key: SignerKey) -> SignedNote:
        """Only what goes on from the state that was signed before."""
        before = self.newest()
        if before is not None:
            old = parse_state(before.text)
            if old.size > tree.size or tree.root(old.size) != old.root:
                raise TrustError(
                    f"{self.checkpoints}: it does not go on from the {old.size} sealed lines that "
                    f"the house signed before ({self.folder / 'checkpoint'}): one was changed or "
                    f"taken away; nothing new is signed until it is as it was"
                )
            if (old.size, old.origin) == (tree.size, key.name):
                return before
        note = sign_state(TreeState(key.name, tree.size, tree.root()), key)
        write_whole(self.folder / "checkpoint", str(note).encode())
        return note

    def keep(self, note: SignedNote, witness: VerifierKey, signature: NoteSignature) -> SignedNote:
        """Keep a witness's signature under a state; answers the state with it."""
        signed = note.with_signatures([signature])
        write_whole(self._of(witness), str(signed).encode())
        newest = self.newest()
        if newest is not None and newest.text == note.text:
            signed = newest.with_signatures([signature])
            write_whole(self.folder / "checkpoint", str(signed).encode())
        return signed

    def signed_by(self, witness: VerifierKey) -> SignedNote | None:
        """The last state that a witness signed, as it was kept here."""
        return _read_note(self._of(witness))

    def states(self) -> list[SignedNote]:
        """Every state that was kept: the newest first, then those of witnesses."""
        found = [self.newest(), *map(_read_note, sorted(self.folder.glob("*.note")))]
        return [note for note in found if note is not None]

    def _of(self, witness: VerifierKey) -> Path:
        return self.folder / f"{witness.number.hex()}.note"


def _read_note(path: Path) -> SignedNote | None:
    try:
        return parse_note(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError, TrustError) as error:
        raise TrustError(f"{path}: expected a signed state of the house's log: {error}") from None


def places(leaves: Iterable[bytes]) -> Mapping[bytes, int]:
    """Where each leaf stands; of the same one twice the first."""
    out: dict[bytes, int] = {}
    for index, leaf in enumerate(leaves):
        out.setdefault(leaf, index)
    return out
