"""Evidence leads from its round's seal to a state of the house's log that others have signed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from events.house_log import HouseLog, sealed_lines
from events.trust.merkle import MerkleTree
from events.trust.note import SignerKey, known_keys
from events.trust.tlog import TreeState, parse_state, sign_state
from pipelines.evidence.derive import SUMS, sums
from pipelines.evidence.material import PLAIN_FORMAT
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import EvidenceVerdict, verify
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, TABLE
from tests.trust.interop import ask
from tests.trust.kit import (
    NEXT,
    audit,
    house_key,
    take_and_seal,
    two_days,
    witness_process,
    witnessed_house,
)

ROUND = f"{TABLE}-000002"


@dataclass(frozen=True)
class Given:
    """The house, the evidence of its first round, and the keys that somebody has of it."""

    home: Path
    content: bytes
    trust: str

    def verdict(self, content: bytes | None = None, trust: str | None = None) -> EvidenceVerdict:
        keys = known_keys(self.trust if trust is None else trust)
        return verify(self.content if content is None else content, trusted=keys)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Given]:
    folder = tmp_path_factory.mktemp("evidence-log")
    home = folder / ".evenhand"
    key = house_key(home)
    with witness_process(folder / "witness", key) as witness:
        witnessed_house(home, witness)
        take_and_seal(home, two_days())
        audit(home, DAY, NEXT)
        made = evenhand_here(folder, "evidence", ROUND, "-o", "e.zip")
        assert made.returncode == 0, made.stderr
        yield Given(home, (folder / "e.zip").read_bytes(), f"{key}\n{witness.key}\n")


def changed(content: bytes, **members: bytes) -> bytes:
    """The file with other members, its checksums put right."""
    held = {**unpack(content), **{n.replace("__", "."): c for n, c in members.items()}}
    held[SUMS] = sums(held)
    return pack(held)


def test_it_is_signed_by_the_house_and_seen_by_a_witness(given: Given, tmp_path: Path) -> None:
    verdict = given.verdict()
    assert verdict.sound, verdict.wrong
    assert any("signed by a key that you trust" in note for note in verdict.notes)
    assert any("regulator.example/w1 signed that state at" in note for note in verdict.notes)
    alone = verify(given.content)
    assert alone.sound
    assert any("by that house's own word" in note for note in alone.notes)
    (tmp_path / "e.zip").write_bytes(given.content)
    (tmp_path / "t").write_text(given.trust)
    asked = evenhand_here(tmp_path, "evidence", "--verify", "e.zip", "--trust", "t", "--json")
    assert (asked.returncode, json.loads(asked.stdout)["verdict"]) == (0, "sound")


def test_keys_that_nobody_trusts_and_states_that_do_not_fit(given: Given) -> None:
    stranger = SignerKey.make("evenhand/house-0")
    other = given.verdict(trust=f"{stranger.verifier}\n")
    assert [w.kind for w in other.wrong] == ["signature"]
    witness = SignerKey.make("regulator.example/w2").cosigner
    house = given.trust.splitlines()[0]
    unseen = given.verdict(trust=f"{house}\n{witness}\n")
    assert [w.kind for w in unseen.wrong] == ["witness"]
    note = unpack(given.content)["checkpoint.note"].decode()
    state = parse_state(note.partition("\n\n")[0] + "\n")
    forged = sign_state(TreeState(state.origin, state.size, bytes(32)), stranger)
    keys = json.loads(unpack(given.content)["inclusion.json"]) | {"keys": [str(stranger.verifier)]}
    proofs = (json.dumps(keys, indent=1) + "\n").encode()
    content = changed(given.content, checkpoint__note=str(forged).encode(), inclusion__json=proofs)
    assert [w.kind for w in verify(content).wrong] == ["log"]
    assert given.verdict(content).wrong[0].kind == "signature"


def test_without_its_log_a_file_is_as_before_and_nothing_that_is_trusted(given: Given) -> None:
    held = unpack(given.content)
    manifest = json.loads(held["manifest.json"]) | {"format": PLAIN_FORMAT}
    held["manifest.json"] = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    del held["checkpoint.note"], held["inclusion.json"]
    stripped = changed(pack(held))
    assert [w.kind for w in verify(stripped).wrong] == ["readme"]  # which tells of the log
    assert "signature" in [w.kind for w in given.verdict(stripped).wrong]


BROKEN = [
    b"{}\n", b"[]\n", b'{"keys": [], "seals": [{"seq": 1, "index": 0, "hashes": ["x"]}]}\n',
    b'{"keys": 5, "seals": 5}\n', b"\xff", b'{"keys": [], "seals": [1]}\n',
]  # fmt: skip


@pytest.mark.parametrize("proofs", BROKEN)
def test_proofs_that_are_none_are_named(given: Given, proofs: bytes) -> None:
    (wrong,) = verify(changed(given.content, inclusion__json=proofs)).wrong
    assert (wrong.kind, wrong.member) == ("changed", "inclusion.json")
    for content in (b"", b"\xff\xfe", b"no note\n"):
        assert not verify(changed(given.content, checkpoint__note=content)).sound


def test_go_checks_the_log_of_a_real_home(given: Given) -> None:
    """Note, inclusion of every leaf in question, and consistency with an earlier state."""
    log = HouseLog(given.home, given.home / "checkpoints.jsonl")
    leaves = sealed_lines(log.checkpoints)
    tree = MerkleTree(leaves)
    newest = log.newest()
    assert newest is not None
    state = parse_state(newest.text)
    key = SignerKey.from_text((given.home / "keys" / "house.key").read_text())
    old = sign_state(TreeState(state.origin, 2, tree.root(2)), key)
    inside = json.loads(unpack(given.content)["inclusion.json"])["seals"]
    assert unpack(given.content)["checkpoint.note"].decode() == str(newest)
    seals = unpack(given.content)["checkpoints.jsonl"].splitlines()
    inclusions = [
        {"index": p["index"], "leaf": base64.b64encode(seal).decode(), "proof": p["hashes"]}
        for p, seal in zip(inside, seals, strict=True)
    ]
    text = {
        "key": str(key.verifier),
        "note": str(newest),
        "old": str(old),
        "consistency": [
            base64.b64encode(h).decode() for h in tree.consistency_proof(2, state.size)
        ],
    }
    done = ask("go", **text, inclusions=inclusions)
    assert (done.stdout, done.stderr) == ("ok\n", "")
    witness = known_keys(given.trust)[1]
    cosigned = ask("cosign", key=str(witness), note=str(newest))
    assert cosigned.stdout.strip().isdigit(), cosigned.stderr
