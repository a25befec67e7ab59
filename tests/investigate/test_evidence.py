"""Evidence stands alone: whatever is changed in it is noticed and named, forged or not."""

from __future__ import annotations

import io
import json
import random
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from events.archive.reader import Archive
from events.chain import Head
from events.checkpoints import write_checkpoints
from events.codec import body_of, decode, encode, hash_body
from events.log.base import Outgoing
from events.model import BetSettled
from events.settings import Settings, load_settings
from pipelines.evidence.derive import sums
from pipelines.evidence.make import make
from pipelines.evidence.material import container
from pipelines.evidence.read import read_material
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import NEEDED, verify
from tests.command import evenhand
from tests.events.archive_kit import MORNING, ListLog, listed, mixed, play, take
from tests.investigate.conftest import House
from tests.investigate.here import evenhand_here

NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)


def _settings(folder: Path) -> Settings:
    return load_settings({"home": str(folder)}, environ={}, folder=folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two tables; the first has a checkpoint after event 25 and one after event 81."""
    home = tmp_path_factory.mktemp("small")
    first = play("RWS-PP-01", 20)
    take(ListLog(listed(mixed(first, play("RWS-PP-02", 20)))), home / "archive")
    for seq, hour in ((25, 1), (81, 9)):
        head = Head(seq, hash_body(body_of(first[seq - 1].value)))
        clock = MORNING + timedelta(hours=hour)
        write_checkpoints(
            home / "checkpoints.jsonl", {"RWS-PP-01": head}, "for a test", lambda at=clock: at
        )
    return _settings(home)


@pytest.fixture(scope="module")
def sound(small: Settings) -> bytes:
    """Events 34 to 41 of the table: the fifth round."""
    return make(small, "RWS-PP-01-000005", frozenset(), now=NOW).content


def _resealed(members: dict[str, bytes]) -> bytes:
    """What a forger does: fitting checksums, a fresh zip."""
    return pack({**members, "SHA256SUMS": sums(members)})


def test_sound_evidence_holds_the_bytes_as_they_came(small: Settings, sound: bytes) -> None:
    verdict = verify(sound)
    assert verdict.sound, verdict.wrong
    assert list(unpack(sound)) == NEEDED
    material = read_material(unpack(sound))
    assert material.chain_seqs() == (34, 41)
    assert (material.chain[0].seq, material.chain[-1].seq) == (25, 81)
    with Archive(small.home / "archive") as archive:
        from events.archive.finder import find_round

        assert material.messages == find_round(archive, "RWS-PP-01-000005").messages
    assert "proved up to the checkpoint at event 81" in verdict.notes[0]


def test_the_same_round_gives_the_same_bytes(small: Settings, sound: bytes) -> None:
    assert make(small, "RWS-PP-01-000005", frozenset(), now=NOW).content == sound


def test_contents_that_the_proof_does_not_need_are_left_out(small: Settings, sound: bytes) -> None:
    for earlier in range(1, 5):
        assert f"RWS-PP-01-{earlier:06d}".encode() not in sound
    assert b"RWS-PP-02" not in sound
    sealed = make(small, "RWS-PP-01-000005", frozenset(), sealed=True, now=NOW).content
    for other in (*range(1, 5), *range(6, 21)):
        assert f"RWS-PP-01-{other:06d}".encode() not in sealed
    verdict = verify(sealed)
    assert verdict.sound
    assert "what lies after the round is not proved" in verdict.notes[0]


def test_a_byte_flipped_in_any_member_is_noticed(sound: bytes) -> None:
    rng = random.Random(11)
    members = unpack(sound)
    for name, content in members.items():
        for _ in range(12):
            at, bit = rng.randrange(len(content)), 1 << rng.randrange(8)
            changed = bytearray(content)
            changed[at] ^= bit
            verdict = verify(pack({**members, name: bytes(changed)}))
            assert not verdict.sound, (name, at, bit)
            assert any(name in one.message for one in verdict.wrong), (name, at, verdict.wrong)


def test_a_byte_flipped_anywhere_in_the_file_is_noticed(sound: bytes) -> None:
    rng = random.Random(12)
    for _ in range(150):
        at, bit = rng.randrange(len(sound)), 1 << rng.randrange(8)
        changed = bytearray(sound)
        changed[at] ^= bit
        assert not verify(bytes(changed)).sound, (at, bit)
    for cut in (0, 1, len(sound) // 2, len(sound) - 1):
        assert not verify(sound[:cut]).sound
    assert not verify(sound + b"\0").sound


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_member_is_named(sound: bytes, name: str) -> None:
    members = {n: c for n, c in unpack(sound).items() if n != name}
    for content in (pack(members), _resealed(members) if name != "SHA256SUMS" else pack(members)):
        verdict = verify(content)
        assert [one.message for one in verdict.wrong if one.kind == "missing"] == [
            f"{name} is missing"
        ]


def test_a_member_too_many_and_a_zip_packed_anew(sound: bytes) -> None:
    members = unpack(sound)
    (wrong,) = verify(_resealed({**members, "extra.txt": b"x"})).wrong
    assert (wrong.kind, wrong.member) == ("unexpected", "extra.txt")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    (wrong,) = verify(out.getvalue()).wrong
    assert wrong.kind == "repacked"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("answer.json", "answer"),
        ("findings.json", "findings"),
        ("rulebook.json", "rulebook"),
        ("round.html", "page"),
        ("README.txt", "readme"),
        ("schema.v1.avsc", "schema"),
    ],
)
def test_what_follows_from_the_bytes_cannot_be_forged(sound: bytes, name: str, kind: str) -> None:
    members = unpack(sound)
    text = members[name].decode()
    forged = text.replace("2", "3", 1)
    assert forged != text
    wrong = verify(_resealed({**members, name: forged.encode()})).wrong
    assert [one.kind for one in wrong] == [kind]


def _forge_payment(members: dict[str, bytes]) -> dict[str, bytes]:
    """A payment of 25.00 made into one of 250.00, with its own hash put right in the chain."""
    material = read_material(members)
    messages = list(material.messages)
    chain = members["chain.txt"].decode()
    for n, message in enumerate(messages):
        envelope = decode(message.value)
        if isinstance(envelope.event, BetSettled):
            paid = BetSettled(1, 1, "P1", "initial", 2500, 2500, 25000, "final")
            value = encode(type(envelope)(paid, *_rest(envelope)))
            old, new = hash_body(body_of(message.value)), hash_body(body_of(value))
            chain = chain.replace(old.hex(), new.hex())
            messages[n] = message._replace(value=value)
    return {**members, "round.avro": container(messages), "chain.txt": chain.encode()}


def _rest(e: object) -> tuple[object, ...]:
    return tuple(getattr(e, n) for n in ("round", "table", "seq", "at", "device", "prev"))


def test_a_forged_payment_breaks_the_chain_to_the_checkpoint(sound: bytes) -> None:
    verdict = verify(_resealed(_forge_payment(unpack(sound))))
    assert "the chain is broken at event 41" in " ".join(one.message for one in verdict.wrong)


def test_an_event_cut_out_of_the_round_is_noticed(sound: bytes) -> None:
    members = unpack(sound)
    material = read_material(members)
    lines = [str(line) for line in material.chain if line.seq != 36]
    kept = [m for m, seq in zip(material.messages, range(34, 42), strict=True) if seq != 36]
    cut = {**members, "round.avro": container(kept)}
    cut["chain.txt"] = "".join(f"{line}\n" for line in lines).encode()
    messages = [one.message for one in verify(_resealed(cut)).wrong]
    assert "the chain is cut: event 36 missing between 35 and 37" in messages


def test_another_checkpoint_than_the_chain_s(sound: bytes, small: Settings) -> None:
    members = unpack(sound)
    text = members["checkpoints.jsonl"].decode()
    second = json.loads(text.splitlines()[1])["head"]
    forged = text.replace(second, "ab" * 32)
    wrong = verify(_resealed({**members, "checkpoints.jsonl": forged.encode()})).wrong
    assert wrong[0].kind == "checkpoint"
    assert "the chain does not meet the checkpoint at event 81" in wrong[0].message


def test_a_kept_copy_of_the_checkpoints_decides(
    small: Settings, sound: bytes, tmp_path: Path
) -> None:
    """A house that rewrote its whole chain has fitting checkpoints of its own, but not the copy."""
    path = tmp_path / "e.zip"
    path.write_bytes(sound)
    own = small.home / "checkpoints.jsonl"
    good = evenhand_here(tmp_path, "evidence", "--verify", str(path), "--checkpoints", str(own))
    assert good.returncode == 0, good.stdout
    kept = tmp_path / "kept.jsonl"
    last = json.loads(own.read_text().splitlines()[-1])
    kept.write_text(json.dumps({**last, "head": "cd" * 32}) + "\n")
    bad = evenhand_here(tmp_path, "evidence", "--verify", str(path), "--checkpoints", str(kept))
    assert bad.returncode == 1
    assert "the kept copy has another hash for event 81" in bad.stdout


def test_before_the_next_checkpoint_it_reaches_to_the_head_and_says_so(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 6))), tmp_path / "archive", now=MORNING)
    made = make(_settings(tmp_path), "RWS-PP-01-000002", frozenset(), now=NOW)
    assert (made.material.begins, made.material.ends) == ("start", "head")
    verdict = verify(made.content)
    assert verdict.sound
    assert verdict.notes == (
        "no checkpoint after the round exists yet: proved only up to event 49, the newest when it "
        "was sealed",
    )
    assert b"No checkpoint after the round exists yet" in unpack(made.content)["README.txt"]


def test_a_gap_before_the_next_checkpoint_is_said(tmp_path: Path) -> None:
    sent = play("RWS-PP-01", 10)
    take(ListLog(listed([*sent[:60], *sent[61:]])), tmp_path / "archive")
    head = Head(81, hash_body(body_of(sent[80].value)))
    write_checkpoints(tmp_path / "checkpoints.jsonl", {"RWS-PP-01": head}, "for a test")
    made = make(_settings(tmp_path), "RWS-PP-01-000002", frozenset(), now=NOW)
    assert made.material.ends == "break"
    verdict = verify(made.content)
    assert verdict.sound
    assert verdict.notes == ("the table's record is broken after event 60: proved up to there",)


def test_bytes_in_quarantine_keep_their_place_in_the_chain(tmp_path: Path) -> None:
    """An event with a schema that nobody here knows lies in quarantine; the next names its hash."""
    sent = play("RWS-PP-01", 10)
    unknown = Outgoing(sent[60].key, b"\xc3\x01" + bytes(8) + body_of(sent[60].value))
    take(ListLog(listed([*sent[:60], unknown, *sent[61:]])), tmp_path / "archive")
    head = Head(81, hash_body(body_of(sent[80].value)))
    write_checkpoints(tmp_path / "checkpoints.jsonl", {"RWS-PP-01": head}, "for a test")
    made = make(_settings(tmp_path), "RWS-PP-01-000002", frozenset(), now=NOW)
    assert made.material.ends == "checkpoint"
    assert verify(made.content).sound


def test_the_command_as_typed_on_another_machine(house: House, tmp_path: Path) -> None:
    planted = house.planted("wrong_odds")
    path = tmp_path / "case.zip"
    made = evenhand(house.folder, "evidence", planted["round"], "-o", str(path))
    assert (made.returncode, made.stdout) == (0, "")
    assert f"round {planted['round']}" in made.stderr
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    checked = evenhand(empty, "evidence", "--verify", str(path))
    assert checked.returncode == 0
    assert checked.stdout.startswith(f"sound: round {planted['round']} at {planted['table']}\n")
    assert list(empty.iterdir()) == []
    answer = json.loads(unpack(path.read_bytes())["answer.json"])
    assert [f["kind"] for f in answer["findings"]] == ["wrong_odds"]
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(bytes(changed))
    bad = evenhand(empty, "evidence", "--verify", str(path), "--json")
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["verdict"] == "not sound"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "which round, and into which file?"),
        (["RWS-PP-01-000001"], "which round, and into which file?"),
        (["X", "--verify", "x.zip"], "--verify FILE.zip stands alone"),
        (["--verify", "x.zip"], "x.zip: there is no such file"),
        (["RWS-PP-99", "-o", "x.zip"], "the archive does not know it"),
        (["RWS-PP-99", "-o", "no/folder/x.zip"], "there is no folder no/folder"),
    ],
)
def test_what_users_get_wrong(house: House, args: list[str], says: str) -> None:
    done = evenhand_here(house.folder, "evidence", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_evidence_of_another_version_is_held_to_its_lines(
    sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.evidence.verify.software_fingerprint", lambda: "0" * 64)
    members = unpack(sound)
    page = {**members, "round.html": members["round.html"] + b" "}
    verdict = verify(_resealed(page))
    assert verdict.sound
    assert "round.html was made by another version of Evenhand" in " ".join(verdict.notes)
    answer = members["answer.json"].replace(b'"winnings": 2500', b'"winnings": 9900')
    (wrong,) = verify(_resealed({**members, "answer.json": answer})).wrong
    assert wrong.kind == "answer"
    book = json.loads(members["rulebook.json"])
    other = json.dumps({**book, "fingerprint": "ab" * 32}, indent=1, ensure_ascii=False) + "\n"
    (wrong,) = verify(_resealed({**members, "rulebook.json": other.encode()})).wrong
    assert "the rulebook here has another fingerprint" in wrong.message
