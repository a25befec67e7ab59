"""Notes, trees and cosignatures: against published values, Go's code, and forgers."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.trust.errors import TrustError
from events.trust.merkle import (
    EMPTY,
    MerkleTree,
    check_consistency,
    check_inclusion,
    leaf_hash,
)
from events.trust.note import SignerKey, known_keys, open_note, parse_note, sign_note, verifier_key
from events.trust.tlog import TreeState, cosign, cosigned_at, open_state, parse_state, sign_state
from tests.trust.interop import ask

SEED = bytes(range(32))
HOUSE = SignerKey.from_seed("house.example/evenhand", SEED)
WITNESS = SignerKey.from_seed("witness.example/w1", bytes(reversed(range(32))))
AT = datetime(2026, 11, 18, 6, 30, tzinfo=UTC)

# the eight leaves of the test vectors that RFC 6962 implementations share, and their roots
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657",
                 "606162636465666768696a6b6c6d6e6f")
]  # fmt: skip
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def test_roots_are_those_of_the_published_vectors() -> None:
    tree = MerkleTree(LEAVES)
    assert {size: tree.root(size).hex() for size in range(9)} == ROOTS
    assert tree.root(0) == EMPTY


@given(st.integers(1, 70), st.data())
def test_every_leaf_and_every_beginning_is_proved(size: int, data: st.DataObject) -> None:
    leaves = [bytes([n]) * (n % 5) for n in range(size)]
    tree = MerkleTree(leaves)
    old = data.draw(st.integers(0, size))
    index = data.draw(st.integers(0, size - 1))
    root = tree.root()
    check_inclusion(index, size, leaf_hash(leaves[index]), tree.inclusion_proof(index, size), root)
    proof = tree.consistency_proof(old, size)
    check_consistency(old, tree.root(old), size, root, proof)
    with pytest.raises(TrustError):
        check_inclusion(index, size, leaf_hash(b"other"), tree.inclusion_proof(index, size), root)
    if 0 < old < size:
        other = MerkleTree([b"forged", *leaves[1:]]).root(old)
        with pytest.raises(TrustError):
            check_consistency(old, other, size, root, proof)
        with pytest.raises(TrustError):
            check_consistency(old, tree.root(old), size, root, proof[:-1])
        with pytest.raises(TrustError):
            check_consistency(old, tree.root(old), size, root, [*proof, EMPTY])


def test_a_note_is_opened_by_the_key_that_signed_it() -> None:
    signed = sign_note("one line\nanother\n", HOUSE)
    note, by = open_note(str(signed), [HOUSE.verifier])
    assert (note.text, by) == ("one line\nanother\n", [HOUSE.verifier])
    assert verifier_key(str(HOUSE.verifier)) == HOUSE.verifier
    assert SignerKey.from_text(HOUSE.to_text()).verifier == HOUSE.verifier
    with pytest.raises(TrustError, match="none of the known keys"):
        open_note(str(signed), [WITNESS.verifier])
    with pytest.raises(TrustError, match="does not fit"):
        open_note(str(signed).replace("another", "anothes"), [HOUSE.verifier])


def test_a_private_key_is_in_no_words_about_it() -> None:
    told = f"{HOUSE!r} {HOUSE}"
    assert base64.b64encode(SEED).decode()[:10] not in told
    assert "Ed25519PrivateKey" not in told


BAD_NOTES = {
    "": "expected an empty line",
    "text\n": "expected an empty line",
    "text\n\nname blob\n": "no signature",
    "text\n\n\N{EM DASH} name !!\n": "not base64",
    "text\n\n\N{EM DASH} name AAAA\n": "too short",
    "te\x1bxt\n\n\N{EM DASH} name AAAAAAAA\n": "control characters",
    "text\n\n" + "\N{EM DASH} name AAAAAAAA\n" * 101: "more signatures",
}


@pytest.mark.parametrize("content", BAD_NOTES)
def test_what_is_no_note_is_said_in_one_sentence(content: str) -> None:
    with pytest.raises(TrustError, match=BAD_NOTES[content]):
        parse_note(content)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for read in (parse_note, parse_state, known_keys, verifier_key, SignerKey.from_text):
        try:
            read(text)
        except TrustError as error:
            assert "\n" not in str(error)  # noqa: PT017 - most texts are refused, some are not


@pytest.mark.parametrize("size", ["-1", "01", "+1", "1e3", "", "9" * 19, "\u0661"])
def test_a_size_is_plain_decimal(size: str) -> None:
    root = base64.b64encode(EMPTY).decode()
    with pytest.raises(TrustError, match="size in decimal"):
        parse_state(f"origin\n{size}\n{root}\n")


def test_a_cosignature_holds_for_its_text_its_time_and_its_witness() -> None:
    state = TreeState("house.example/evenhand", 8, bytes.fromhex(ROOTS[8]))
    note = sign_state(state, HOUSE)
    both = note.with_signatures([cosign(note, WITNESS, AT)])
    again = parse_note(str(both))
    assert open_state(str(both), [HOUSE.verifier])[0] == state
    assert cosigned_at(again, WITNESS.cosigner) == AT
    assert cosigned_at(note, WITNESS.cosigner) is None
    other = sign_state(TreeState(state.origin, 7, bytes.fromhex(ROOTS[7])), HOUSE)
    moved = other.with_signatures([cosign(note, WITNESS, AT)])
    with pytest.raises(TrustError, match="does not fit the checkpoint"):
        cosigned_at(moved, WITNESS.cosigner)


def b64(digests: list[bytes]) -> list[str]:
    return [base64.b64encode(digest).decode() for digest in digests]


@pytest.mark.parametrize(("old", "size"), [(1, 2), (3, 8), (8, 8), (5, 70), (64, 100), (99, 100)])
def test_go_verifies_our_checkpoints_and_proofs(old: int, size: int) -> None:
    leaves = [f"leaf {n}".encode() for n in range(size)]
    tree = MerkleTree(leaves)
    notes = [
        str(sign_state(TreeState(HOUSE.name, n, tree.root(n)), HOUSE)) for n in (old, size)
    ]  # fmt: skip
    inclusions = [
        {
            "index": index,
            "leaf": base64.b64encode(leaves[index]).decode(),
            "proof": b64(tree.inclusion_proof(index, size)),
        }
        for index in {0, size // 2, size - 1}
    ]
    given = {
        "key": str(HOUSE.verifier),
        "note": notes[1],
        "old": notes[0],
        "consistency": b64(tree.consistency_proof(old, size)),
        "inclusions": inclusions,
    }
    done = ask("go", **given)
    assert (done.stdout, done.stderr) == ("ok\n", "")
    inclusions[0]["leaf"] = base64.b64encode(b"forged").decode()
    assert ask("go", **given).returncode == 1


def test_we_open_what_go_signs() -> None:
    done = ask("go", sign_with=HOUSE.to_text().strip(), text="by Go\n")
    assert open_note(done.stdout, [HOUSE.verifier])[0].text == "by Go\n"


def test_other_code_verifies_our_cosignatures() -> None:
    state = TreeState(HOUSE.name, 8, bytes.fromhex(ROOTS[8]))
    note = sign_state(state, HOUSE)
    both = note.with_signatures([cosign(note, WITNESS, AT)])
    done = ask("cosign", key=str(WITNESS.cosigner), note=str(both))
    assert (done.stdout, done.stderr) == (f"{int(AT.timestamp())}\n", "")
    forged = str(both).replace("\n8\n", "\n9\n")
    assert ask("cosign", key=str(WITNESS.cosigner), note=forged).returncode == 1
