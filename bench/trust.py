"""What trust costs: signing, checking, and the tree over a year of five hundred tables.

    uv run python -m bench.trust                 # 182,500 leaves
    uv run python -m bench.trust --leaves 20000 --catalogue .evenhand/warehouse/audit.duckdb

Prints processor time of one core as medians, and each as a multiple of one signature, because
machines differ. The leaves are lines of checkpoints as the house writes them; the file is read, its
sealed lines picked out and the tree built, as each night does.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from events.checkpoints import Checkpoint, to_line
from events.house_log import sealed_lines
from events.runtime.digest import file_sha256
from events.trust.dsse import parse_envelope, sign_envelope
from events.trust.merkle import MerkleTree, check_consistency, check_inclusion, leaf_hash
from events.trust.note import SignerKey
from events.trust.tlog import TreeState, open_state, sign_state

TABLES = 500


def checkpoint_lines(count: int) -> list[str]:
    at = datetime(2026, 11, 15, tzinfo=UTC)
    out = []
    for n in range(count):
        digest = hashlib.sha256(n.to_bytes(8, "big")).digest()
        day, table = divmod(n, TABLES)
        reason = f"gaming day 2026-{day % 12 + 1:02d}-{day % 28 + 1:02d} ended"
        line = Checkpoint(f"RWS-PP-{table:03d}", 60_000, digest, at, reason, 1, digest)
        out.append(to_line(line))
    return out


def median(work: Callable[[], object], times: int) -> float:
    """Seconds of processor time."""
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return statistics.median(spent)


def told(name: str, seconds: float, unit: float) -> None:
    print(f"{name:<52} {seconds * 1e3:10.3f} ms   {seconds / unit:10.1f} signatures")


def signatures(key: SignerKey) -> float:
    message = b"evenhand-head-v1\nRWS-PP-07\n60000\n" + bytes(32)
    one = median(lambda: [key.sign(message) for _ in range(200)], 5) / 200
    signed, known = key.sign(message), key.verifier
    check = median(lambda: [known.verify(message, signed) for _ in range(200)], 5) / 200
    told("one signature", one, one)
    told("one check", check, one)
    payload = b"x" * 8_000
    line = sign_envelope("application/vnd.in-toto+json", payload, key).line().encode()
    told("a run's statement signed (8 kB)", median(
        lambda: sign_envelope("application/vnd.in-toto+json", payload, key).line(), 50), one
    )  # fmt: skip
    told("a run's statement read and checked",
         median(lambda: parse_envelope(line).signed_by([known]), 50), one)  # fmt: skip
    return one


def trees(path: Path, key: SignerKey, one: float, leaves: int) -> None:
    told(f"the file of {leaves:,} leaves read", median(lambda: sealed_lines(path), 3), one)
    lines = sealed_lines(path)
    told(f"the tree over {leaves:,} leaves built", median(lambda: MerkleTree(lines), 3), one)
    tree, day = MerkleTree(lines), max(leaves - TABLES, 1)
    state = TreeState(key.name, leaves, tree.root())
    note = str(sign_state(state, key))
    told("its state signed", median(lambda: sign_state(state, key), 50), one)
    told("its state checked", median(lambda: open_state(note, [key.verifier]), 50), one)
    middle = leaves // 2
    told("an inclusion proof made", median(lambda: tree.inclusion_proof(middle, leaves), 50), one)
    proof, leaf = tree.inclusion_proof(middle, leaves), leaf_hash(lines[middle])
    told("an inclusion proof checked", median(
        lambda: check_inclusion(middle, leaves, leaf, proof, state.root), 50), one
    )  # fmt: skip
    told("a consistency proof of a day made", median(
        lambda: tree.consistency_proof(day, leaves), 50), one
    )  # fmt: skip
    grown, before = tree.consistency_proof(day, leaves), tree.root(day)
    told("a consistency proof of a day checked", median(
        lambda: check_consistency(day, before, leaves, state.root, grown), 50), one
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--leaves", type=int, default=TABLES * 365)
    parser.add_argument("--catalogue", type=Path, help="the cost of its hash, at each opening")
    args = parser.parse_args()
    key = SignerKey.make("bench.example/house")
    one = signatures(key)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoints.jsonl"
        path.write_text("".join(f"{line}\n" for line in checkpoint_lines(args.leaves)), "utf-8")
        trees(path, key, one, args.leaves)
    if args.catalogue is not None:
        size = args.catalogue.stat().st_size / 2**20
        seconds = median(lambda: file_sha256(args.catalogue), 5)
        told(f"the catalogue's hash ({size:,.1f} MiB)", seconds, one)


if __name__ == "__main__":
    main()
