"""Evidence carries the gateway's signatures that cover its round: who wrote it can be checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from events.archive.evidence import StoredMessage
from events.codec import decode, encode
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import Event, HeadSigned, ShoeStarted, TableOpened
from events.registry import TableKey, key_entry
from events.trust.note import SignerKey, known_keys
from pipelines.evidence.derive import SUMS, sums
from pipelines.evidence.material import PLAIN_FORMAT, WITH_LOG, container
from pipelines.evidence.read import read_material
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import EvidenceVerdict, verify
from pipelines.night.plain import run_day
from tests.hostile.forge import forged_round, packed
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import (
    BOOK,
    DAY,
    MORNING,
    TABLE,
    correction,
    sent,
    settings_of,
    won_round,
)
from tests.trust.kit import take_and_seal

KEY = SignerKey.from_seed(f"{TABLE}-1", bytes(range(32)))
TRUST = f"{KEY.verifier}\n"


def reported(
    gateway: Gateway, rounds: Sequence[tuple[str, Sequence[Event]]], start: datetime, step_s: int
) -> list[Outgoing]:
    """Rounds as a gateway sends them that signs when it is due."""
    at, out = start, []
    for event in (TableOpened(BOOK, "SGD"), ShoeStarted("SH-1", 8, True)):
        out += gateway.report(event, at=at, device="console")
    for name, events in rounds:
        for event in events:
            at += timedelta(seconds=step_s)
            out += gateway.report(event, at=at, device="console", round_=name)
    return out


def registry(home: Path, *keys: TableKey) -> None:
    home.mkdir(parents=True, exist_ok=True)
    told = ", ".join(map(key_entry, keys))
    (home / "tables.toml").write_text(f'[tables."{TABLE}"]\nkeys = [{told}]\n')


def house(home: Path, rounds: Sequence[tuple[str, Sequence[Event]]], *keys: TableKey) -> None:
    """A house whose gateway signs: its rounds take a minute and more, so that signatures stand in
    the middle of them too."""
    registry(home, *keys)
    take_and_seal(home, reported(Gateway(TABLE, key=KEY), rounds, MORNING, 9))


def evidence(home: Path, name: str) -> bytes:
    made = evenhand_here(home.parent, "evidence", name, "-o", "e.zip")
    assert made.returncode == 0, made.stderr
    return (home.parent / "e.zip").read_bytes()


OWN = TableKey(KEY.name, KEY.verifier.public, DAY)
ROUNDS = [(f"R-{n}", won_round(n)) for n in range(3)]


@dataclass(frozen=True)
class SignedEvidence:
    folder: Path
    content: bytes


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> SignedEvidence:
    folder = tmp_path_factory.mktemp("gateway")
    house(folder / ".evenhand", ROUNDS, OWN)
    return SignedEvidence(folder, evidence(folder / ".evenhand", "R-1"))


def judged(content: bytes, trust: str = TRUST) -> EvidenceVerdict:
    return verify(content, trusted=known_keys(trust))


def gateway_wrong(verdict: EvidenceVerdict) -> list[str]:
    """Without what the log says, which this house has not signed."""
    return [one.message for one in verdict.wrong if one.kind == "gateway"]


def repacked(content: bytes, drop: Sequence[str] = (), **members: bytes) -> bytes:
    held = {**unpack(content), **{n.replace("__", "."): c for n, c in members.items()}}
    for name in drop:
        del held[name]
    held[SUMS] = sums(held)
    return pack(held)


def test_the_gateways_key_vouches_for_every_event(given: SignedEvidence) -> None:
    alone = verify(given.content)
    assert alone.sound, alone.wrong
    m = alone.material
    assert m is not None
    assert m.gateway is not None
    types = [decode(message.value).type for message in m.gateway.messages]
    assert types == ["HeadSigned", "HeadSigned"]  # one in its middle, one at its end
    assert any(f"the gateway's key {KEY.name} signed" in note for note in alone.notes)
    assert any("by the house's word" in note for note in alone.notes)
    assert "gateway_keys" in {word.statement for word in alone.word}
    known = judged(given.content)
    assert gateway_wrong(known) == []
    assert {one.kind for one in known.wrong} <= {"signature"}  # the house has signed no log yet
    readme = unpack(given.content)["README.txt"].decode()
    assert "gateway.avro       2 events of the table between rounds" in readme


def test_the_command_holds_it_against_keys_that_are_known(given: SignedEvidence) -> None:
    settings = settings_of(given.folder / ".evenhand")
    run_day(settings, DAY, with_suites=False)
    evidence(given.folder / ".evenhand", "R-1")
    keys = evenhand_here(given.folder, "keys", "house").stdout
    gateways = evenhand_here(given.folder, "keys", "gateways").stdout
    assert gateways == TRUST
    (given.folder / "trust").write_text(keys + gateways)
    words = ("evidence", "--verify", "e.zip", "--trust", "trust")
    done = evenhand_here(given.folder, *words)
    assert done.returncode == 0, done.stdout
    assert f"the gateway's key {KEY.name}, which you trust, signed" in done.stdout
    other = SignerKey.make(KEY.name).verifier
    (given.folder / "trust").write_text(f"{keys}{other}\n")
    done = evenhand_here(given.folder, *words, "--json")
    assert done.returncode == 1
    assert "gateway" in {one["kind"] for one in json.loads(done.stdout)["wrong"]}


def test_without_its_signatures_a_file_is_not_what_a_known_key_signed(
    given: SignedEvidence,
) -> None:
    held = unpack(given.content)
    manifest = json.loads(held["manifest.json"])
    assert manifest["format"] == PLAIN_FORMAT + 2
    manifest["format"] = PLAIN_FORMAT
    plain = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    members = ("gateway.avro", "gateway.json")
    stripped = repacked(given.content, drop=members, manifest__json=plain)
    assert "gateway" not in {one.kind for one in verify(stripped).wrong}
    assert any("no key of the table's gateway" in says for says in gateway_wrong(judged(stripped)))
    assert WITH_LOG == 1


def test_a_signature_by_somebody_else_is_named(given: SignedEvidence) -> None:
    """The file says what it likes of the keys: a stranger's signature with a stranger's key."""
    m = read_material(unpack(given.content))
    assert m.gateway is not None
    first, last = m.gateway.messages
    event = decode(last.value)
    assert isinstance(event.event, HeadSigned)
    forged = encode(replace(event, event=HeadSigned(KEY.name, bytes(64))))
    messages = (first, StoredMessage(last.source, last.partition, last.offset, last.key, forged))
    content = repacked(given.content, gateway__avro=container(messages))
    wrong = verify(content).wrong
    assert {"bytes", "gateway"} <= {one.kind for one in wrong}
    assert any("is not valid" in says for says in gateway_wrong(verify(content)))


def test_a_round_made_anew_with_fitting_hashes_and_seals_is_not_signed(
    given: SignedEvidence,
) -> None:
    """The house forges its own record, with the gateway's signatures beside it or without."""
    m = read_material(unpack(given.content))
    assert m.gateway is not None
    events = [decode(message.value) for message in m.messages]
    paid = next(n for n, e in enumerate(events) if e.type == "BetSettled")
    more = replace(events[paid], event=replace(events[paid].event, winnings=9900))  # type: ignore[type-var]
    anew = forged_round(m, [*events[:paid], more, *events[paid + 1 :]])
    assert not verify(packed(anew)).sound
    forged = packed(replace(anew, gateway=replace(m.gateway, messages=())))
    alone = verify(forged)
    assert alone.sound, alone.wrong
    assert "no signature of the table's gateway in the file covers the round" in alone.notes
    assert gateway_wrong(judged(forged))


def test_verify_holds_the_registry_against_keys_that_are_known(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    house(home, ROUNDS, OWN)
    run_day(settings_of(home), DAY, with_suites=False)
    keys = evenhand_here(tmp_path, "keys", "house").stdout
    (tmp_path / "trust").write_text(keys + TRUST)
    words = ("verify", "--trust", "trust")
    done = evenhand_here(tmp_path, *words)
    assert done.returncode == 0, done.stdout
    for other in (TableKey(KEY.name, bytes(32), DAY), TableKey("new", bytes(32), DAY), None):
        registry(home, *(() if other is None else (other,)))
        swapped = evenhand_here(tmp_path, *words)
        assert swapped.returncode == 1
        assert f"unknown_key: {home / 'tables.toml'}: table {TABLE}" in swapped.stdout


def test_events_that_do_not_belong_there(given: SignedEvidence) -> None:
    m = read_material(unpack(given.content))
    content = repacked(given.content, gateway__avro=container(m.messages[:1]))
    assert any(one.member == "gateway.avro" for one in verify(content).wrong)
    for keys in (b"{}\n", b"[]\n", b"\xff", b'{"keys": [{"id": 1}], "day_start": "x"}\n'):
        (wrong,) = verify(repacked(given.content, gateway__json=keys)).wrong
        assert wrong.member == "gateway.json"


def test_a_revoked_key_vouches_for_nothing(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    house(home, ROUNDS, TableKey(KEY.name, KEY.verifier.public, DAY, None, DAY))
    content = evidence(home, "R-1")
    alone = verify(content)
    assert alone.sound, alone.wrong
    assert any("no signature of the table's gateway" in note for note in alone.notes)
    assert gateway_wrong(judged(content))


def test_without_keys_in_the_registry_who_knows_the_key_can_check(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    house(home, ROUNDS)
    content = evidence(home, "R-1")
    assert verify(content).sound
    assert gateway_wrong(judged(content)) == []
    assert gateway_wrong(judged(content, f"{SignerKey.make(KEY.name).verifier}\n"))


def test_what_comes_after_the_next_round_opened_has_a_signature_of_its_own(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    first, second = won_round(0, 3000), won_round(1)
    rounds = [("R-0", first), ("R-1", second[:3]), ("R-0", [correction()]), ("R-1", second[3:])]
    house(home, rounds, OWN)
    content = evidence(home, "R-0")
    known = judged(content)
    m = known.material
    assert m is not None
    late = m.numbers()[-1]
    alone = verify(content)
    assert alone.sound, alone.wrong
    told = next(note for note in alone.notes if note.startswith("the gateway's key"))
    assert (
        f"no signature of the gateway in the file covers event {late} of the round" in alone.notes
    )
    assert f"event {late}" not in told  # its signature lies behind events of the other round
    assert gateway_wrong(known)
    assert m.gateway is not None
    assert {decode(message.value).round for message in m.gateway.messages} == {None}


def test_a_signature_on_the_next_day(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    registry(home, OWN)
    start = MORNING + timedelta(days=1) - timedelta(seconds=2 * len(won_round()) + 1)
    gateway = Gateway(TABLE, key=KEY)
    messages = reported(gateway, [("R-0", won_round())], start, 2)
    at = MORNING + timedelta(days=1)
    moved = decode(messages[-1].value)
    assert moved.type == "HeadSigned"
    messages[-1] = Outgoing(messages[-1].key, encode(replace(moved, at=at)))
    sent(home, messages)
    content = evidence(home, "R-0")
    assert verify(content).sound
    assert gateway_wrong(judged(content)) == []
