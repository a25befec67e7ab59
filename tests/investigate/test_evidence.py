"""Evidence stands alone: whatever is changed in it is noticed and named, forged or not."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from events.archive.heads import sealed_day
from events.archive.reader import Archive
from events.chain import Head
from events.checkpoints import (
    Checkpoint,
    checkpoint_day,
    load_checkpoints,
    to_line,
    write_checkpoints,
)
from events.codec import body_of, current_schema, decode, encode, hash_body
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import BetPlaced, BetSettled, SettlementCorrected, ShoeStarted, TableOpened
from events.seal import Entry, entry_of, seal_messages, seal_of
from events.settings import Settings, load_settings
from pipelines.evidence.derive import all_members, sums
from pipelines.evidence.make import make
from pipelines.evidence.material import Material, Unsealed, container
from pipelines.evidence.read import read_material
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import NEEDED, EvidenceVerdict, verify
from tests.command import evenhand
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    ListLog,
    listed,
    mixed,
    round_events,
    take,
)
from tests.investigate.conftest import DAY as PLAYED
from tests.investigate.conftest import House
from tests.investigate.here import evenhand_here

NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)
TABLE = "RWS-PP-01"
FIFTH = "RWS-PP-01-000005"
SCHEMA = f"schema.v{current_schema().version}.avsc"


def _settings(folder: Path) -> Settings:
    return load_settings({"home": str(folder)}, environ={}, folder=folder)


def _play(table: str, rounds: int, gateway: Gateway | None = None) -> list[Outgoing]:
    """A table opens, starts a shoe and plays: round n has the events 8n - 5 to 8n + 2, and a player
    of its own."""
    gateway = gateway or Gateway(table)
    at = MORNING
    opened, shoe = TableOpened("pontoon-plus-rws-v5", "SGD"), ShoeStarted("SH-1", 8, True)
    out = [gateway.send(e, at=at, device="console") for e in (opened, shoe)]
    for n in range(1, rounds + 1):
        for event in round_events():
            at += timedelta(seconds=2)
            if isinstance(event, BetPlaced | BetSettled):
                event = replace(event, player=f"player-{n:03d}")  # noqa: PLW2901
            out.append(gateway.send(event, at=at, device="console", round_=f"{table}-{n:06d}"))
    return out


def _seal(home: Path, messages: Sequence[Outgoing], hour: int = 1) -> list[Checkpoint]:
    """A checkpoint as a segment of the log with these messages leaves it."""
    ends = seal_messages(lambda: listed(messages))
    at = MORNING + timedelta(hours=hour)
    return write_checkpoints(home / "checkpoints.jsonl", ends, "for a test", lambda: at)


def _make(home: Path, round_id: str = FIFTH, kept: Path | None = None) -> tuple[Material, bytes]:
    made = make(_settings(home), round_id, frozenset(), now=NOW, kept=kept)
    return made.material, made.content


def _kinds(verdict: EvidenceVerdict) -> list[str]:
    return [one.kind for one in verdict.wrong]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two tables; of the first, checkpoints sealed the events 1 to 26 and 27 to 82."""
    home = tmp_path_factory.mktemp("small")
    first = _play(TABLE, 20)
    take(ListLog(listed(mixed(first, _play("RWS-PP-02", 20)))), home / "archive")
    _seal(home, first[:26], hour=1)
    _seal(home, first[26:82], hour=9)
    return _settings(home)


@pytest.fixture(scope="module")
def kept(small: Settings) -> list[Checkpoint]:
    """What somebody carried away in time."""
    return load_checkpoints(small.checkpoints_file)


@pytest.fixture(scope="module")
def sound(small: Settings) -> bytes:
    """Events 35 to 42 of the table: the fifth round."""
    return _make(small.home)[1]


def _resealed(members: dict[str, bytes]) -> bytes:
    """What a forger does: fitting checksums, a fresh zip."""
    return pack({**members, "SHA256SUMS": sums(members)})


def test_sound_evidence_holds_the_bytes_as_they_came(small: Settings, sound: bytes) -> None:
    verdict = verify(sound)
    assert verdict.sound, verdict.wrong
    assert sorted(unpack(sound)) == sorted([*NEEDED, SCHEMA])
    material = read_material(unpack(sound))
    assert material.numbers() == list(range(35, 43))
    assert [entry.seq for entry in material.chain] == list(range(1, 83))
    with Archive(small.home / "archive") as archive:
        from events.archive.finder import find_round

        assert material.messages == find_round(archive, FIFTH).messages
    assert [decode(m.value).event for m in material.beside] == [ShoeStarted("SH-1", 8, True)]
    first, second = material.checkpoints
    assert verdict.notes == (
        f"events 1 to 26 are the ones that the checkpoint of 2026-03-09 23:00:00 UTC sealed: "
        f"{(first.seal or b'').hex()}",
        f"events 27 to 82 are the ones that the checkpoint of 2026-03-10 07:00:00 UTC sealed: "
        f"{(second.seal or b'').hex()}",
        "compare it with a copy kept outside the casino: --checkpoints FILE does",
    )


def test_the_same_round_gives_the_same_bytes(small: Settings, sound: bytes) -> None:
    assert _make(small.home)[1] == sound


def test_nobody_else_s_contents_are_in_the_file(sound: bytes) -> None:
    """The zip does not compress, so its bytes show everything that any member holds."""
    assert b"player-005" in sound
    for other in [n for n in range(1, 21) if n != 5]:
        assert f"{TABLE}-{other:06d}".encode() not in sound
        assert f"player-{other:03d}".encode() not in sound
    assert b"RWS-PP-02" not in sound


def test_nobody_else_s_contents_in_a_played_house(house: House) -> None:
    for planted in (house.planted("wrong_odds"), house.planted("missed_void")):
        _, content = _make(house.folder / ".evenhand", planted["round"])
        assert verify(content).sound
        with Archive(house.archive) as archive:
            day = date.fromisoformat(PLAYED)
            events = archive.read_tables(day, archive.tables_of(day), ("round", "player"))
        pairs = set(zip(events["round"].to_pylist(), events["player"].to_pylist(), strict=True))
        own = {player for round_, player in pairs if round_ == planted["round"]}
        rounds = {round_ for round_, _ in pairs} - {None, planted["round"]}
        players = {player for _, player in pairs} - own - {None}
        assert len(rounds) > 150
        assert len(players) > 10
        assert [name for name in rounds | players if name.encode() in content] == []


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


def test_a_byte_flipped_by_somebody_who_puts_the_checksums_right(sound: bytes) -> None:
    """What the proof does not rest on may then be changed unnoticed: where in the log an event lay,
    and by which version the file was made."""
    rng = random.Random(13)
    members = unpack(sound)
    for name in [n for n in members if n != "SHA256SUMS"]:
        for _ in range(5):
            at, bit = rng.randrange(len(members[name])), 1 << rng.randrange(8)
            changed = bytearray(members[name])
            changed[at] ^= bit
            verdict = verify(_resealed({**members, name: bytes(changed)}))
            if name not in {"manifest.json", "round.avro", "beside.avro"}:
                assert not verdict.sound, (name, at, bit)


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_member_is_named(sound: bytes, name: str) -> None:
    members = {n: c for n, c in unpack(sound).items() if n != name}
    for content in (pack(members), _resealed(members) if name != "SHA256SUMS" else pack(members)):
        verdict = verify(content)
        assert [one.message for one in verdict.wrong if one.kind == "missing"] == [
            f"{name} is missing"
        ]


def test_the_schema_of_the_events_is_needed(sound: bytes) -> None:
    members = {n: c for n, c in unpack(sound).items() if n != SCHEMA}
    for content in (pack(members), _resealed(members)):
        assert {one.kind for one in verify(content).wrong} == {"missing"}


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
        (SCHEMA, "schema"),
    ],
)
def test_what_follows_from_the_bytes_cannot_be_forged(sound: bytes, name: str, kind: str) -> None:
    members = unpack(sound)
    text = members[name].decode()
    forged = text.replace("2", "3", 1)
    assert forged != text
    wrong = verify(_resealed({**members, name: forged.encode()})).wrong
    assert [one.kind for one in wrong] == [kind]


def _paid_more(m: Material) -> Material:
    """A payment of 25.00 made into one of 250.00, with its own hash put right in the chain."""
    place = next(n for n, one in enumerate(m.messages) if _is_payment(one.value))
    event = decode(m.messages[place].value)
    assert isinstance(event.event, BetSettled)
    forged = replace(event, event=replace(event.event, winnings=25_000))
    return _put(m, place, encode(forged))


def _is_payment(value: bytes) -> bool:
    return isinstance(decode(value).event, BetSettled)


def _put(m: Material, place: int, value: bytes) -> Material:
    """Other bytes for one event of the round, and their hash in the chain."""
    old, new = entry_of(m.messages[place].value), entry_of(value)
    assert old is not None
    assert new is not None
    messages = list(m.messages)
    messages[place] = messages[place]._replace(value=value)
    chain = [new[1] if entry == old[1] else entry for entry in m.chain]
    return replace(m, messages=tuple(messages), chain=tuple(chain))


def _chained_anew(m: Material) -> Material:
    """Every event of the round names the hash of the one before it again."""
    for place in range(1, len(m.messages)):
        before = hash_body(body_of(m.messages[place - 1].value))
        event = replace(decode(m.messages[place].value), prev=before)
        m = _put(m, place, encode(event))
    return m


def _sealed_anew(m: Material) -> Material:
    """The checkpoints put right, as a house can do that has nothing else to fear."""
    new = []
    for c in m.checkpoints:
        lines = [entry for entry in m.chain if c.seals(entry.seq)]
        new.append(replace(c, seal=seal_of(lines), head=lines[-1].hash))
    return replace(m, checkpoints=tuple(new))


def _packed(m: Material) -> bytes:
    """The forged file with fitting answer, page and checksums."""
    return pack(all_members(m))


def test_a_changed_byte_of_the_round_has_another_hash(sound: bytes) -> None:
    members = unpack(sound)
    forged = _paid_more(read_material(members))
    verdict = verify(_resealed({**members, "round.avro": container(forged.messages)}))
    assert verdict.wrong[0][:2] == ("bytes", "round.avro")
    says = "event 41: its bytes in round.avro do not have the hash of the chain"
    assert verdict.wrong[0].message == says


def test_a_forged_payment_with_its_hash_put_right(sound: bytes) -> None:
    verdict = verify(_packed(_paid_more(read_material(unpack(sound)))))
    assert _kinds(verdict) == ["chain", "seal"]
    assert "the chain is broken at event 42" in verdict.wrong[0].message
    assert "events 27 to 82 do not give the seal of the checkpoint at event 82" in str(
        verdict.wrong[1]
    )


def test_a_forged_payment_with_the_round_chained_anew(sound: bytes) -> None:
    verdict = verify(_packed(_chained_anew(_paid_more(read_material(unpack(sound))))))
    assert _kinds(verdict) == ["seal"]
    assert verdict.wrong[0].message.endswith("one of the hashes was changed, or the seal")


def test_a_forger_who_puts_everything_right_is_noticed_by_a_kept_copy(
    sound: bytes, kept: list[Checkpoint]
) -> None:
    """A house that rewrites its own checkpoints agrees with itself, and not with the copy."""
    forged = _packed(_sealed_anew(_chained_anew(_paid_more(read_material(unpack(sound))))))
    assert verify(forged).sound
    verdict = verify(forged, kept)
    assert [one.message for one in verdict.wrong] == [
        "the kept copy has another seal for the checkpoint at event 82"
    ]
    assert verdict.notes == ()


def test_an_event_of_the_round_given_as_a_hash_only(sound: bytes) -> None:
    """The seal fits, but the tag says whose event it is."""
    m = read_material(unpack(sound))
    verdict = verify(_packed(replace(m, messages=m.messages[:2] + m.messages[3:])))
    assert _kinds(verdict) == ["cut"]
    says = "the chain's tags give event 37 to the round, without bytes in the file"
    assert verdict.wrong[0].message == says


def test_an_event_of_the_round_given_to_nobody(sound: bytes, kept: list[Checkpoint]) -> None:
    m = read_material(unpack(sound))
    chain = [e._replace(tag="-") if e.seq == 37 else e for e in m.chain]
    forged = replace(m, messages=m.messages[:2] + m.messages[3:], chain=tuple(chain))
    assert _kinds(verify(_packed(forged))) == ["seal"]
    assert "checkpoint" in _kinds(verify(_packed(_sealed_anew(forged)), kept))


def test_an_event_dropped_and_the_others_renumbered(sound: bytes, kept: list[Checkpoint]) -> None:
    m = read_material(unpack(sound))
    events = [decode(one.value) for n, one in enumerate(m.messages) if n != 2]
    values = [encode(replace(e, seq=n)) for n, e in enumerate(events, start=35)]
    messages = [m.messages[n]._replace(value=value) for n, value in enumerate(values)]
    own = [found[1] for value in values if (found := entry_of(value)) is not None]
    later = [e._replace(seq=e.seq - 1) for e in m.chain if e.seq > 42]
    chain = [*(e for e in m.chain if e.seq < 35), *own, *later]
    forged = _chained_anew(replace(m, messages=tuple(messages), chain=tuple(chain)))
    found = verify(_packed(forged))
    assert _kinds(found) == ["cut", "checkpoint"]
    assert found.wrong[0].message.startswith("the chain is cut: event 82 missing in it, and the")
    assert "checkpoint" in _kinds(verify(_packed(_sealed_anew(forged)), kept))


def test_a_late_correction_that_is_left_out(tmp_path: Path) -> None:
    """What came with the round's id long after it belongs to it, and nobody can hide it."""
    gateway = Gateway(TABLE)
    sent = _play(TABLE, 8, gateway)
    corrected = SettlementCorrected(
        1, 1, "player-005", "initial", 2500, 2500, 0, "final", "paid too much"
    )
    sent.append(gateway.send(corrected, at=MORNING, device="console", round_=FIFTH))
    take(ListLog(listed(sent)), tmp_path / "archive")
    _seal(tmp_path, sent)
    m, content = _make(tmp_path)
    assert verify(content).sound
    assert m.numbers() == [*range(35, 43), 67]
    assert f"{TABLE}-000006".encode() not in content  # it began in between
    verdict = verify(_packed(replace(m, messages=m.messages[:-1])))
    assert [one.message for one in verdict.wrong] == [
        "the chain's tags give event 67 to the round, without bytes in the file"
    ]


def _with_chain(sound: bytes, lines: list[Entry]) -> bytes:
    members = unpack(sound)
    text = "".join(f"{line}\n" for line in lines)
    return _resealed({**members, "chain.txt": text.encode()})


def test_a_later_event_s_hash_changed_cut_out_or_added(sound: bytes) -> None:
    chain = list(read_material(unpack(sound)).chain)
    at = next(n for n, entry in enumerate(chain) if entry.seq == 60)
    other = Entry(60, b"\x07" * 32, chain[at].tag)
    changed = verify(_with_chain(sound, [*chain[:at], other, *chain[at + 1 :]]))
    assert [one for one in _kinds(changed) if one != "readme"] == ["seal"]
    cut = verify(_with_chain(sound, [*chain[:at], *chain[at + 1 :]]))
    assert cut.wrong[0].kind == "cut"
    assert cut.wrong[0].message.startswith("the chain is cut: event 60 missing in it, and the")
    added = verify(_with_chain(sound, sorted([*chain, other])))
    assert added.wrong[0].kind == "added"
    assert "event 60 stands twice in it" in added.wrong[0].message
    beyond = verify(_with_chain(sound, [*chain, Entry(83, b"\x07" * 32, "-")]))
    assert beyond.wrong[0].kind == "added"
    says = "event 83 of the chain lies outside of what the checkpoints seal"
    assert beyond.wrong[0].message == says
    moved = verify(_with_chain(sound, [*chain[:at], chain[at + 1], chain[at], *chain[at + 2 :]]))
    assert moved.wrong[0].message == "the lines of the chain are not in their order"


@pytest.mark.parametrize(("field", "kind"), [("seal", "seal"), ("head", "checkpoint")])
def test_another_checkpoint_than_the_chain_s(sound: bytes, field: str, kind: str) -> None:
    m = read_material(unpack(sound))
    forged = replace(m.checkpoints[1], **{field: b"\xab" * 32})  # type: ignore[arg-type]
    verdict = verify(_packed(replace(m, checkpoints=(m.checkpoints[0], forged))))
    assert _kinds(verdict) == [kind]


def test_a_checkpoint_left_out(sound: bytes, kept: list[Checkpoint]) -> None:
    m = read_material(unpack(sound))
    bare = replace(m, checkpoints=m.checkpoints[:1])
    assert [one.message for one in verify(_packed(bare)).wrong] == [
        "event 27 of the chain lies outside of what the checkpoints seal",
        "no checkpoint in the file seals events 35 to 42",
    ]
    open_ = _packed(replace(bare, unsealed=Unsealed(27, 82, False)))
    assert verify(open_).notes[0].startswith("no checkpoint vouches for events 35 to 42")
    assert verify(open_, kept).sound  # all that the kept seal needs is there all the same
    shorter = [entry for entry in m.chain if entry.seq <= 60]
    cut = replace(bare, chain=tuple(shorter), unsealed=Unsealed(27, 60, True))
    assert _kept_says(_packed(cut), kept) == [
        "the kept copy has a checkpoint of 2026-03-10 07:00:00 UTC that sealed events 27 to 82, "
        "and this file leaves it out: ask for evidence that rests on it"
    ]


def _kept_says(sound: bytes, kept: list[Checkpoint]) -> list[str]:
    return [one.message for one in verify(sound, kept).wrong]


def test_a_kept_copy_decides(sound: bytes, kept: list[Checkpoint]) -> None:
    first, second = kept
    assert verify(sound, kept).notes[-1] == (
        "the kept copy has the same, and nothing that contradicts it"
    )
    assert _kept_says(sound, [first]) == [
        "the kept copy has no checkpoint at event 82, so it can't vouch for this file: ask for "
        "evidence that rests on one it has"
    ]
    other = replace(second, head=b"\xcd" * 32)
    assert _kept_says(sound, [first, other]) == [
        "the kept copy has another hash for the checkpoint at event 82",
        "the chain's hash of event 82 is not the one that was kept",
    ]
    assert _kept_says(sound, [first, replace(second, first=None, seal=None)]) == [
        "the kept copy has another seal for the checkpoint at event 82"
    ]
    assert _kept_says(sound, [first, replace(second, at=second.at + timedelta(1))]) == [
        "the kept copy has another time or reason for the checkpoint at event 82"
    ]
    midway = replace(second, seq=50, head=b"\xcd" * 32, first=None, seal=None)
    assert _kept_says(sound, [*kept, midway]) == [
        "the chain's hash of event 50 is not the one that was kept"
    ]
    elsewhere = replace(midway, table="RWS-PP-02")
    assert _kept_says(sound, [*kept, elsewhere]) == []


def test_a_kept_copy_as_typed(
    small: Settings, sound: bytes, kept: list[Checkpoint], tmp_path: Path
) -> None:
    path, copy = tmp_path / "e.zip", tmp_path / "kept.jsonl"
    path.write_bytes(sound)
    copy.write_bytes(small.checkpoints_file.read_bytes())
    args = ("evidence", "--verify", str(path), "--checkpoints", str(copy))
    assert evenhand_here(tmp_path, *args).returncode == 0
    copy.write_text("".join(to_line(replace(c, seal=b"\xcd" * 32)) + "\n" for c in kept))
    bad = evenhand_here(tmp_path, *args)
    assert bad.returncode == 1
    assert bad.stdout.startswith(f"NOT SOUND: round {FIFTH} at {TABLE}\n")
    assert (
        "  checkpoint: the kept copy has another seal for the checkpoint at event 82\n"
        in bad.stdout
    )


def test_what_was_sealed_before_counts_more_than_a_later_seal(
    sound: bytes, kept: list[Checkpoint]
) -> None:
    """A house that changes its record seals it anew; the copy has both seals."""
    forged = _sealed_anew(_chained_anew(_paid_more(read_material(unpack(sound)))))
    later = replace(forged.checkpoints[1], at=kept[1].at + timedelta(hours=1))
    forged = replace(forged, checkpoints=(forged.checkpoints[0], later))
    (says,) = _kept_says(_packed(forged), [*kept, later])
    assert says.startswith(
        "the hashes of events 27 to 82 do not give the seal of the kept checkpoint at event 82, "
        "written 2026-03-10 07:00:00 UTC"
    )


def test_a_changed_round_sealed_anew_by_itself(sound: bytes, kept: list[Checkpoint]) -> None:
    """A house could seal only what it changed, and have the copy keep that too."""
    m = _chained_anew(_paid_more(read_material(unpack(sound))))
    own = [entry for entry in m.chain if 35 <= entry.seq <= 42]
    at = kept[1].at + timedelta(hours=1)
    anew = replace(kept[1], seq=42, head=own[-1].hash, at=at, first=35, seal=seal_of(own))
    start = [entry for entry in m.chain if entry.seq <= 26]
    forged = replace(m, chain=(*start, *own), checkpoints=(kept[0], anew))
    assert verify(_packed(forged)).sound
    (says,) = _kept_says(_packed(forged), [*kept, anew])
    assert "sealed events 27 to 82, and this file leaves it out" in says


def test_what_was_sealed_first_is_chosen_and_a_round_may_lie_in_two(tmp_path: Path) -> None:
    sent = _play(TABLE, 20)
    take(ListLog(listed(sent)), tmp_path / "archive")
    for first, last in ((1, 38), (39, 70), (71, 162)):
        _seal(tmp_path, sent[first - 1 : last])
    path = tmp_path / "checkpoints.jsonl"
    whole = checkpoint_day(path, DAY, sealed_day(tmp_path / "archive", DAY), lambda: LONG_AFTER)
    m, content = _make(tmp_path)  # events 35 to 42
    assert [(c.first, c.seq) for c in m.checkpoints] == [(1, 38), (39, 70)]
    assert verify(content).sound
    last, content = _make(tmp_path, f"{TABLE}-000020")
    assert [(c.first, c.seq) for c in last.checkpoints] == [(1, 38), (71, 162)]
    assert [entry.seq for entry in last.chain] == [*range(1, 39), *range(71, 163)]
    verdict = verify(content)
    assert verdict.sound
    assert not any("lacks" in note for note in verdict.notes)
    only_days = tmp_path / "kept.jsonl"
    only_days.write_text(path.read_text().splitlines()[-1] + "\n")
    m, content = _make(tmp_path, kept=only_days)
    assert list(m.checkpoints) == whole
    assert verify(content, whole).sound


def test_before_the_next_checkpoint_it_reaches_to_the_newest_event_and_says_so(
    tmp_path: Path,
) -> None:
    sent = _play(TABLE, 6)
    take(ListLog(listed(sent)), tmp_path / "archive", now=MORNING)
    m, content = _make(tmp_path)
    assert m.unsealed == (1, 50, True)
    verdict = verify(content)
    assert verdict.sound
    assert verdict.notes == (
        "no checkpoint vouches for events 35 to 42 yet: the chain is given as hashes up to event "
        "50, the newest at that time",
        "no checkpoint vouches for the start of the shoe, event 2: its bytes are here, its place "
        "is not proved",
    )
    members = unpack(content)
    assert b"No checkpoint vouches for events 35 to 42 of the round yet" in members["README.txt"]
    assert b"no checkpoint vouches for events 35 to 42" in members["round.html"]
    for other in (1, 2, 3, 4, 6):
        assert f"player-{other:03d}".encode() not in content
    later = _seal(tmp_path, sent)
    seal = (later[0].seal or b"").hex()
    assert verify(content, later).notes[0] == (
        f"events 1 to 50 are the ones that the checkpoint of 2026-03-09 23:00:00 UTC sealed: {seal}"
        ", which only the kept copy has"
    )
    (says,) = _kept_says(content, [replace(later[0], seal=b"\xcd" * 32)])
    assert says.startswith("the hashes of events 1 to 50 do not give the seal of the kept")


def test_a_round_of_which_only_the_beginning_is_sealed(tmp_path: Path) -> None:
    sent = _play(TABLE, 6)
    take(ListLog(listed(sent)), tmp_path / "archive", now=MORNING)
    _seal(tmp_path, sent[:38])
    m, content = _make(tmp_path)
    assert m.unsealed == (38, 50, True)
    verdict = verify(content)
    assert verdict.sound
    assert verdict.notes[0].startswith("no checkpoint vouches for events 39 to 42 yet")
    assert verdict.notes[1].startswith("events 1 to 38 are the ones that the checkpoint")


def test_a_checkpoint_without_a_seal_vouches_for_no_round(tmp_path: Path) -> None:
    sent = _play(TABLE, 10)
    take(ListLog(listed(sent)), tmp_path / "archive")
    head = Head(82, hash_body(body_of(sent[81].value)))
    path = tmp_path / "checkpoints.jsonl"
    own = write_checkpoints(path, {TABLE: head}, "the gateway's own count", lambda: MORNING)
    m, content = _make(tmp_path)
    assert m.unsealed == (1, 82, False)
    verdict = verify(content, own)
    assert verdict.sound
    assert verdict.notes[0] == (
        "no checkpoint vouches for events 35 to 42: the next one, at event 82, did not seal them; "
        "the chain is given as hashes up to event 82"
    )
    assert (
        b"Without them a forger could have made the round anew"
        in " ".join(unpack(content)["README.txt"].decode().split()).encode()
    )
    chain = [e._replace(hash=b"\x07" * 32) if e.seq == 82 else e for e in m.chain]
    assert _kinds(verify(_packed(replace(m, chain=tuple(chain))))) == ["checkpoint"]


def test_a_gap_in_the_record_is_sealed_as_a_gap(tmp_path: Path) -> None:
    sent = _play(TABLE, 10)
    take(ListLog(listed([*sent[:60], *sent[61:]])), tmp_path / "archive")
    path = tmp_path / "checkpoints.jsonl"
    checkpoint_day(path, DAY, sealed_day(tmp_path / "archive", DAY))
    m, content = _make(tmp_path)
    verdict = verify(content)
    assert verdict.sound
    assert verdict.notes[-1] == "the table's record lacks event 61"
    readme = unpack(content)["README.txt"]
    assert b"What stood in event 61: the table's record lacks that." in readme
    found = entry_of(sent[60].value)
    assert found is not None
    filled = sorted([*m.chain, found[1]])
    assert _kinds(verify(_packed(replace(m, chain=tuple(filled))))) == ["seal"]


def test_what_claims_a_number_later_does_not_undo_a_seal(tmp_path: Path) -> None:
    """A gateway that begins to count anew, and rubbish that bears an old number."""
    sent = _play(TABLE, 10)
    _seal(tmp_path, sent)
    event = decode(sent[40].value)
    other = encode(dataclasses.replace(event, device="layout"))
    rubbish = sent[50].value[:-1]
    came = [*sent, Outgoing(sent[0].key, other), Outgoing(sent[0].key, rubbish)]
    take(ListLog(listed(came)), tmp_path / "archive")
    m, content = _make(tmp_path)
    assert verify(content).sound
    assert len(m.beside) == 1


def test_what_bears_the_round_s_id_and_does_not_count_is_there_too(tmp_path: Path) -> None:
    sent = _play(TABLE, 10)
    event = decode(sent[40].value)
    other = encode(dataclasses.replace(event, device="layout"))
    unreadable = encode(dataclasses.replace(event, seq=83))[:-1]
    came = [*sent[:41], Outgoing(sent[0].key, other), *sent[41:]]
    came += [Outgoing(sent[0].key, unreadable), *_play(TABLE, 11)[82:]]
    take(ListLog(listed(came)), tmp_path / "archive")
    _seal(tmp_path, came)
    m, content = _make(tmp_path)
    verdict = verify(content)
    assert verdict.sound, verdict.wrong
    assert {one.value for one in m.beside} == {sent[1].value, other, unreadable}
    assert verdict.notes[-1].startswith("2 more with the round's id in beside.avro")
    without = replace(m, beside=tuple(one for one in m.beside if one.value != other))
    assert _kinds(verify(_packed(without))) == ["cut"]
    of = {sent[40].value: other, other: sent[40].value}  # the wrong one of the two counts
    swapped = [one._replace(value=of.get(one.value, one.value)) for one in m.messages]
    beside = [one._replace(value=of.get(one.value, one.value)) for one in m.beside]
    forged = replace(m, messages=tuple(swapped), beside=tuple(beside))
    assert _kinds(verify(_packed(forged))) == ["chain"]


def test_evidence_of_a_record_that_was_changed_is_made_and_is_not_sound(tmp_path: Path) -> None:
    """The archive has something else than what was sealed: whoever makes the file hears of it."""
    sent = _play(TABLE, 10)
    _seal(tmp_path, sent)
    event = decode(sent[60].value)
    changed = Outgoing(sent[60].key, encode(dataclasses.replace(event, device="layout")))
    take(ListLog(listed([*sent[:60], changed, *sent[61:]])), tmp_path / "archive")
    _, content = _make(tmp_path)
    assert _kinds(verify(content)) == ["seal"]


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
