"""Backup and restore: taken while others write, the same answers from a home made again."""

from __future__ import annotations

import json
import os
import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from events.archive.ingest import ingest
from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from events.log.files.log import FileLog
from pipelines.backup.errors import BackupError
from pipelines.backup.record import BackupFolder
from pipelines.backup.restore import choose, restore_home
from pipelines.backup.take import TakenBackup, take_backup
from pipelines.night.plain import run_day
from tests.command import evenhand
from tests.pipelines.kit import DAY, TABLE, ask, played, sent, settings_of, simulated, won_round

QUESTIONS = (
    ("sql", "SELECT * EXCLUDE (run) FROM findings ORDER BY id", "--format", "json"),
    ("sql", "SELECT day, run, revision, current FROM runs", "--format", "json"),
    ("verify", "--json"),
    ("quarantine", "--json"),
)


def answers(home: Path, round_: str) -> list[str]:
    """What the commands say of a home."""
    asked = [*QUESTIONS, ("show", round_, "--json")]
    out = []
    for words in asked:
        done = evenhand(home.parent, *words, EVENHAND_HOME=str(home))
        assert done.returncode in (0, 1), done.stderr
        out.append(done.stdout)
    return out


def one_object(folder: BackupFolder, path: str) -> Path:
    kept = choose(folder, None).by_path[path]
    return folder.objects / kept.sha256[:2] / kept.sha256[2:]


def flip(path: Path) -> None:
    """Change one byte in the middle of a file that nobody may write."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    mode = path.stat().st_mode
    path.chmod(0o600)
    path.write_bytes(content)
    path.chmod(mode)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("audited") / "home"
    simulated(home, rounds=8)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def test_a_home_that_is_destroyed_gives_the_same_answers_again(
    audited: Path, tmp_path: Path
) -> None:
    home, folder = tmp_path / "home", BackupFolder(tmp_path / "elsewhere")
    shutil.copytree(audited, home)
    run_day(settings_of(home), DAY, with_suites=False)  # a catalogue that names this folder
    (found,) = ask(home, "SELECT min(round) FROM findings")
    before = answers(home, found[0])
    first = evenhand(tmp_path, "backup", "elsewhere", "--json", EVENHAND_HOME=str(home))
    assert (first.returncode, json.loads(first.stdout)["problems"]) == (0, [])
    shutil.rmtree(home)
    done = evenhand(tmp_path, "restore", "elsewhere", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert answers(home, found[0]) == before
    record = choose(folder, None)
    for one in record.files:
        assert (home / one.path).stat().st_mode & 0o777 == one.mode


def test_a_restored_home_goes_on_as_the_first_would_have(audited: Path, tmp_path: Path) -> None:
    """Late events and a second night, once in the home and once in the one made from its copy."""
    folder = BackupFolder(tmp_path / "elsewhere")
    take_backup(audited, folder)
    twins = [tmp_path / "a", tmp_path / "b"]
    shutil.copytree(audited, twins[0])
    restore_home(twins[1], folder, choose(folder, None))
    late = played([won_round(0, winnings=3000)], Gateway("T-NEW"))
    for home in twins:
        sent(home, late)
        run_day(settings_of(home), DAY, with_suites=False)
    told = [
        ask(home, "SELECT * EXCLUDE (run) FROM findings WHERE day = DATE '2026-03-10' ORDER BY id")
        for home in twins
    ]
    assert told[0] == told[1]
    assert any("wrong_odds" in row for row in told[0])


def test_only_what_is_new_is_read(audited: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", BackupFolder(tmp_path / "elsewhere")
    shutil.copytree(audited, home)
    first = take_backup(home, folder)
    read: list[str] = []
    second = take_backup(home, folder, told=lambda path, size: read.append(path))
    assert second.changed == []
    assert not [path for path in read if path.endswith(".parquet")]
    sent(home, played([won_round()], Gateway("T-NEW")))
    third = take_backup(home, folder)
    assert {p.split("/")[0] for p in third.changed} == {"archive", "log"}
    # every backup stands for itself
    for one in (first, second, third):
        restored = tmp_path / one.record.name
        restore_home(restored, folder, choose(folder, one.record.name))
        assert (restored / "archive" / "journal.sqlite").exists()


def test_taken_while_ingest_writes_each_copy_is_of_one_moment(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", BackupFolder(tmp_path / "elsewhere")
    gateway, settings = Gateway(TABLE), settings_of(home)
    rounds = [won_round(n) for n in range(60)]
    sent(home, played(rounds[:2], gateway))
    over = threading.Event()

    def ingesting() -> None:
        log = FileLog(home / "log", write=True)
        with ArchiveWriter(home / "archive", settings.gaming_day) as archive:
            for n in range(2, 60):
                log.append(played(rounds[n : n + 1], gateway))
                ingest(log, archive)
        log.close()
        over.set()

    writer = threading.Thread(target=ingesting)
    writer.start()
    taken: list[TakenBackup] = []
    while not over.is_set() and len(taken) < 12:
        taken.append(take_backup(home, folder))
    writer.join()
    taken.append(take_backup(home, folder))
    events = []
    for one in taken:
        restored = tmp_path / one.record.name
        restore_home(restored, folder, choose(folder, one.record.name))
        with Archive(restored / "archive") as archive:
            report = verify(archive)
        assert report.is_well, report.to_json()
        events.append(sum(day.events for day in report.days))
    assert events == sorted(events)
    assert events[-1] == 602


def test_damage_in_the_copy_is_named_and_nothing_is_half_restored(
    audited: Path, tmp_path: Path
) -> None:
    folder = BackupFolder(tmp_path / "elsewhere")
    take_backup(audited, folder)
    path = next(p for p in choose(folder, None).by_path if "evidence-" in p)
    flip(one_object(folder, path))
    checked = evenhand(tmp_path, "backup", "elsewhere", "--check")
    assert checked.returncode == 1
    assert f"wrong: {path}: its content" in checked.stdout
    home = tmp_path / "new"
    done = evenhand(tmp_path, "restore", "elsewhere", EVENHAND_HOME=str(home))
    assert done.returncode == 2
    assert "expected the content that its name says" in done.stderr
    assert not home.exists()
    assert not list(tmp_path.glob(".new*"))


def test_damage_in_the_archive_is_told_when_it_is_copied(audited: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(audited, home)
    (path,) = home.glob(f"archive/{DAY}/evidence-*.avro")
    flip(path)
    done = evenhand(tmp_path, "backup", "elsewhere", "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 1
    assert any(path.name in text for text in json.loads(done.stdout)["problems"])


def test_private_keys_stay_behind_unless_they_are_asked_for(audited: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", BackupFolder(tmp_path / "elsewhere")
    shutil.copytree(audited, home)
    key = home / "keys" / "house"
    key.parent.mkdir(exist_ok=True)
    key.write_text("PRIVATE+KEY+house+00000000+AAAA\n")
    one = take_backup(home, folder)
    assert "keys/house" in one.record.left_out
    assert "keys/house" not in one.record.by_path
    assert "keys/house" in take_backup(home, folder, with_keys=True).record.by_path


def test_what_cannot_be_is_one_sentence(audited: Path, tmp_path: Path) -> None:
    folder = BackupFolder(tmp_path / "elsewhere")
    with pytest.raises(BackupError, match="there is no backup here"):
        choose(folder, None)
    with pytest.raises(BackupError, match="inside the home"):
        take_backup(audited, BackupFolder(audited / "copy"))
    with pytest.raises(BackupError, match="there is no home here"):
        take_backup(tmp_path / "nobody", folder)
    taken = take_backup(audited, folder)
    with pytest.raises(BackupError, match="there is no backup 2020"):
        choose(folder, "2020")
    with pytest.raises(BackupError, match="writes over nothing"):
        restore_home(audited, folder, taken.record)
    other = tmp_path / "other"
    sent(other, played([won_round()]))
    with pytest.raises(BackupError, match="another house's backup needs another folder"):
        take_backup(other, folder)
    record = folder.taken / f"{taken.record.name}.json"
    os.truncate(record, 40)
    with pytest.raises(BackupError, match="expected a backup's record"):
        choose(folder, None)


def test_two_in_one_second_have_two_names(audited: Path, tmp_path: Path) -> None:
    folder = BackupFolder(tmp_path / "elsewhere")
    at = datetime(2026, 3, 11, tzinfo=UTC)
    names = [
        take_backup(audited, folder, now=at - timedelta(seconds=n)).record.name for n in (0, 0, 5)
    ]
    assert names == ["20260311T000000Z", "20260311T000001Z", "20260311T000002Z"]
