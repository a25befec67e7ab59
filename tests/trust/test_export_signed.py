"""The regulator's export is signed by the house, and whoever got the folder checks it alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from events.gateway import Gateway
from events.model import TableClosed
from events.trust.dsse import IN_TOTO, sign_envelope
from events.trust.note import SignerKey
from pipelines.export.signed import SIGNED, sign_files
from pipelines.night.plain import run_day
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, MORNING, TABLE, played, sent, settings_of, won_round

NEXT = DAY + timedelta(days=1)


def a_day(home: Path, *, closed: bool) -> None:
    gateway = Gateway(TABLE)
    messages = played([won_round(0, 5000)], gateway)
    if closed:
        at = MORNING + timedelta(hours=1)
        messages.append(gateway.send(TableClosed(), at=at, device="console"))
    sent(home, messages)
    run_day(settings_of(home), DAY, with_suites=False)


def export(folder: Path, *more: str, to: str = str(DAY)) -> tuple[int, str]:
    words = ("export", "--from", str(DAY), "--to", to, "-o", "out", *more)
    done = evenhand_here(folder, *words)
    return done.returncode, done.stderr


def verdict(folder: Path, *more: str) -> tuple[int, list[str]]:
    done = evenhand_here(folder, "export", "--verify", "out", "--json", *more)
    return done.returncode, [wrong["kind"] for wrong in json.loads(done.stdout)["wrong"]]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export, the house's keys, and nothing else of the house."""
    folder, there = (tmp_path_factory.mktemp(name) for name in ("house", "regulator"))
    a_day(folder / ".evenhand", closed=True)
    assert export(folder)[0] == 0
    keys = evenhand_here(folder, "keys", "house").stdout
    shutil.copytree(folder / "out", there / "out")
    (there / "trust").write_text(keys)
    return there


@pytest.fixture
def got(given: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(given, tmp_path / "got"))


def test_it_is_sound_by_the_houses_word_and_by_a_key_that_is_known(got: Path) -> None:
    assert verdict(got, "--trust", "trust") == (0, [])
    assert verdict(got) == (0, [])
    said = evenhand_here(got, "export", "--verify", "out")
    assert "by that house's own word" in said.stdout
    assert f"day {DAY}: run 2" in said.stdout
    assert {path.name for path in got.iterdir()} == {"out", "trust"}  # which makes no home there


def edit(name: str) -> Callable[[Path], None]:
    return lambda out: (out / name).write_bytes((out / name).read_bytes().replace(b"0", b"1"))


def resign(out: Path) -> None:
    """Everything made anew by somebody who has not the house's key."""
    edit("findings.csv")(out)
    (out / SIGNED).unlink()
    manifest = json.loads((out / "manifest.json").read_text())
    stranger = SignerKey.make("evenhand/house-0")
    (out / SIGNED).write_text(sign_files(out, manifest, stranger) + "\n")


def other_statement(out: Path) -> None:
    envelope = sign_envelope(IN_TOTO, b"[1]", SignerKey.make("x"))
    (out / SIGNED).write_text(envelope.line())


TAMPERED: list[tuple[Callable[[Path], object], str]] = [
    (edit("findings.csv"), "changed"),
    (edit("manifest.json"), "changed"),
    (edit("statement.txt"), "changed"),
    (lambda out: (out / "findings.parquet").unlink(), "missing"),
    (lambda out: (out / "more.csv").write_text("x"), "added"),
    (lambda out: (out / SIGNED).unlink(), "unsigned"),
    (lambda out: (out / SIGNED).write_bytes(b"\xff{"), "signature"),
    (edit(SIGNED), "signature"),
    (resign, "signature"),
    (other_statement, "signature"),
]


@pytest.mark.parametrize(("done", "kind"), TAMPERED)
def test_what_was_changed_on_the_way_is_named(
    got: Path, done: Callable[[Path], object], kind: str
) -> None:
    done(got / "out")
    assert verdict(got, "--trust", "trust") == (1, [kind])


def test_who_cannot_read_the_key_exports_unsigned_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    a_day(home, closed=True)
    (home / "keys" / "house.key").chmod(0o644)
    code, says = export(tmp_path)
    assert (code, "others may read this private key" in says) == (2, True)
    assert not (tmp_path / "out").exists()
    code, says = export(tmp_path, "--unsigned")
    assert (code, "which nobody signed" in says) == (0, True)
    assert verdict(tmp_path) == (1, ["unsigned"])


def test_no_activity_is_stated_only_where_every_table_was_closed(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    a_day(home, closed=False)
    code, says = export(tmp_path, to=str(NEXT))
    assert code == 2
    assert f"day {NEXT}: nothing came, and {TABLE} was not closed" in says
    run_day(settings_of(home), NEXT, with_suites=False)
    assert export(tmp_path, to=str(NEXT))[0] == 0
    said = (tmp_path / "out" / "statement.txt").read_text()
    assert f"{NEXT}: 0 rounds, 0 lines, 1 findings (1 tables sent nothing), by run" in said
    assert "no activity" not in said
