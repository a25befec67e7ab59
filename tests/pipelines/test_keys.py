"""`evenhand keys`: made, listed, rotated, retired and revoked; the registry stays people's own."""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from events.registry import load_registry
from events.trust.keyfiles import read_private
from events.trust.note import SignerKey
from pipelines.people.act import os_user
from tests.command import evenhand

REGISTRY = """# the floor, as the surveillance room keeps it
[tables."RWS-PP-01"]  # by the window
rulebooks = ["pontoon-plus-rws-v5"]
since = 2026-01-01

# poker
[tables."RWS-TC-01"]
rulebooks = ["three-card-poker-rws-v3"]
keys = [
    # from the maker, in a sealed envelope
    { id = "old", public = "%s" },
]
""" % ("00" * 32)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "tables.toml").write_text(REGISTRY)
    return tmp_path / "h"


def keys(home: Path, *args: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    done = evenhand(home, "keys", *args, EVENHAND_HOME=str(home), **env)
    assert done.returncode == code, done.stderr
    return done


def text_of(home: Path) -> str:
    return (home / "tables.toml").read_text()


def test_made_rotated_retired_revoked_and_listed(home: Path) -> None:
    assert "old" in keys(home).stdout
    keys(home, "new", "RWS-PP-01", "--from", "2026-11-01")
    private = home / "keys" / "RWS-PP-01-1.key"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    keys(home, "rotate", "RWS-PP-01", "--from", "2026-11-10")
    keys(home, "revoke", "RWS-PP-01", "RWS-PP-01-2", "--from", "2026-11-12")
    keys(home, "retire", "RWS-TC-01", "old", "--until", "2026-11-13")
    listed = json.loads(keys(home, "list", "--json").stdout)
    assert [(k["id"], k["from"], k["until"], k["revoked"], k["private"]) for k in listed] == [
        ("RWS-PP-01-1", "2026-11-01", "2026-11-10", None, True),
        ("RWS-PP-01-2", "2026-11-10", None, "2026-11-12", True),
        ("old", None, "2026-11-13", None, False),
    ]
    assert read_private(private).verifier.public.hex() == listed[0]["public"]
    history = [json.loads(line) for line in (home / "tables_history.jsonl").open()]
    assert [one["by"].get("command") for one in history] == [
        None,  # as somebody wrote it with an editor
        "keys new RWS-PP-01",
        "keys rotate RWS-PP-01",
        "keys revoke RWS-PP-01 RWS-PP-01-2",
        "keys retire RWS-TC-01 old",
    ]
    assert {one["by"]["user"] for one in history[1:]} == {os_user()}
    assert [one["changed"] for one in history[1:]] == [["RWS-PP-01"]] * 3 + [["RWS-TC-01"]]
    text = text_of(home)
    for kept in ("# the floor", "# by the window", "# poker", "# from the maker"):
        assert kept in text
    assert text.index("RWS-PP-01-2") < text.index("# poker")


def test_a_private_key_is_never_told(home: Path) -> None:
    made = keys(home, "new", "RWS-PP-01")
    private = (home / "keys" / "RWS-PP-01-1.key").read_text()
    secret = private.strip().rpartition("+")[2]
    told = [made, keys(home), keys(home, "list", "--json"), keys(home, "new", "RWS-PP-01")]
    (home / "keys" / "broken.key").write_text(private[:-8])
    (home / "keys" / "broken.key").chmod(0o600)
    told.append(keys(home, "entry", "keys/broken.key", code=2))
    told.append(keys(home, "entry", "keys/RWS-PP-01-1.key"))
    for done in told:
        assert secret not in done.stdout + done.stderr
        assert secret[:20] not in done.stdout + done.stderr
    assert secret not in text_of(home)


def test_a_private_key_may_come_from_a_command(home: Path) -> None:
    key = SignerKey.from_seed("RWS-PP-01-1", bytes(range(32)))
    (home / "vault").mkdir()
    (home / "vault" / "RWS-PP-01-1").write_text(key.to_text())
    vault = f"cat {shlex.quote(str(home / 'vault'))}/{{name}}"
    keys(home, "new", "RWS-PP-01", EVENHAND_GATEWAY_KEY_COMMAND=vault)
    registry = load_registry(home / "tables.toml")
    assert registry is not None
    assert registry.tables["RWS-PP-01"].keys[0].public == key.verifier.public
    assert not (home / "keys").exists()
    missing = keys(home, "rotate", "RWS-PP-01", code=2, EVENHAND_GATEWAY_KEY_COMMAND=vault)
    assert "exited 1" in missing.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("new", "RWS-PP-99"), "the registry has no table RWS-PP-99"),
        (("new", "RWS-TC-01", "--id", "old"), "there is a key old already"),
        (("new", "RWS-TC-01", "--id", "../x"), "expected letters, digits"),
        (("revoke", "RWS-TC-01", "olf"), "has no key olf"),
        (("retire", "RWS-TC-01", "old", "--until", "soon"), "2026-11-15"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_changes_nothing(
    home: Path, args: tuple[str, ...], says: str
) -> None:
    done = keys(home, *args, code=2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert text_of(home) == REGISTRY


def test_a_registry_that_we_cannot_edit_is_left_alone(home: Path) -> None:
    odd = 'tables = { "RWS-PP-01" = { since = 2026-01-01 } }\n'
    (home / "tables.toml").write_text(odd)
    done = keys(home, "new", "RWS-PP-01", code=2)
    assert "can't be written by us" in done.stderr
    assert text_of(home) == odd
