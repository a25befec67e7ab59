"""`evenhand upgrade`: step by step, twice without harm, whole or not at all when it is killed."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from events.archive.about import must_be_ours
from events.archive.errors import BusyError
from events.archive.journal import connect_journal
from events.archive.layout import Layout
from events.archive.lock import Lock
from events.archive.upgrade import STEPS as ARCHIVE_STEPS
from events.archive.upgrade import upgrade_archive
from events.formats import ARCHIVE, SETTINGS, WAREHOUSE, Format, FormatError
from events.settings.upgrade import STEPS as SETTINGS_STEPS
from events.settings.upgrade import upgrade_settings
from pipelines.warehouse.connect import about_catalogue, connect_fresh
from pipelines.warehouse.steps import STEPS as WAREHOUSE_STEPS
from tests.command import evenhand
from tests.homes.kept import KeptHome, unpacked
from tests.homes.test_read import answers_of_the_warehouse_hold

NEXT = Format("archive", ARCHIVE.version + 1)


def test_there_is_a_step_from_every_version() -> None:
    for form, steps in (
        (ARCHIVE, ARCHIVE_STEPS),
        (SETTINGS, SETTINGS_STEPS),
        (WAREHOUSE, WAREHOUSE_STEPS),
    ):
        assert sorted(steps) == list(range(1, form.version)), form


def test_it_moves_a_home_once_and_says_what_it_did(copy: KeptHome) -> None:
    first = copy.run("upgrade")
    assert first.returncode == 0, first.stderr
    if copy.name == "v1":
        assert first.stdout.splitlines() == [
            "archive: format 1 became 2: from now on messages are kept with the time of their "
            "arrival",
            "warehouse: format 1 became 2: the catalogue says its format and the folder whose "
            "files it names",
            "warehouse: format 2 became 3: the catalogue has tables of who dealt and who played "
            "how much; earlier runs have none",
            "warehouse: format 3 became 4: the catalogue has a table of how often each paragraph "
            "fired; earlier runs have none",
            "warehouse: the catalogue of 3 runs was built anew, because it was in format 1",
            "people: the waivers of waivers.jsonl were taken into the log of what people do",
        ]
    catalogue = (copy.home / "warehouse" / "audit.duckdb").read_bytes()
    again = copy.run("upgrade")
    assert (again.returncode, again.stderr) == (0, "")
    assert re.fullmatch(r".*/home: nothing to do, all is in the formats .*\)\n", again.stdout)
    assert (copy.home / "warehouse" / "audit.duckdb").read_bytes() == catalogue
    answers_of_the_warehouse_hold(copy)
    verified = copy.run("verify")
    assert "intact" in verified.stdout


def test_a_home_that_does_not_exist_has_nothing_to_move(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "upgrade")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to do" in done.stdout
    assert not list(tmp_path.iterdir())


def test_a_home_that_was_moved_is_read_and_built_anew(copy: KeptHome) -> None:
    """Its catalogue names files where they are no longer."""
    assert copy.run("upgrade").returncode == 0
    moved = KeptHome(copy.name, copy.home.with_name("elsewhere"))
    copy.home.rename(moved.home)
    answers_of_the_warehouse_hold(moved)
    done = moved.run("upgrade")
    assert done.stdout == (
        f"warehouse: the catalogue of 3 runs was built anew, because it named the files of "
        f"{copy.home / 'warehouse'}\n"
    )
    with connect_fresh(moved.home / "warehouse" / "audit.duckdb") as db:
        assert about_catalogue(db).root == str(moved.home / "warehouse")
    answers_of_the_warehouse_hold(moved)


def version_in(home: Path) -> str:
    with sqlite3.connect(home / "archive" / "journal.sqlite") as db:
        return str(db.execute("SELECT value FROM about WHERE name = 'format'").fetchone()[0])


def test_an_archive_moves_step_by_step(copy: KeptHome) -> None:
    """With made-up steps, as a later version would bring them."""
    root, later = copy.home / "archive", Format("archive", ARCHIVE.version + 2)
    upgrade_archive(root)

    def add(name: str) -> object:
        def step(db: sqlite3.Connection, layout: object) -> str:
            db.execute(f"ALTER TABLE days ADD COLUMN {name} TEXT")
            return f"days have {name}"

        return step

    steps = {ARCHIVE.version: add("one"), ARCHIVE.version + 1: add("two")}
    done = upgrade_archive(root, steps, later)  # type: ignore[arg-type]
    v = ARCHIVE.version
    assert done == [
        f"archive: format {v} became {v + 1}: days have one",
        f"archive: format {v + 1} became {v + 2}: days have two",
    ]
    assert upgrade_archive(root, steps, later) == []  # type: ignore[arg-type]
    assert version_in(copy.home) == str(v + 2)
    db = connect_journal(root / "journal.sqlite", write=False)
    must_be_ours(db, Layout(root))  # archive.json knows of it
    db.close()
    with pytest.raises(FormatError, match=f"format {v} or older, found {v + 2}, which a newer"):
        upgrade_archive(root)


def test_an_archive_in_use_is_not_moved(copy: KeptHome) -> None:
    root = copy.home / "archive"
    upgrade_archive(root)
    lock = Lock(root / "ingest.lock")
    try:
        assert upgrade_archive(root) == [], "nothing to do, so nobody has to stop"
        with pytest.raises(BusyError):
            upgrade_archive(root, {ARCHIVE.version: lambda db, layout: ""}, NEXT)
    finally:
        lock.close()
    assert version_in(copy.home) == str(ARCHIVE.version)


KILLED_IN_THE_ARCHIVE = """
import os, signal, sys
from pathlib import Path
from events.archive.upgrade import upgrade_archive
from events.formats import ARCHIVE, Format

def step(db, layout):
    db.execute("ALTER TABLE days ADD COLUMN more TEXT")
    os.kill(os.getpid(), signal.SIGKILL)

upgrade_archive(Path(sys.argv[1]) / "archive", {ARCHIVE.version: step},
                Format("archive", ARCHIVE.version + 1))
"""

KILLED_BEFORE_THE_RENAME = """
import os, signal, sys
from pathlib import Path
from pipelines.warehouse import catalogue
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.upgrade import upgrade_warehouse

build = catalogue.build
def built_and_killed(*args):
    build(*args)
    os.kill(os.getpid(), signal.SIGKILL)

catalogue.build = built_and_killed
upgrade_warehouse(warehouse_of(Path(sys.argv[1])))
"""

KILLED_IN_A_STEP = """
import os, signal, sys
from pathlib import Path
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.upgrade import upgrade_warehouse

def step(warehouse):
    os.kill(os.getpid(), signal.SIGKILL)

upgrade_warehouse(warehouse_of(Path(sys.argv[1])), {1: step})
"""


def killed(copy: KeptHome, code: str) -> subprocess.CompletedProcess[str]:
    done = evenhand(copy.home.parent, str(copy.home), code=code)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done


def test_a_kill_leaves_the_archive_in_the_version_before(copy: KeptHome) -> None:
    upgrade_archive(copy.home / "archive")
    killed(copy, KILLED_IN_THE_ARCHIVE)
    assert version_in(copy.home) == str(ARCHIVE.version)
    assert copy.asked("verify", "--json", codes=(0, 1))["days"] == copy.answers["verify"]["days"]
    done = upgrade_archive(
        copy.home / "archive",
        {ARCHIVE.version: lambda db, _: str(db.execute("ALTER TABLE days ADD COLUMN more"))},
        NEXT,
    )
    assert len(done) == 1


@pytest.mark.parametrize("code", [KILLED_IN_A_STEP, KILLED_BEFORE_THE_RENAME])
def test_a_kill_leaves_the_catalogue_as_it_was(code: str, tmp_path: Path) -> None:
    copy = unpacked("v1", tmp_path)
    catalogue = copy.home / "warehouse" / "audit.duckdb"
    before = catalogue.read_bytes()
    killed(copy, code)
    assert catalogue.read_bytes() == before
    answers_of_the_warehouse_hold(copy)
    assert copy.run("upgrade").returncode == 0
    assert copy.run("upgrade").stdout.count("nothing to do") == 1
    answers_of_the_warehouse_hold(copy)


LATER = Format("settings", SETTINGS.version + 1)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('# ours\nold = "a"\n', 'format = 2\n# ours\nnew = "a"\n'),
        ('# ours\nformat = 1 # of them\nold = "a"\n', '# ours\nformat = 2\nnew = "a"\n'),
        ("[old.format]\nx = 1\nformat = 1\n", "format = 2\n[new.format]\nx = 1\nformat = 1\n"),
        ('old = "a"\n[b]\nformat = "x"\n', 'format = 2\nnew = "a"\n[b]\nformat = "x"\n'),
        ("", "format = 2\n"),
    ],
)
def test_settings_keep_their_comments(text: str, after: str, tmp_path: Path) -> None:
    path = tmp_path / "evenhand.toml"
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    steps = {SETTINGS.version: lambda t: (t.replace("old", "new"), "old is called new")}
    assert upgrade_settings(path, steps, LATER) == [
        "settings: format 1 became 2: old is called new"
    ]
    assert path.read_text("utf-8") == after
    assert path.stat().st_mode & 0o777 == 0o600
    assert upgrade_settings(path, steps, LATER) == []
    assert path.read_text("utf-8") == after


def test_the_settings_file_keeps_its_place_behind_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "evenhand.toml"
    real.write_text('topic = "x"\n', "utf-8")
    link.symlink_to(real)
    upgrade_settings(link, {SETTINGS.version: lambda t: (t, "nothing")}, LATER)
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("format = 2\n")
