"""What was published, and who published it: a result that somebody changed is told apart."""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
from pathlib import Path

import duckdb
import pytest

from events.checkpoints import load_checkpoints
from events.trust.note import SignerKey, known_keys
from pipelines.night.plain import run_day
from replay.registry import IDS
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import (
    DAY,
    ask,
    copied,
    played,
    sent,
    settings_of,
    simulated,
    won_round,
)
from tests.trust.kit import take_and_seal


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house whose day is published; only look at it."""
    home = tmp_path_factory.mktemp("published") / ".evenhand"
    home.mkdir()
    simulated(home, rounds=6, faults=0.2)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return copied(template, tmp_path / ".evenhand")


def delete_findings(home: Path) -> None:
    """With DuckDB's own tools, as whoever owns the file can."""
    path = home / "warehouse" / "audit.duckdb"
    path.chmod(0o640)
    with duckdb.connect(str(path)) as db:
        db.execute("DELETE FROM findings")


def test_findings_deleted_from_the_catalogue(home: Path, tmp_path: Path) -> None:
    assert ask(home, "SELECT count(*) FROM findings") != [(0,)]
    assert evenhand_here(home.parent, "verify").returncode == 0
    delete_findings(home)
    verified = evenhand_here(home.parent, "verify")
    assert verified.returncode == 1
    assert "audit.duckdb" in verified.stdout
    exported = evenhand_here(
        home.parent, "export", "--from", str(DAY), "--to", str(DAY), "-o", str(tmp_path / "out")
    )
    assert exported.returncode == 2
    assert "audit.duckdb" in exported.stderr
    assert not (tmp_path / "out").exists()
    asked = evenhand_here(home.parent, "sql", "SELECT count(*) AS n FROM findings")
    assert asked.returncode == 0
    assert "audit.duckdb" in asked.stderr
    shown = evenhand_here(home.parent, "show", "RWS-PP-01-20260310-000001")
    assert "audit.duckdb" in shown.stderr


def test_an_event_that_comes_late_and_fills_a_gap_breaks_no_seal(tmp_path: Path) -> None:
    """What was sealed is still there; only more came."""
    home = tmp_path / ".evenhand"
    messages = played([won_round(n) for n in range(3)])
    late = messages.pop(14)
    take_and_seal(home, messages)
    assert len(load_checkpoints(home / "checkpoints.jsonl")) == 1
    sent(home, [late])
    verified = evenhand_here(tmp_path, "verify").stdout
    assert "out_of_order: event 15 came after event 32" in verified
    assert "seal_differs" not in verified


def test_a_run_that_was_signed_and_never_came_into_place(home: Path, tmp_path: Path) -> None:
    """A process killed between its statement and the rename: told, and withdrawn by the next."""
    stood = (home / "warehouse" / "audit.duckdb").read_bytes()
    run_day(settings_of(home), DAY, with_suites=False)
    catalogue = home / "warehouse" / "audit.duckdb"
    catalogue.unlink()
    catalogue.write_bytes(stood)
    asked = evenhand_here(home.parent, "sql", "SELECT 1 AS n")
    assert "did not come into place" in asked.stderr
    run_day(settings_of(home), DAY, with_suites=False)
    assert evenhand_here(home.parent, "sql", "SELECT 1 AS n").stderr == ""
    verified = evenhand_here(home.parent, "verify")
    assert verified.returncode == 0, verified.stdout


def test_the_statement_is_of_the_public_kind(template: Path) -> None:
    """DSSE and in-toto, as other tools read them; the signature is over both lengths."""
    (line,) = (template / "runs.jsonl").read_text().splitlines()
    envelope = json.loads(line)
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"]
    assert kind == "application/vnd.in-toto+json"
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    told = statement["predicate"]
    assert told["before"] == "0" * 64
    assert set(told["rulebooks"]) == set(IDS)
    assert all(len(digest) == 64 for name, digest in told["inputs"].items() if "." in name)
    (run,) = (template / "warehouse" / f"day={DAY}").iterdir()
    files = {p.name for p in run.iterdir()} - {"state.json"}
    named = {s["name"] for s in statement["subject"]}
    assert named == {"audit.duckdb", *(f"day={DAY}/{run.name}/{name}" for name in files)}
    for one in statement["subject"]:
        content = (template / "warehouse" / one["name"]).read_bytes()
        assert one["digest"]["sha256"] == hashlib.sha256(content).hexdigest()
    (key,) = known_keys((template / "house.pub").read_text())
    signed = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    assert key.verify(signed, base64.b64decode(envelope["signatures"][0]["sig"]))
    assert (template / "keys" / "house.key").stat().st_mode & 0o777 == 0o600


def test_the_houses_key_may_come_from_a_command(tmp_path: Path) -> None:
    """No file of it lies in the home, and a command that fails tells nobody what it printed."""
    home = tmp_path / ".evenhand"
    home.mkdir()
    sent(home, played([won_round(0, 5000)]))
    key = SignerKey.from_seed("evenhand/house-vault", bytes(range(32)))
    secret = key.to_text().strip().rpartition("+")[2]
    (tmp_path / "vault").write_text(key.to_text())
    setting = f"cat {shlex.quote(str(tmp_path / 'vault'))}"
    (home / "evenhand.toml").write_text(f'house_key_command = "{setting}"\n')
    run_day(settings_of(home), DAY, with_suites=False)
    assert not (home / "keys").exists()
    assert evenhand_here(tmp_path, "keys", "house").stdout == f"{key.verifier}\n"
    (tmp_path / "trust").write_text(f"{key.verifier}\n")
    verified = evenhand_here(tmp_path, "verify", "--trust", "trust")
    assert verified.returncode == 0, verified.stdout
    (tmp_path / "vault").write_text(key.to_text()[:-9])
    refused = evenhand_here(tmp_path, "keys", "house")
    assert refused.returncode == 2
    failing = f"sh -c 'cat {tmp_path / 'vault'}; exit 3'"
    ended = evenhand_here(tmp_path, "keys", "house", EVENHAND_HOUSE_KEY_COMMAND=failing)
    assert (ended.returncode, "exited 3" in ended.stderr) == (2, True)
    written = "".join(
        path.read_text("utf-8", "replace") for path in home.rglob("*") if path.is_file()
    )
    for text in (refused.stdout + refused.stderr, ended.stdout + ended.stderr, written):
        assert secret[:20] not in text
