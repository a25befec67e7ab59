"""The watcher that follows a log: killed, started again, asked about late events."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from events.gateway import Gateway
from events.log.files.log import FileLog
from events.registry import TableKey
from events.registry_keys import add_key
from events.trust.note import SignerKey
from pipelines.night.plain import run_day
from pipelines.watch.follow import Follower
from pipelines.watch.keys import WatchKeys
from pipelines.watch.outbox import WatchError, WatchOutbox, outbox_file
from pipelines.watch.story import story_of
from pipelines.watch.table import KEEP_ROUNDS, SLACK_ROUNDS, LateEvent
from pipelines.watch.watcher import LatePlace, Watcher
from tests.command import COMMAND, ROOT, evenhand
from tests.pipelines.kit import (
    DAY,
    MORNING,
    TABLE,
    copied,
    correction,
    played,
    sent,
    settings_of,
    take_in,
    won_round,
)
from tests.pipelines.test_forged_tail import KEY, LATE, branch, registered, report
from tests.watch.kit import Heard, as_night, messages, of_night


class DeadError(Exception):
    """Stands for a process that ends between two messages."""


def run_until(home: Path, heard: Heard, most: int | None) -> None:
    """A watcher that takes so many messages and dies without a word, or comes to the end."""
    log, outbox = FileLog(home / "log"), WatchOutbox(outbox_file(home, "watch"))
    left = [most or 2**62]

    def dies() -> bool:
        left[0] -= 1
        if left[0] <= 0:
            raise DeadError
        return False

    try:
        Follower(settings_of(home), log, outbox, heard).run(follow=False, stop=dies)
    except DeadError:
        pass
    finally:
        outbox.close()
        log.close()


@pytest.mark.parametrize("archive", [True, False])
def test_it_goes_on_after_every_death_without_losing_or_repeating(
    floor: Path, tmp_path: Path, archive: bool
) -> None:
    """With an archive the open rounds come out of it, without one out of the log."""
    home = copied(floor, tmp_path / "home")
    night = of_night(home)
    (home / "warehouse").rename(home / "audited-later")
    if not archive:
        (home / "archive").rename(home / "archived-later")
    heard = Heard()
    for most in (10, 700, 1500, 40, None, None):
        run_until(home, heard, most)
    assert as_night(heard.stands) == night
    assert len(heard.numbers) == len(set(heard.numbers))


def test_a_command_killed_in_the_middle_prints_every_finding(floor: Path, tmp_path: Path) -> None:
    """SIGKILL as soon as it has printed something, three times; then it comes to the end."""
    home = copied(floor, tmp_path / "home")
    night = of_night(home)
    (home / "warehouse").rename(home / "audited-later")
    heard = Heard()
    base = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    env = base | {"PYTHONPATH": str(ROOT), "EVENHAND_HOME": str(home)}
    for lines in (1, 9, 30):
        command = [sys.executable, "-c", COMMAND, "watch", "--json", "--rounds"]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as watch:
            assert watch.stdout is not None
            some = [watch.stdout.readline() for _ in range(lines)]
            watch.send_signal(signal.SIGKILL)
            whole, _, _ = ("".join(some) + watch.stdout.read()).rpartition("\n")
        heard.lines(whole)
    done = evenhand(tmp_path, "watch", "--json", "--once", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    heard.lines(done.stdout)
    assert as_night(heard.stands) == night


@pytest.mark.parametrize("most", [1, 1_000])
def test_corrections_after_the_window_are_judged_once_the_archive_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("pipelines.watch.follow.MOST_ASKED", most)
    home = tmp_path / "home"
    home.mkdir()
    gateway = Gateway(TABLE)
    rounds = [won_round(0, winnings=3000), won_round(1, winnings=3000)]
    rounds += [won_round(n + 2) for n in range(KEEP_ROUNDS + SLACK_ROUNDS + 1)]
    sent = played(rounds, gateway)
    at, wrong = MORNING + timedelta(hours=2), [f"{TABLE}-000002", f"{TABLE}-000003"]
    fixed = [gateway.send(correction(), at=at, device="console", round_=name) for name in wrong]
    log = FileLog(home / "log", write=True)
    try:
        log.append(sent)
        heard = Heard()
        run_until(home, heard, None)
        money = [f for f in heard.stands.values() if f["severity"] == "money"]
        assert sorted(f["round"] for f in money) == wrong
        log.append(fixed)
        run_until(home, heard, None)
        assert all(f["id"] in heard.stands for f in money), "nobody knows the rounds any more"
        take_in(home, log)
        run_until(home, heard, None)
    finally:
        log.close()
    stands = [(f["round"], f["kind"]) for f in heard.stands.values() if f["round"] in wrong]
    assert sorted(stands) == [(name, "corrected") for name in wrong]


def test_late_events_wait_on_the_disk_and_some_are_asked_about_at_a_time(tmp_path: Path) -> None:
    """A gateway that begins its numbers anew sends nothing else; no archive may ever have it."""
    outbox = WatchOutbox(outbox_file(tmp_path, "watch"))
    late = [LatePlace(LateEvent(TABLE, None, seq), seq % 2, seq) for seq in range(1, 11)]
    outbox.commit((), "file:log", {}, late)
    assert outbox.ready({}, 3) == {}
    assert outbox.ready({0: 7, 1: 2}, 100) == {TABLE: [1, 2, 4, 6]}
    assert outbox.ready({0: 7, 1: 2}, 2) == {TABLE: [1, 2, 4]}  # two of each partition
    outbox.commit((), "file:log", {}, (), [(TABLE, seq) for seq in range(1, 10)])
    assert outbox.waits()
    outbox.commit((), "file:log", {}, (), [(TABLE, 10)])
    assert not outbox.waits()
    outbox.close()


def test_two_watchers_of_one_name_are_refused_and_of_two_names_are_not(
    floor: Path, tmp_path: Path
) -> None:
    home = copied(floor, tmp_path / "home")
    first = WatchOutbox(outbox_file(home, "watch"))
    try:
        with pytest.raises(WatchError, match="--name"):
            WatchOutbox(outbox_file(home, "watch"))
        WatchOutbox(outbox_file(home, "other")).close()
    finally:
        first.close()


def test_a_log_that_was_rewritten_is_refused(floor: Path, tmp_path: Path) -> None:
    home = copied(floor, tmp_path / "home")
    (home / "warehouse").rename(home / "audited-later")
    run_until(home, Heard(), None)
    outbox = WatchOutbox(outbox_file(home, "watch"))
    outbox.db.execute("UPDATE positions SET sha256 = x'00'")
    outbox.close()
    with pytest.raises(WatchError, match="rewritten"):
        run_until(home, Heard(), None)


def test_the_night_says_which_live_findings_stand(tmp_path: Path) -> None:
    """One is confirmed, one was told with another amount, one the night does not find."""
    home = tmp_path / "home"
    home.mkdir()
    rounds = [won_round(0, winnings=3000), won_round(1, winnings=3500), won_round(2)]
    sent = played(rounds)
    log = FileLog(home / "log", write=True)
    try:
        log.append(sent)
        heard = Heard()
        run_until(home, heard, None)
        take_in(home, log)
    finally:
        log.close()
    first, second = (f["id"] for f in heard.stands.values())
    outbox = WatchOutbox(outbox_file(home, "watch"))
    db = outbox.db
    db.execute("UPDATE standing SET body = replace(body, '\"money\":1000', '\"money\":9')")
    sql = "INSERT INTO standing SELECT 'F0', n, table_id, round, body, told_at, NULL, NULL "
    db.execute(f"{sql}FROM standing WHERE id = ?", (first,))
    sql = "INSERT INTO told SELECT n + 100, what, 'F0', table_id, round, body, open, dealer, "
    db.execute(f"{sql}changed, opened_us, told_at FROM told WHERE id = ?", (first,))
    outbox.close()
    night = run_day(settings_of(home), DAY, with_suites=False)
    assert night.state()["live"] == {"confirmed": 1, "changed": 1, "withdrawn": 1}
    stories = [story_of(home, id_) for id_ in (first, second, "F0", "F1")]
    assert [s and s.verdict for s in stories] == ["confirmed", "changed", "withdrawn", None]


@pytest.mark.parametrize("start_again", [False, True])
def test_the_signed_tail_counts_live_as_in_the_night(tmp_path: Path, start_again: bool) -> None:
    """A forged tail comes first, goes on further and is told; once the table has signed its own,
    what was told of the forged one is withdrawn, by the same watcher or by one that begins from the
    archive."""
    home, gateway = tmp_path / "home", Gateway(TABLE, key=KEY)
    registered(home)
    honest = report(gateway, [won_round(0)], "A", MORNING)
    forged = [won_round(n, winnings=602_500) for n in (1, 2, 3)]
    false = report(branch(gateway), forged, "F", LATE)
    rounds = [won_round(1), won_round(2, winnings=3000)]
    later = report(gateway, rounds, "B", LATE + timedelta(minutes=5))
    heard = Heard()
    if start_again:
        sent(home, [*honest, *false])
        run_until(home, heard, None)
        assert any(f["money"] == 600_000 for f in heard.stands.values())
        sent(home, later[:-4])
        run_until(home, heard, None)
        sent(home, later[-4:])
    else:
        sent(home, [*honest, *false, *later])
    run_until(home, heard, None)
    run_day(settings_of(home), DAY, with_suites=False)
    night = of_night(home)
    assert {kind for kind, *_ in night.values()} == {"duplicate_event", "unsigned", "wrong_odds"}
    assert not any(f["money"] == 600_000 for f in heard.stands.values())
    assert as_night(heard.stands) == night
    assert ("withdrawn", "wrong_odds") in heard.kinds


def test_a_signature_that_is_not_the_gateways_is_told_live(tmp_path: Path) -> None:
    """Until its key is registered: then it is withdrawn, while the same watcher goes on."""
    home, other = tmp_path / "home", SignerKey.from_seed("RWS-PP-01-2", bytes(range(1, 33)))
    registered(home)
    gateway = Gateway(TABLE, key=other)
    keys = WatchKeys(home / "tables.toml")
    heard, watcher = Heard(), Watcher("file:x", keys=keys)
    for message in messages(report(gateway, [won_round(0)], "A", MORNING)):
        heard.hear(watcher.take(message))
    assert [f["kind"] for f in heard.stands.values()] == ["wrong_signature"]
    assert "RWS-PP-01-2" in next(iter(heard.stands.values()))["message"]
    add_key(home / "tables.toml", TABLE, TableKey(other.name, other.verifier.public, DAY))
    more = report(gateway, [won_round(1)], "B", LATE)
    for message in messages(more, first=50):
        heard.hear(watcher.take(message))
    assert heard.stands == {}
