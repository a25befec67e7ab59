"""The witness: signs what goes on from what it saw, and says loudly where two states do not fit."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from events.trust.errors import TrustError
from events.trust.keyfiles import private_from_command, read_private, write_private
from events.trust.merkle import MerkleTree
from events.trust.note import SignedNote, SignerKey
from events.trust.tlog import TreeState, cosigned_at, sign_state
from events.trust.witness import ALARMS, KEY, Witness, new_witness
from pipelines.witness.server import WitnessServer, reply_to
from pipelines.witness.submit import WitnessAddress, WitnessAwayError, ask_witness
from pipelines.witness.wire import PATH, to_body
from tests.command import evenhand

HOUSE = SignerKey.from_seed("house.example/evenhand", bytes(range(32)))
STRANGER = SignerKey.from_seed("house.example/evenhand", bytes(32))


def tree_of(size: int, *, forged: int | None = None) -> MerkleTree:
    leaves = [f"day {n}".encode() for n in range(size)]
    if forged is not None:
        leaves[forged] = b"rewritten"
    return MerkleTree(leaves)


def note_of(tree: MerkleTree, size: int | None = None, key: SignerKey = HOUSE) -> SignedNote:
    wanted = tree.size if size is None else size
    return sign_state(TreeState("house.example/evenhand", wanted, tree.root(wanted)), key)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    new_witness(tmp_path / "w", "witness.example/w1", [HOUSE.verifier])
    return tmp_path / "w"


@contextmanager
def served(folder: Path) -> Iterator[WitnessAddress]:
    witness = Witness.open(folder)
    with WitnessServer(witness, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield WitnessAddress(server.address, witness.key.cosigner)
        server.shutdown()
        thread.join()


def test_a_log_that_grows_is_signed_each_time(folder: Path) -> None:
    with served(folder) as where:
        for size in (1, 2, 7, 7, 64, 100):
            tree = tree_of(size)
            note = note_of(tree)
            signature = ask_witness(where, tree, note)
            assert cosigned_at(note.with_signatures([signature]), where.key) is not None
        with urllib.request.urlopen(where.url) as answer:
            assert b"house.example/evenhand at 100 leaves" in answer.read()
    last = Witness.open(folder).last()
    assert last is not None
    assert last.size == 100
    assert not (folder / ALARMS).exists()


def test_a_rewritten_log_is_refused_and_kept_as_a_proof(folder: Path) -> None:
    with served(folder) as where:
        ask_witness(where, tree_of(50), note_of(tree_of(50)))
        rewritten = tree_of(60, forged=10)
        with pytest.raises(TrustError, match="does not fit"):
            ask_witness(where, rewritten, note_of(rewritten))
    (alarm,) = (json.loads(line) for line in (folder / ALARMS).read_text().splitlines())
    assert alarm["checkpoint"] == str(note_of(rewritten))  # with the house's own signature
    last = Witness.open(folder).last()
    assert last is not None
    assert (last.size, last.root) == (50, tree_of(50).root())


@pytest.mark.parametrize("size", [40, 50])
def test_a_shortened_log_and_a_second_one_of_the_same_size(folder: Path, size: int) -> None:
    with served(folder) as where:
        ask_witness(where, tree_of(50), note_of(tree_of(50)))
        other = tree_of(size, forged=10)
        with pytest.raises(TrustError, match="does not fit"):
            ask_witness(where, other, note_of(other))
    assert (folder / ALARMS).exists()


def test_a_stranger_a_wrong_beginning_and_noise(folder: Path) -> None:
    witness = Witness.open(folder)
    tree = tree_of(5)
    assert reply_to(witness, to_body(0, [], str(note_of(tree, key=STRANGER)))).status == 403
    assert reply_to(witness, to_body(3, [bytes(32)], str(note_of(tree)))).status == 409
    assert reply_to(witness, to_body(9, [], str(note_of(tree)))).status == 400
    assert reply_to(witness, to_body(0, [], str(note_of(tree)))).status == 200
    wrong = reply_to(witness, to_body(2, [], str(note_of(tree))))
    assert (wrong.status, wrong.text) == (409, "5\n")
    for body in (b"", b"\xff\xff", b"old 5\n", b"old x\n\nz", b"old 1\n" + b"A\n" * 80 + b"\n"):
        assert reply_to(witness, body).status == 400
    assert not (folder / ALARMS).exists()


def test_a_witness_that_is_away_is_told_apart(folder: Path) -> None:
    key = Witness.open(folder).key.cosigner
    with pytest.raises(WitnessAwayError, match="no answer from"):
        ask_witness(WitnessAddress("http://127.0.0.1:9", key), tree_of(1), note_of(tree_of(1)))


def test_requests_that_are_none_get_a_status(folder: Path) -> None:
    with served(folder) as where:
        for path, data in ((PATH, b"x" * 300_000), ("/other", b"x")):
            request = urllib.request.Request(where.url + path, data, method="POST")
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code in {404, 413}


def test_private_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "k"
    write_private(path, HOUSE)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_private(path).verifier == HOUSE.verifier
    with pytest.raises(TrustError, match="there is a key already"):
        write_private(path, STRANGER)
    path.chmod(0o640)
    with pytest.raises(TrustError, match=r"others may read this private key \(0640\)"):
        read_private(path)


def test_a_key_from_a_command_and_commands_that_fail_tell_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "k"
    write_private(path, HOUSE)
    assert private_from_command(f"cat {path}").verifier == HOUSE.verifier
    secret = HOUSE.to_text().split("+")[-1].strip()
    for command in (f"sh -c 'cat {path}; exit 3'", f"sh -c 'cat {path} | tr P Q'", "/no/such", ""):
        with pytest.raises(TrustError) as told:
            private_from_command(command)
        assert secret not in str(told.value)


def test_the_command_makes_a_witness_and_shows_it(tmp_path: Path) -> None:
    (tmp_path / "house.keys").write_text(f"# ours\n{HOUSE.verifier}\n")
    made = evenhand(
        tmp_path, "witness", "new", "w", "--name", "witness.example/w1", "--house", "house.keys"
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("witness.example/w1+")
    shown = evenhand(tmp_path, "witness", "show", "w")
    assert (shown.returncode, shown.stdout) == (0, f"{made.stdout}nothing seen yet\n")
    again = evenhand(
        tmp_path, "witness", "new", "w", "--name", "witness.example/w1", "--house", "house.keys"
    )
    assert again.returncode == 2
    assert "there is a key already" in again.stderr
    (tmp_path / "w" / KEY).chmod(0o644)
    assert "chmod 600" in evenhand(tmp_path, "witness", "show", "w").stderr
