"""A journal or an archive.json that was changed: named, with what to do, before it is used."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from events.archive.errors import ArchiveError
from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from tests.command import evenhand
from tests.events.archive_kit import DAY, LONG_AFTER, file_log, mixed, play, take


@pytest.fixture
def root(tmp_path: Path) -> Path:
    sent = mixed(play("RWS-PP-01", 30), play("RWS-PP-02", 30))
    take(file_log(tmp_path / "logs", sent), tmp_path / "archive")
    return tmp_path / "archive"


def is_named(root: Path) -> str | None:
    """What verify says against the archive, or None where it is content."""
    try:
        with Archive(root) as archive:
            report = verify(archive)
    except ArchiveError as error:
        return str(error)
    days = [p.message for d in report.days for p in d.problems]
    return None if report.is_well else "; ".join([p.message for p in report.problems] + days)


def test_any_changed_byte_of_archive_json_is_named(root: Path) -> None:
    path = root / "archive.json"
    content = path.read_bytes()
    assert is_named(root) is None
    for position in range(len(content)):
        for flip in (1, 32):
            changed = bytearray(content)
            changed[position] ^= flip
            path.write_bytes(changed)
            assert "archive.json: expected" in (is_named(root) or ""), (position, flip)
    path.write_bytes(b"")
    assert "remove it: the next ingest writes it again" in (is_named(root) or "")
    with pytest.raises(ArchiveError, match=r"archive\.json: expected id, commit"):
        ArchiveWriter(root)
    path.unlink()
    ArchiveWriter(root, now=lambda: LONG_AFTER).close()
    assert is_named(root) is None


def test_archive_json_of_an_earlier_version_counts(root: Path) -> None:
    path = root / "archive.json"
    about = json.loads(path.read_bytes())
    old = {"id": about["id"], "commit": about["commit"]}
    path.write_text(json.dumps(old) + "\n", "utf-8")
    assert is_named(root) is None
    path.write_text(json.dumps(old | {"commit": old["commit"] + 1}) + "\n", "utf-8")
    assert "expected the journal as of commit" in (is_named(root) or "")
    path.write_text(json.dumps(old | {"id": "0" * 32}) + "\n", "utf-8")
    assert "the journal of another archive" in (is_named(root) or "")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE positions SET next = next - 1",
        "UPDATE segments SET length = length - 1",
        "UPDATE sources SET source = 'file:another'",
        "UPDATE days SET revision = 2",
        "DELETE FROM segments",
        "DELETE FROM days",
    ],
)
def test_what_the_journal_says_can_not_be_changed_unnoticed(root: Path, sql: str) -> None:
    db = sqlite3.connect(root / "journal.sqlite")
    db.execute(sql)
    db.commit()
    db.close()
    assert "the archive's journal says something else" in (is_named(root) or "")
    with pytest.raises(ArchiveError, match="put the right one back from a copy"):
        ArchiveWriter(root)


def test_pages_of_noise_in_the_journal_are_named_by_every_command(
    root: Path, tmp_path: Path
) -> None:
    home = tmp_path / ".evenhand"
    home.mkdir()
    shutil.move(tmp_path / "logs" / "log", home / "log")
    shutil.move(root, home / "archive")
    journal = home / "archive" / "journal.sqlite"
    for path in (home / "archive").glob("journal.sqlite-*"):
        path.unlink()
    content = bytearray(journal.read_bytes())
    noise = random.Random(1)
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 400] = noise.randbytes(400)
    journal.write_bytes(content)
    for command in (("ingest",), ("verify",), ("repair", DAY.isoformat()), ("verify", "--json")):
        done = evenhand(tmp_path, *command)
        assert done.returncode == 2, command
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert "journal is damaged" in line
        assert line.endswith("put the right one back from a copy; the evidence beside it is "
                             "untouched")  # fmt: skip
    done = evenhand(tmp_path, "quarantine")
    assert "error of ours" not in done.stderr


def test_a_few_changed_bytes_anywhere_in_the_journal_never_pass_as_an_error_of_ours(
    root: Path,
) -> None:
    with Archive(root) as archive:
        archive.db.execute("SELECT 1")
    journal = root / "journal.sqlite"
    content = journal.read_bytes()
    drawn = random.Random(7)
    for _ in range(60):
        changed = bytearray(content)
        at = drawn.randrange(100, len(content))
        changed[at : at + 8] = drawn.randbytes(len(changed[at : at + 8]))
        journal.write_bytes(changed)
        try:
            is_named(root)  # raises what is no sentence of ours
            ArchiveWriter(root, now=lambda: LONG_AFTER).close()
        except ArchiveError as error:
            assert "journal" in str(error) or str(root) in str(error)  # noqa: PT017
