"""The whole house on one machine: what dies is started again, and all end in order."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from pipelines.services.state import read_state, state_file
from pipelines.services.status import look_at_house
from tests.command import ROOT, evenhand
from tests.pipelines.kit import DAY, MORNING, played, sent, settings_of, won_round

HOUSE = """
import sys
from pathlib import Path
from pipelines.services.spec import Service
from pipelines.services import supervise
supervise.PAUSES_S = (0.1, 0.2)
words = (sys.executable, "-c", "import time; print('here'); time.sleep(600)")
dies = (sys.executable, "-c", "print('no room'); raise SystemExit(3)")
services = [Service("steady", words), Service("broken", dies)]
say = lambda event, text, **facts: print(text, flush=True)
supervise.run_house(Path(sys.argv[1]), services, {}, say)
"""


def until(what: str, found: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)


@pytest.fixture
def house(tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOUSE, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def service(home: Path, name: str) -> dict[str, object]:
    state = read_state(home)
    assert state is not None
    (one,) = [s for s in state.services if s.name == name]
    return {"pid": one.pid, "restarts": one.restarts, "last_exit": one.last_exit}


def test_what_dies_is_started_again_and_a_broken_one_costs_only_itself(
    house: subprocess.Popen[str], tmp_path: Path
) -> None:
    until("the house", lambda: read_state(tmp_path) is not None)
    first = service(tmp_path, "steady")["pid"]
    assert isinstance(first, int)
    os.kill(first, signal.SIGKILL)
    until("another one", lambda: service(tmp_path, "steady")["pid"] not in (None, first))
    assert service(tmp_path, "steady")["last_exit"] == -signal.SIGKILL
    until("three tries", lambda: int(str(service(tmp_path, "broken")["restarts"])) >= 3)
    assert service(tmp_path, "broken")["last_exit"] == 3
    second = service(tmp_path, "steady")["pid"]
    assert isinstance(second, int)
    house.send_signal(signal.SIGINT)
    out, _ = house.communicate(timeout=60)
    assert house.returncode == 0
    assert out.splitlines()[-1] == "stopped"
    assert "broken ended by itself (exit code 3): no room" in out
    assert not state_file(tmp_path).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


def test_whoever_kills_the_house_kills_what_it_started(
    house: subprocess.Popen[str], tmp_path: Path
) -> None:
    until("the house", lambda: read_state(tmp_path) is not None)
    pid = service(tmp_path, "steady")["pid"]
    assert isinstance(pid, int)
    house.kill()
    house.wait(60)

    def gone() -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
        except FileNotFoundError:
            return True

    until("its end", gone)
    assert read_state(tmp_path) is None, "what a dead process wrote down is no state"


def test_status_says_what_waits_and_what_needs_a_person(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def status() -> dict[str, object]:
        done = evenhand(tmp_path, "status", "--json", EVENHAND_HOME=str(home))
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return found

    assert "there is no home here yet" in str(status()["needs"])
    sent(home, played([won_round(0, winnings=3000)]))
    before = status()
    assert before["lag"] == [
        {"source": "file", "behind": 0, "partitions": {"0": 0}, "problem": None}
    ]
    from events.log.files.log import FileLog

    log = FileLog(home / "log", write=True)
    log.append(played([won_round(1)]))
    log.close()
    after = status()
    lag = after["lag"]
    assert isinstance(lag, list)
    assert lag[0]["behind"] == 12
    assert "12 messages of the file log wait" in str(after["needs"])
    from pipelines.night.plain import run_day

    run_day(settings_of(home), DAY, with_suites=False)
    night = status()["night"]
    assert isinstance(night, dict)
    assert night["last_day"] == DAY.isoformat()
    assert night["open_findings"]["money"] == 1
    for days, age in ((1, "1d"), (2, "7d"), (7, "7d"), (30, "30d"), (31, "older")):
        later = look_at_house(settings_of(home), MORNING + timedelta(days=days, hours=2)).night
        assert later is not None
        assert {a: n for a, n in later.open_by_age["money"].items() if n} == {age: 1}
    told = evenhand(tmp_path, "status", EVENHAND_HOME=str(home)).stdout.splitlines()
    assert len(told) <= 12
    assert told[0].startswith("home ")
    catalogue = home / "warehouse" / "audit.duckdb"
    catalogue.chmod(0o640)
    with duckdb.connect(str(catalogue)) as db:
        db.execute("DELETE FROM findings")
    needs = status()["needs"]
    assert isinstance(needs, list)
    assert f"{catalogue}: it was changed after publication 1" in needs[0]


def test_a_damaged_part_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    home = tmp_path / "home"
    sent(home, played([won_round()]))
    (home / "warehouse").mkdir()
    (home / "warehouse" / "audit.duckdb").write_bytes(b"no database")
    done = evenhand(tmp_path, "status", "--json", EVENHAND_HOME=str(home))
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["archive"]["days"] == 1
    assert any("audit.duckdb" in text for text in found["needs"])


def test_a_damaged_journal_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    """Two pages of it are damaged, so that it opens; who asks for the logs gets no answer."""
    home = tmp_path / "home"
    sent(home, played([won_round()]))
    with closing(sqlite3.connect(home / "archive" / "journal.sqlite")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = db.execute("PRAGMA page_size").fetchone()
        sql = "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'sources'"
        pages = [page for (page,) in db.execute(sql)]  # the table's and its index's
    journal = home / "archive" / "journal.sqlite"
    content = bytearray(journal.read_bytes())
    for page in pages:
        content[(page - 1) * size : page * size] = b"\xff" * size
    journal.write_bytes(content)
    found = look_at_house(settings_of(home))
    assert [text for text in found.needs if "evenhand verify" in text] == [
        "a file of the archive can't be read: database disk image is malformed; "
        "evenhand verify names it"
    ]
    assert found.disk_total > 0
