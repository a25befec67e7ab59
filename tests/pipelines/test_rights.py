"""Who may write what: no published file is a name of the archive's, and what is sealed stays so.

The life of a house is tried as a user whom the system's rights bind; root would pass them all.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from events.archive.reader import Archive
from events.archive.segment import SegmentRow, SegmentWriter
from events.runtime import modes
from events.runtime.copies import copy_file
from events.settings import SettingsError
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from tests.command import ROOT
from tests.pipelines.kit import DAY, settings_of, simulated

NOBODY = "65534"


def as_nobody(*command: str) -> list[str]:
    """The command as a user who may read everything and write only what is his.

    Reading stays allowed because the interpreter itself may lie in a folder of root's.
    """
    if os.geteuid():
        return list(command)
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("needs setpriv (util-linux) to give up root's rights")
    caps = "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"
    drop = "--bounding-set=-all,+dac_read_search"
    return [
        program, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps, drop, *command
    ]  # fmt: skip


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("rights") / "home"
    simulated(home, rounds=3)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def test_a_house_lives_on_its_sealed_files_without_root(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    if not os.geteuid():
        os.chown(folder, int(NOBODY), int(NOBODY))
        for above in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
            above.chmod(above.stat().st_mode | 0o011)
    done = subprocess.run(
        as_nobody(sys.executable, "-m", "tests.rights_driver", str(folder / "home")),
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout
    steps = ["first-night", "late-events", "second-night", "repair", "sweep", "verify", "sealed"]
    assert done.stdout.split() == steps


def test_nothing_published_shares_an_inode_with_the_archive(published: Path) -> None:
    archived = {p.stat().st_ino for p in (published / "archive").rglob("*") if p.is_file()}
    in_warehouse = {p.stat().st_ino for p in (published / "warehouse").rglob("*") if p.is_file()}
    assert in_warehouse
    assert not archived & in_warehouse
    for top in ("archive", "warehouse"):
        for path in (published / top).rglob("*"):
            assert path.is_dir() or path.stat().st_nlink == 1, path


def test_the_run_reads_the_columns_that_the_archive_had(published: Path) -> None:
    folder = warehouse_of(published).run_folders(DAY)[-1]
    with Archive(published / "archive") as archive:
        files = archive.column_files(DAY)
    assert [p.read_bytes() for p in folder.parts("events")] == [p.read_bytes() for p in files]


def test_rights_of_files_and_folders(published: Path) -> None:
    sealed = {"evidence-*.avro", "columns-*.parquet", "rounds-*.sqlite", "run.json"} | {
        "events-*.parquet", "lines-*.parquet", "findings.parquet", "report.*", "audit.duckdb"
    }  # fmt: skip
    for top in ("archive", "warehouse", "log"):
        assert mode_of(published / top) == 0o750
        for path in (published / top).rglob("*"):
            if path.is_dir():
                expected = 0o750
            else:
                expected = 0o440 if any(path.match(name) for name in sealed) else 0o640
                if path.match("run=*/*") and path.name != "state.json":
                    expected = 0o440
            assert mode_of(path) == expected, path
    assert mode_of(published / "alerts.jsonl") == 0o640


def test_the_rights_are_a_setting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    wanted = {"sealed": "0444", "file": "0664", "folder": "0775"}
    try:
        simulated(home, rounds=1)  # made with the defaults
        settings = settings_of(home, file_modes=wanted)
        run_day(settings, DAY, with_suites=False)
        folder = warehouse_of(home).run_folders(DAY)[-1]
        assert mode_of(folder.record) == 0o444
        assert mode_of(folder.path) == 0o775
        assert mode_of(folder.path / "state.json") == 0o664
        assert settings.plain("file_modes") == wanted
    finally:
        modes.use(modes.DEFAULT)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sealed": "rw"}, 'sealed: expected rights like "0640", found "rw"'),
        ({"folder": "0050"}, "folder: expected at least 0700 for the owner, found 0050"),
        ({"files": "0640"}, "expected one of file, folder, sealed"),
        ({"file": 640}, 'file: expected rights like "0640", found 640'),
    ],
)
def test_rights_that_make_no_sense_are_refused(
    tmp_path: Path, given: dict[str, object], says: str
) -> None:
    with pytest.raises(SettingsError, match=re.escape(says)):
        settings_of(tmp_path / "home", file_modes=given)


def test_evidence_that_was_sealed_and_not_journalled_goes_on(tmp_path: Path) -> None:
    """A process that dies between the two leaves a sealed file that the journal calls open."""
    path = tmp_path / "evidence-1.avro"
    writer = SegmentWriter(path, 1, DAY, "null")
    row = SegmentRow(1, DAY, path.name, writer.length, writer.sha256, 0, 0, False)
    writer.seal()
    assert mode_of(path) == 0o440
    again = SegmentWriter.resume(path, row)
    assert again is not None
    again.park()
    assert mode_of(path) == 0o640


def test_a_copy_has_the_bytes_and_an_inode_of_its_own(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(os.urandom(3_000_001))
    second.write_bytes(b"before")
    copy_file(first, second)
    assert second.read_bytes() == first.read_bytes()
    assert second.stat().st_ino != first.stat().st_ino
    second.write_bytes(b"x")
    assert first.stat().st_size == 3_000_001


def test_names_are_on_the_disk_before_the_catalogue_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorder of every sync and rename of the publication, in the order in which they come."""
    home = tmp_path / "home"
    simulated(home, rounds=1)
    seen: list[tuple[str, Path]] = []
    sync, replace = os.fsync, os.replace

    def synced(fd: int) -> None:
        seen.append(("sync", Path(f"/proc/self/fd/{fd}").readlink()))
        sync(fd)

    def renamed(source: Path, target: Path) -> None:
        seen.append(("rename", Path(target)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(Path, "replace", renamed)
    night = run_day(settings_of(home), DAY, with_suites=False)
    run, warehouse = night.folder.path.absolute(), warehouse_of(home)
    named = seen.index(("rename", warehouse.catalogue))
    record = seen.index(("rename", night.folder.record))
    before = seen[:named]
    for folder in (run, run.parent, warehouse.root):
        assert ("sync", folder) in before[record:], f"{folder} is synced after the record is there"
    for file in run.iterdir():
        if file.suffix == ".parquet" and not file.name.startswith(("rounds", "lines", "settle")):
            assert ("sync", file) in before, file  # those of the workers are synced over there
    draft = [path for what, path in before if what == "sync" and path.name.startswith(".audit-")]
    assert draft, "the catalogue itself is on the disk before it gets its name"
    assert ("sync", warehouse.root) in seen[named:]
