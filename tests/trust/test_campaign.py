"""Tampering with write access to everything but the witness: each is caught and named.

Who tampers has the house's private key, too: he recomputes chains, seals and manifests and signs
anew, as far as each attack says. The table of it is in docs/security.md.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from events.archive.about import About, journal_digest
from events.archive.journal import get_about
from events.days import SINGAPORE
from events.house_log import HouseLog
from events.trust.dsse import IN_TOTO, sign_envelope
from events.trust.house import house_signer
from events.trust.note import SignerKey
from events.trust.witness import ALARMS
from pipelines.warehouse.catalogue import published, put_in_place
from pipelines.warehouse.chain import link_of
from pipelines.warehouse.layout import RunFolder, warehouse_of
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, TABLE, ask, copied, settings_of
from tests.trust.kit import (
    NEXT,
    RunningWitness,
    audit,
    house_key,
    take_and_seal,
    two_days,
    witness_process,
    witnessed_house,
)
from tests.trust.test_published import delete_findings


@dataclass(frozen=True)
class Watched:
    """A house of two audited days, its witness, and the keys that a regulator has of both."""

    home: Path
    witness: RunningWitness
    trust: Path


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("campaign")
    home = folder / ".evenhand"
    key = house_key(home)
    with witness_process(folder / "witness", key) as witness:
        witnessed_house(home, witness)
        take_and_seal(home, two_days())
        audit(home, DAY)
        (finding,) = ask(home, "SELECT id FROM findings WHERE severity = 'money'")[0]
        until = datetime.now(SINGAPORE).date() + timedelta(days=30)
        waived = evenhand_here(
            folder, "waive", finding, "--reason", "as on the tape", "--until", f"{until}"
        )
        assert waived.returncode == 0, waived.stderr
        audit(home, NEXT)
        trust = folder / "trust.keys"
        trust.write_text(f"# the house and its witness\n{key}\n{witness.key}\n")
        yield Watched(home, witness, trust)


def run_of(home: Path, day: date = DAY) -> RunFolder:
    warehouse = warehouse_of(home)
    (run,) = (p.run for p in published(warehouse) if p.day == day and p.current)
    return warehouse.run_folder(day, run)


def other_archive(home: Path, **more: int) -> None:
    """The archive made anew from other events: chain, columns, journal and manifests all fit."""
    made = home.parent / "made-anew"
    take_and_seal(made, two_days(**more))
    for part in ("archive", "log"):
        shutil.rmtree(home / part)
        shutil.copytree(made / part, home / part)


def events_changed(home: Path) -> None:
    other_archive(home, winnings=2500)


def events_removed(home: Path) -> None:
    other_archive(home, rounds=2)


def day_removed_from_the_archive(home: Path) -> None:
    made = home.parent / "one-day"
    messages = two_days()
    take_and_seal(made, messages[: len(messages) - 20])
    shutil.rmtree(home / "archive")
    shutil.copytree(made / "archive", home / "archive")


def day_removed_from_the_warehouse(home: Path) -> None:
    """With a catalogue built anew and signed."""
    warehouse = warehouse_of(home)
    rest = [p for p in published(warehouse) if p.day != DAY]
    put_in_place(warehouse, rest)
    shutil.rmtree(warehouse.day_folder(DAY))


def findings_deleted_from_the_files(home: Path) -> None:
    """From the day's own file, with a catalogue built anew from it and signed."""
    path = run_of(home).small("findings")
    rows = pq.read_table(path, partitioning=None)
    path.chmod(0o640)
    pq.write_table(rows.slice(0, 0), path)
    warehouse = warehouse_of(home)
    put_in_place(warehouse, published(warehouse))


def findings_deleted_and_every_statement_signed_anew(home: Path) -> None:
    """The whole chain of runs rewritten with the stolen key, for what lies there now."""
    findings_deleted_from_the_files(home)
    sign_anew(home, house_signer(home))


def sign_anew(home: Path, key: SignerKey) -> None:
    """Every statement over the files as they are, chained and signed by a key."""
    path, root = home / "runs.jsonl", warehouse_of(home).root
    before, out = "0" * 64, []
    for line in path.read_bytes().splitlines():
        plain = json.loads(link_of(line).statement.payload)
        plain["predicate"]["before"] = before
        for one in plain["subject"]:
            file = root / one["name"]
            if file.exists():
                one["digest"]["sha256"] = sha256_of(file)
        out.append(sign_envelope(IN_TOTO, json.dumps(plain).encode(), key).line())
        before = link_of(out[-1].encode()).sha256
    path.write_text("".join(f"{line}\n" for line in out))


def sha256_of(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def report_edited(home: Path) -> None:
    page = run_of(home).report("html")
    page.chmod(0o640)
    page.write_text(page.read_text("utf-8").replace("open", "clean"), "utf-8")


def waiver_changed(home: Path) -> None:
    """Who gave it; the last entry of its log, which no other holds the hash of."""
    path = home / "people" / "log.jsonl"
    *before, last = path.read_text("utf-8").splitlines()
    flat = json.dumps(json.loads(last) | {"who": "CRA Regulator"}, separators=(",", ":"))
    path.write_text("".join(f"{line}\n" for line in [*before, flat]), "utf-8")


def quarantine_edited(home: Path) -> None:
    """In the journal, with the archive's own record of what the journal says made to fit."""
    db = sqlite3.connect(home / "archive" / "journal.sqlite")
    with db:
        db.execute("UPDATE quarantine SET raw = ?", (b"something else",))
    about = About(get_about(db, "id"), int(get_about(db, "commit")), journal_digest(db))
    db.close()
    path = home / "archive" / "archive.json"
    path.chmod(0o640)
    path.write_bytes(about.encode())


def keys_swapped(home: Path) -> None:
    """A new key for the house, named as the old one, and everything signed anew by it."""
    new = SignerKey.make(house_key(home).name)
    (home / "keys" / "house.key").write_text(new.to_text())
    (home / "house.pub").write_text(f"{new.verifier}\n")
    sign_anew(home, new)
    shutil.rmtree(home / "tlog")
    HouseLog(home, home / "checkpoints.jsonl").advance(new, "made anew")


def log_rewritten(home: Path) -> None:
    """A seal changed and the state of the log signed anew with the stolen key."""
    path = home / "checkpoints.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    (home / "tlog" / "checkpoint").unlink()
    HouseLog(home, path).advance(house_signer(home), "made anew")


Attack = Callable[[Path], None]

CAUGHT: dict[Attack, tuple[str, str]] = {
    events_changed: ("seal_differs", f"{TABLE}"),
    events_removed: ("seal_differs", f"{TABLE}"),
    day_removed_from_the_archive: ("seal_differs", f"{TABLE}"),
    day_removed_from_the_warehouse: ("day_missing", f"day {DAY}"),
    delete_findings: ("catalogue_differs", "audit.duckdb"),
    findings_deleted_from_the_files: ("file_differs", "findings.parquet"),
    findings_deleted_and_every_statement_signed_anew: ("file_differs", "runs.jsonl"),
    report_edited: ("file_differs", "report.html"),
    waiver_changed: ("file_differs", "log.jsonl"),
    quarantine_edited: ("quarantine_differs", "in quarantine"),
    keys_swapped: ("unknown_key", "no key that you trust"),
    log_rewritten: ("log_rewritten", "regulator.example/w1 signed"),
}
"""What verify says, by its word and by what it names."""


def test_before_anybody_tampers_all_is_well(watched: Watched) -> None:
    done = evenhand_here(watched.home.parent, "verify", "--trust", str(watched.trust))
    assert done.returncode == 0, done.stdout
    assert "the witness regulator.example/w1 signed the log" in done.stdout


@pytest.mark.parametrize("attack", CAUGHT, ids=lambda attack: attack.__name__)
def test_it_is_caught_and_named(watched: Watched, attack: Attack, tmp_path: Path) -> None:
    home = copied(watched.home, tmp_path / ".evenhand")
    attack(home)
    done = evenhand_here(tmp_path, "verify", "--trust", str(watched.trust), "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    parts = [told, told["published"], told["log"], *told["days"], *told["tables"]]
    problems = [(p["verdict"], p["message"]) for part in parts for p in part["problems"]]
    verdict, names = CAUGHT[attack]
    tables = [t["table"] for t in told["tables"] if t["problems"]]
    assert any(v == verdict and names in f"{m} {tables}" for v, m in problems), problems


def test_an_archive_with_everything_made_anew_is_refused_by_the_witness(
    watched: Watched, tmp_path: Path
) -> None:
    """Every file, chain, checkpoint and signature fits; only the witness remembers."""
    home = tmp_path / ".evenhand"
    shutil.copytree(watched.home / "keys", home / "keys")
    for name in ("evenhand.toml", "house.pub"):
        shutil.copy(watched.home / name, home / name)
    take_and_seal(home, two_days(winnings=2500))
    audit(home, DAY)
    assert evenhand_here(tmp_path, "verify").returncode == 0  # nothing here contradicts itself
    page = run_of(home).report("html").read_text("utf-8")
    assert "0 of 1 witnesses have signed" in page
    assert "regulator has never signed: regulator.example/w1 " in page
    told = json.loads(run_of(home).path.joinpath("state.json").read_text())["witnessed"]
    assert told["signed"] == 0
    alarms = (watched.witness.folder / ALARMS).read_text().splitlines()
    assert "does not fit" in json.loads(alarms[-1])["says"]
    trusted = evenhand_here(tmp_path, "verify", "--trust", str(watched.trust))
    assert trusted.returncode == 1
    assert "no witness whose key you trust has signed a state of this log" in trusted.stdout


def test_a_witness_that_is_away_costs_only_its_signature(watched: Watched, tmp_path: Path) -> None:
    home = copied(watched.home, tmp_path / ".evenhand")
    text = (home / "evenhand.toml").read_text()
    (home / "evenhand.toml").write_text(text.replace(watched.witness.url, "http://127.0.0.1:9"))
    audit(home, DAY)
    summary = json.loads(run_of(home).report("json").read_text())
    (missing,) = summary["witnessed"]["missing"]
    assert "The witness regulator has not signed since 20" in missing
    assert "no answer from http://127.0.0.1:9" in missing
    assert settings_of(home).witnesses["regulator"].url == "http://127.0.0.1:9"
