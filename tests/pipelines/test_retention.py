"""Nothing inside its retention is deleted; beyond it only what the command named before."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from events.settings import load_settings
from pipelines.backup.record import BackupFolder
from pipelines.backup.restore import restore_home
from pipelines.backup.take import take_backup
from pipelines.night.plain import run_day
from pipelines.services.retention import Beyond, beyond_retention
from pipelines.watch.outbox import ToldPosition, WatchOutbox, outbox_file, words_after
from pipelines.watch.told import LiveWord
from tests.command import evenhand
from tests.pipelines.kit import DAY, ask, settings_of

NOW = datetime.now(UTC)
TEN_YEARS = timedelta(days=3653)


def of_kind(found: list[Beyond], kind: str) -> Beyond:
    (one,) = [one for one in found if one.kind == kind]
    return one


def test_unless_set_every_record_stays_ten_years() -> None:
    blank = load_settings({}, environ={}, folder=Path("/nowhere"))
    assert blank.warehouse_retention_days >= 3652
    assert blank.told_retention_days >= 3652
    assert blank.backup_retention_days >= 3652


def test_a_run_that_no_longer_counts_goes_after_its_time_and_the_one_that_counts_never(
    home: Path,
) -> None:
    settings = settings_of(home)
    first = run_day(settings, DAY, with_suites=False)
    second = run_day(settings, DAY, with_suites=False)
    within = beyond_retention(settings, NOW + TEN_YEARS - timedelta(days=2))
    assert of_kind(within, "runs").what == ()
    for one in within:
        one.remove()
    assert first.folder.path.exists(), "nothing inside the retention goes"
    runs = of_kind(beyond_retention(settings, NOW + TEN_YEARS + timedelta(days=2)), "runs")
    assert runs.what == (f"{DAY} run {first.folder.run}",)
    runs.remove()
    assert not first.folder.path.exists()
    assert second.folder.path.exists()
    assert ask(home, "SELECT count(*) > 0 FROM rounds") == [(True,)]


def test_logs_and_what_watch_told_go_after_their_time(home: Path) -> None:
    settings = settings_of(home, log_retention_days=30, told_retention_days=60)
    logs = home / "logs"
    logs.mkdir()
    for name, days in (("old.log", 31), ("young.log", 29)):
        (logs / name).write_text("here\n")
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(logs / name, (at, at))
    outbox = WatchOutbox(outbox_file(home, "watch"))
    words = [LiveWord("finding", id_, "T", "R", "{}", (), None, False, None) for id_ in ("a", "b")]
    gone = LiveWord("withdrawn", "a", "T", "R", "{}", (), None, False, None)
    outbox.commit(words, "log", {0: ToldPosition(1, None)})
    told = outbox.commit([gone], "log", {0: ToldPosition(2, None)})
    outbox.printed(told[-1].n)
    found = beyond_retention(settings, NOW + timedelta(minutes=5))
    assert of_kind(found, "logs").what == ("old.log",)
    assert of_kind(found, "told").what == ()
    later = of_kind(beyond_retention(settings, NOW + timedelta(days=61)), "told")
    assert later.what == ("watch: 2 words",)
    of_kind(found, "logs").remove()
    later.remove()
    assert [path.name for path in logs.iterdir()] == ["young.log"]
    assert [word.id for _, word in words_after(outbox.db, 0)] == ["b"], "what stands is kept"
    outbox.close()


def test_an_old_backup_goes_and_the_others_are_whole(home: Path, tmp_path: Path) -> None:
    settings = settings_of(home, backup_retention_days=90)
    kept = BackupFolder(tmp_path / "copies")
    old = take_backup(home, kept, now=NOW - timedelta(days=100)).record
    (home / "alerts.jsonl").write_text("{}\n")
    take_backup(home, kept, now=NOW - timedelta(days=80))
    (home / "alerts.jsonl").write_text("{}\n{}\n")
    take_backup(home, kept, now=NOW)
    backups = of_kind(beyond_retention(settings, NOW, kept.root), "backups")
    assert backups.what == (old.name,)
    backups.remove()
    assert old.name not in kept.names()
    for n, name in enumerate(kept.names()):
        restore_home(tmp_path / f"again{n}", kept, kept.read(name)[0])
        assert (tmp_path / f"again{n}" / "alerts.jsonl").read_text().count("{}") == n + 1
    late = of_kind(beyond_retention(settings, NOW + TEN_YEARS, kept.root), "backups")
    assert late.what == tuple(kept.names()[:-1]), "the newest stays, whatever its age"


def test_the_command_says_what_would_go_and_deletes_only_when_told(home: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    first = evenhand(home.parent, "nightly", "--json", EVENHAND_HOME=str(home))
    run = json.loads(first.stdout)
    old = (NOW - timedelta(days=500)).timestamp()
    path = home / "logs" / "runs" / f"{run['run']}.jsonl"
    os.utime(path, (old, old))

    def asked(*words: str) -> dict[str, dict[str, object]]:
        done = evenhand(home.parent, "retention", *words, "--json", EVENHAND_HOME=str(home))
        assert done.returncode == 0, done.stderr
        found: dict[str, dict[str, object]] = json.loads(done.stdout)["kinds"]
        return found

    kinds = asked()
    assert kinds["logs"] == {"days": 400, "beyond": [f"runs/{path.name}"]}
    assert kinds["dagster"]["beyond"] == kinds["runs"]["beyond"] == kinds["told"]["beyond"] == []
    assert path.exists()
    assert asked("--apply")["logs"]["beyond"] == [f"runs/{path.name}"]
    assert not path.exists()
    assert asked()["logs"]["beyond"] == []
    words = evenhand(home.parent, "retention", EVENHAND_HOME=str(home)).stdout.splitlines()
    assert words[0] == "runs: nothing is older than 3,653 days"


def test_dagsters_old_records_go(home: Path) -> None:
    from pipelines.dagster_defs.home import open_instance
    from pipelines.dagster_defs.old_runs import forget_runs, runs_before

    done = evenhand(home.parent, "nightly", "--json", EVENHAND_HOME=str(home))
    run = json.loads(done.stdout)["dagster_run"]
    with open_instance(home) as instance:
        assert runs_before(instance, NOW - timedelta(days=400)) == []
        assert runs_before(instance, NOW + timedelta(days=1)) == [run]
        forget_runs(instance, [run])
        assert instance.get_runs() == []


@pytest.mark.parametrize("name", ["told", "log", "dagster", "backup"])
def test_a_retention_of_no_days_is_refused(tmp_path: Path, name: str) -> None:
    done = evenhand(tmp_path, "retention", **{f"EVENHAND_{name.upper()}_RETENTION_DAYS": "0"})
    assert done.returncode == 2
    assert "expected an integer 1 to 36500" in done.stderr
