"""Every statement of evidence is proved, or the verdict says that it is its maker's word.

Each is forged here with everything put right that a forger can put right, against genuine kept
checkpoints.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checks.context import NextRound
from events.checkpoints import Checkpoint, checkpoint_from_line
from events.seal import tag_of
from pipelines.evidence.material import Material
from pipelines.evidence.seal import unpack
from pipelines.evidence.verify import verify
from tests.hostile import forge
from tests.hostile.confined import confined
from tests.hostile.seeds import Seeds, make_seeds

OTHER = "f" * 64


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return make_seeds(tmp_path_factory.mktemp("seeds"))


@pytest.fixture(scope="module")
def kept(seeds: Seeds) -> list[Checkpoint]:
    return [checkpoint_from_line(line.decode()) for line in seeds.checkpoints.splitlines()]


def _foreign(m: Material) -> int:
    """The number of a chain's event that belongs to another round."""
    own = tag_of(m.round)
    return next(e.seq for e in reversed(m.chain) if e.tag not in {own, "-"})


FORGERIES: dict[str, tuple[Callable[[Material], Material], str]] = {
    "no next_round": (lambda m: replace(m, next_round=None), "next_round"),
    "also_known": (lambda m: replace(m, also_known=()), "also_known"),
    "turned": (lambda m: replace(m, turned=frozenset({"doubled-21"})), "turned"),
    "software": (lambda m: replace(m, software=OTHER), "software"),
    "version": (lambda m: replace(m, software=OTHER, version="9.9"), "software"),
    "made_at": (lambda m: replace(m, made_at="1999-01-01T00:00:00Z"), "made_at"),
    "zone": (lambda m: replace(m, zone="Asia/Tokyo"), "made_at"),
    "source": (
        lambda m: replace(m, messages=tuple(x._replace(offset=7) for x in m.messages)),
        "source",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_statement_is_told_as_the_maker_s_word(
    name: str, seeds: Seeds, kept: list[Checkpoint]
) -> None:
    change, statement = FORGERIES[name]
    for material, _ in seeds.pieces:
        forged = change(material)
        verdict = verify(forge.packed(forged), kept)
        assert verdict.sound, verdict.wrong  # nothing in the file can tell
        told = {one.statement: one.says for one in verdict.word}
        assert statement in told
        assert told == {one["statement"]: one["says"] for one in verdict.to_json()["makers_word"]}


def test_the_word_says_what_the_file_says(seeds: Seeds) -> None:
    material, _ = seeds.pieces[0]
    changed = replace(material, turned=frozenset({"doubled-21"}), made_at="1999")
    told = dict(verify(forge.packed(changed)).word)
    assert told["turned"] == (
        'that the house reads these paragraphs in the other way: "doubled-21"'
    )
    assert told["next_round"] == "that no other round opened before this one's last event"
    assert told["made_at"] == 'that it was made at "1999", in the zone Asia/Singapore'


@pytest.mark.parametrize("named", ["", "RWS-XX-99-000001"])
def test_a_next_round_without_its_opening_is_not_sound(seeds: Seeds, named: str) -> None:
    """It is proved, so it can't be made up: its bytes must be there and in the chain."""
    for material, _ in seeds.pieces:
        forged = replace(material, next_round=NextRound(named, _foreign(material)))
        kinds = [one.kind for one in verify(forge.packed(forged)).wrong]
        assert "bytes" in kinds


def test_made_by_other_software_it_is_never_simply_sound(seeds: Seeds, tmp_path: Path) -> None:
    """A forger says that other code made it, so that his page and his README are not compared."""
    material, _ = seeds.pieces[0]
    members = unpack(forge.packed(replace(material, software=OTHER, version="0.0.9")))
    members["round.html"] = b"<p>the house was right</p>"
    members["README.txt"] = b"all of it is proved\n"
    path = tmp_path / "other.zip"
    path.write_bytes(forge.resealed(members))
    done = confined(tmp_path, "evidence", "--verify", str(path))
    assert done.returncode == 0
    first, *rest = done.stdout.splitlines()
    assert first.startswith("sound, made by other software: round ")
    assert any("page, README and explanations were not compared" in line for line in rest)
    told = json.loads(confined(tmp_path, "evidence", "--verify", str(path), "--json").stdout)
    assert told["verdict"] == "sound, made by other software"
    honest = tmp_path / "honest.zip"
    honest.write_bytes(seeds.pieces[0][1])
    done = confined(tmp_path, "evidence", "--verify", str(honest))
    assert done.stdout.startswith("sound: round ")


def test_every_field_of_the_manifest_is_proved_or_told(seeds: Seeds) -> None:
    """So that a field which comes later can't be forgotten."""
    manifest = json.loads(unpack(seeds.pieces[0][1])["manifest.json"])
    proved = {"format", "round", "table"}
    told = {"unsealed", "shoe_seq", "next_round", "turned", "made_at", "zone", "also_known",
            "meter", "software", "version"}  # fmt: skip
    assert set(manifest) - proved == told
