"""/live on the desk: what a watcher wrote on its board, as pages and as a stream."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from xml.dom import minidom

import pytest
from starlette.testclient import TestClient

from events.gateway import Gateway
from events.log.files.log import FileLog
from pipelines.alerts.alert import Alert
from pipelines.alerts.outbox import AlertOutbox
from pipelines.desk.app import create_app
from pipelines.night.plain import run_day
from pipelines.people.act import DeedBook
from pipelines.watch.board import WatchBoard
from pipelines.watch.follow import Follower
from pipelines.watch.outbox import WatchOutbox, outbox_file
from tests.pipelines.kit import DAY, TABLE, played, settings_of, take_in, won_round
from tests.watch.kit import Heard


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A table that has paid a round wrongly and is in the middle of the next."""
    home = tmp_path / "home"
    home.mkdir()
    log = FileLog(home / "log", write=True)
    gateway = Gateway(TABLE)
    log.append(played([won_round(0, winnings=3000), won_round(1)[:7]], gateway))
    outbox = WatchOutbox(outbox_file(home, "watch"))
    board = WatchBoard(home, "watch", "file:x")
    follower = Follower(settings_of(home), log, outbox, Heard(), board=board)
    for message in log.read({}):
        follower._take(message)
    board.write(follower.watcher.tables, {TABLE: time.time()}, 0)
    board.write_play(follower.watcher.tables.values())
    follower._flush()
    yield home
    board.close()
    outbox.close()
    log.close()


def desk_of(home: Path) -> TestClient:
    app = create_app(settings_of(home))
    return TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)


def standing(home: Path) -> list[tuple[str, str]]:
    """The findings that stand: id and text."""
    with closing(sqlite3.connect(outbox_file(home, "watch"))) as db:
        return db.execute("SELECT id, body FROM standing").fetchall()


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_floor_shows_tables_and_findings(home: Path) -> None:
    with desk_of(home) as desk:
        text = desk.get("/live").text
    assert "in a round" in text
    assert f'href="/live/{TABLE}"' in text
    assert "wrong odds" in text


def test_the_stream_goes_on_where_the_page_stopped(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.desk.rooms.live.STREAM_S", 0.01)
    with desk_of(home) as desk:
        first = desk.get("/live/events").text
        said = json.loads(first.split("data: ")[1].split("\n")[0])
        assert said["alive"]
        assert [t["table"] for t in said["tables"]] == [TABLE]
        assert [w["finding"]["kind"] for w in said["told"]] == ["wrong_odds"]
        place = first.split("id: ")[1].split("\n")[0]
        again = desk.get("/live/events", headers={"last-event-id": place}).text
    rest = json.loads(again.split("data: ")[1].split("\n")[0])
    assert (rest["tables"], rest["told"]) == ([], [])


def test_a_table_is_drawn_as_it_is_dealt(home: Path) -> None:
    with desk_of(home) as desk:
        page = desk.get(f"/live/{TABLE}").text
        picture = desk.get(f"/live/{TABLE}/drawing.svg")
        nobody = desk.get("/live/NOBODY")
    assert "being played" in page
    assert "paid 25.00 + 30.00" in page
    assert picture.headers["content-type"] == "image/svg+xml"
    root = minidom.parseString(picture.content).documentElement
    assert root is not None
    assert root.tagName == "svg"
    assert nobody.status_code == 404


def test_an_alerts_link_leads_to_the_finding_before_the_night_and_after_it(home: Path) -> None:
    """No day is published yet: the page is what was told. Then it is the night's, which says so."""
    ((id_, _),) = standing(home)
    with desk_of(home) as desk:
        first = words(desk.get(f"/finding/{id_}").text)
        assert desk.get(f"/find?q={id_}").headers["location"] == f"/finding/{id_}"
        assert desk.get("/finding/F0").status_code == 503, "nobody told it, and no day is published"
        log = FileLog(home / "log")
        take_in(home, log)
        log.close()
        assert desk.get(f"/round/{TABLE}-000002").status_code == 200
        run_day(settings_of(home), DAY, with_suites=False)
        published = words(desk.get(f"/finding/{id_}").text)
        assert desk.get("/finding/F0").status_code == 404
    assert "paid 25.00 + 30.00" in first
    assert "the night has not looked at it yet" in first
    assert f"{TABLE}-000002" in first
    assert "stake returned winnings" in first, "both lines"
    assert "confirmed by the night" in published
    assert "first seen" in published


def test_a_live_finding_that_was_withdrawn_or_changed_says_so(home: Path) -> None:
    ((id_, body),) = standing(home)
    path = outbox_file(home, "watch")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE standing SET night = 'x', verdict = 'withdrawn'")
    with desk_of(home) as desk:
        assert "the night does not find it" in words(desk.get(f"/finding/{id_}").text)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM standing")
            db.execute(
                "INSERT INTO told SELECT n + 1, 'withdrawn', id, table_id, round, body, open, "
                "dealer, changed, opened_us, told_at FROM told WHERE id = ?",
                (id_,),
            )
        gone = words(desk.get(f"/finding/{id_}").text)
        assert "withdrawn: a later event made it untrue" in gone
        log = FileLog(home / "log")
        take_in(home, log)
        log.close()
        with closing(sqlite3.connect(path)) as db, db:
            other = body.replace('"money":500', '"money":9')
            db.execute(
                "INSERT INTO standing VALUES (?, 1, ?, ?, ?, '2026-03-10T01:02:03', NULL, NULL)",
                (id_, TABLE, f"{TABLE}-000002", other),
            )
        run_day(settings_of(home), DAY, with_suites=False)
        assert "changed by the night" in words(desk.get(f"/finding/{id_}").text)


def test_an_alert_is_acknowledged_by_a_person_once(home: Path) -> None:
    outbox = AlertOutbox(home)
    alert = Alert("finding", None, "paid wrongly")
    outbox.put("F1/r", alert, ["x"], time.time(), finding="F1", rule="r", repeat_s=60)
    outbox.close()
    with desk_of(home) as desk:
        text = desk.get("/alerts").text
        assert "I have seen it" in text
        form = {"token": text.split('name="token" value="')[1].split('"')[0]}
        assert desk.post("/alerts/F1/seen").status_code == 403, "no page of ours sent it"
        assert desk.post("/alerts/F1/seen", data=form).status_code == 303
        assert desk.post("/alerts/F1/seen", data=form).status_code == 409
        assert "I have seen it" not in desk.get("/alerts").text
    (entry,) = DeedBook(home).log.read().entries
    assert (entry.what, entry.deed.subjects) == ("alert_seen", ("F1",))


def test_without_a_watcher_the_page_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with desk_of(home) as desk:
        assert "No watcher is at work" in desk.get("/live").text


def test_five_hundred_tables_fit_on_the_page(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    board = WatchBoard(home, "watch", "file:x")
    try:
        from pipelines.watch.table import TableWatch

        tables = {f"T-{n:03d}": TableWatch(f"T-{n:03d}") for n in range(500)}
        board.write(tables, {}, 0)
        with desk_of(home) as desk:
            text = desk.get("/live").text
    finally:
        board.close()
    assert text.count('<li class="table') == 500
