"""The Merkle tree of a transparency log (RFC 6962): root, proofs that something is in it, and
proofs that it only grew.

A tree over a year of five hundred tables has 182,500 leaves. The hashes of its full subtrees are
kept by level, so that a proof looks up a few dozen of them and makes none anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from events.trust.errors import TrustError

EMPTY = hashlib.sha256(b"").digest()


def leaf_hash(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class MerkleTree:
    """A tree that only grows. `levels[k][n]` is the hash over leaves n * 2^k to (n + 1) * 2^k."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        for leaf in leaves:
            self.append(leaf)

    @property
    def size(self) -> int:
        return len(self._levels[0])

    def append(self, content: bytes) -> None:
        self.append_hash(leaf_hash(content))

    def append_hash(self, digest: bytes) -> None:
        level = 0
        self._levels[0].append(digest)
        while len(self._levels[level]) % 2 == 0:
            left, right = self._levels[level][-2:]
            level += 1
            if level == len(self._levels):
                self._levels.append([])
            self._levels[level].append(node_hash(left, right))

    def root(self, size: int | None = None) -> bytes:
        """The root, now or when the tree had so many leaves."""
        wanted = self.size if size is None else size
        if not 0 <= wanted <= self.size:
            raise TrustError(f"the tree has {self.size} leaves, not {wanted}")
        return EMPTY if wanted == 0 else self._over(0, wanted)

    def _over(self, first: int, end: int) -> bytes:
        """The hash over leaves `first` to before `end`; `first` is where such a subtree begins."""
        count = end - first
        level = count.bit_length() - 1
        if count == 1 << level and first % count == 0:
            return self._levels[level][first >> level]
        split = _split(count)
        return node_hash(self._over(first, first + split), self._over(first + split, end))

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """The hashes that lead from a leaf to the root of the tree of that size."""
        if not 0 <= index < size <= self.size:
            raise TrustError(f"no leaf {index} in a tree of {size}")
        return self._path(index, 0, size)

    def _path(self, index: int, first: int, end: int) -> list[bytes]:
        if end - first == 1:
            return []
        middle = first + _split(end - first)
        if index < middle:
            return [*self._path(index, first, middle), self._over(middle, end)]
        return [*self._path(index, middle, end), self._over(first, middle)]

    def consistency_proof(self, old: int, size: int) -> list[bytes]:
        """The hashes that show that the tree of `old` leaves is the beginning of the later one."""
        if not 0 <= old <= size <= self.size:
            raise TrustError(f"no tree of {old} leaves before one of {size}")
        return [] if old in {0, size} else self._grown(old, 0, size, whole=True)

    def _grown(self, old: int, first: int, end: int, *, whole: bool) -> list[bytes]:
        if old == end - first:
            return [] if whole else [self._over(first, end)]
        split = _split(end - first)
        middle = first + split
        if old <= split:
            return [*self._grown(old, first, middle, whole=whole), self._over(middle, end)]
        return [*self._grown(old - split, middle, end, whole=False), self._over(first, middle)]


def _split(count: int) -> int:
    """The largest power of two below a count."""
    return 1 << ((count - 1).bit_length() - 1)


def root_from_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """The root that a leaf's hash and its proof lead to."""
    if not 0 <= index < size:
        raise TrustError(f"a proof for leaf {index} of a tree of {size}")
    node, last, found = index, size - 1, leaf
    for digest in proof:
        if last == 0:
            raise TrustError("the proof is longer than the tree is high")
        if node % 2 or node == last:
            found = node_hash(digest, found)
            while node % 2 == 0 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, digest)
        node, last = node >> 1, last >> 1
    if last:
        raise TrustError("the proof ends before the root")
    return found


def check_inclusion(
    index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes
) -> None:
    """Silence where the leaf is in the tree of that root; else a TrustError."""
    if root_from_inclusion(index, size, leaf, proof) != root:
        raise TrustError(f"leaf {index} is not in the tree of {size} leaves")


def check_consistency(
    old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> None:
    """Silence where the older tree is the beginning of the later one; else a TrustError."""
    if old > size:
        raise TrustError(f"a tree of {size} leaves can't follow one of {old}")
    if old in {0, size}:
        if proof or (old == size and old_root != root):
            raise TrustError(f"two trees of {size} leaves are not the same")
        return
    if not proof:
        raise TrustError("a proof that the tree only grew is missing")
    node, last = old - 1, size - 1
    while node % 2:
        node, last = node >> 1, last >> 1
    rest = list(proof)
    before = after = rest.pop(0) if node else old_root
    for digest in rest:
        if last == 0:
            raise TrustError("the proof is longer than the tree is high")
        if node % 2 or node == last:
            before, after = node_hash(digest, before), node_hash(digest, after)
            while node % 2 == 0 and node:
                node, last = node >> 1, last >> 1
        else:
            after = node_hash(after, digest)
        node, last = node >> 1, last >> 1
    if last or before != old_root or after != root:
        raise TrustError(f"the tree of {size} leaves does not go on from the one of {old}")
