"""Many readers at once: nobody waits for another's slow page, and nothing grows without bound."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from starlette.testclient import TestClient

from pipelines.desk import pages, questions
from pipelines.desk.kept import KeptContents
from pipelines.desk.rooms import live
from pipelines.desk.streams import MOST_STREAMS, LiveStreams
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from tests.desk.conftest import desk_of
from tests.desk.test_decisions import ask_for
from tests.pipelines.kit import DAY, TABLE, ask, copied, settings_of
from tests.watch.test_live_page import home as playing

__all__ = ["playing"]  # a fixture


def no_loop_here() -> None:
    """Fail where this runs in the loop that serves everybody."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise AssertionError("a page is made in the event loop: everybody else waits for it")


@pytest.fixture
def never_in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    templates, shelf = pages.templates, pages._shelf

    def looked_templates() -> object:
        no_loop_here()
        return templates()

    def looked_shelf(request: object) -> object:
        no_loop_here()
        return shelf(request)  # type: ignore[arg-type]

    monkeypatch.setattr(pages, "templates", looked_templates)
    monkeypatch.setattr(pages, "_shelf", looked_shelf)


@pytest.mark.usefixtures("never_in_the_loop")
def test_no_page_is_made_in_the_loop_that_serves_everybody(two_days: Path, tmp_path: Path) -> None:
    with desk_of(copied(two_days, tmp_path / "home")) as desk:
        ((finding,),) = ask(two_days, "SELECT id FROM findings ORDER BY id LIMIT 1")
        text = desk.get(f"/decide?finding={finding}").text
        token = re.findall(r'name="token" value="([^"]+)"', text)[0]
        sent = {"token": token, "finding": finding, "what": "comment", "text": "x"}
        for address in (f"/day/{DAY}", "/verify", "/sign-in", "/decisions", "/nowhere", "/live"):
            assert desk.get(address).status_code in {200, 303, 404}, address
        assert desk.post("/case", data=sent).status_code == 303
        asked = sent | {"reason": "x", "until": "2026-01-01"}
        assert desk.post("/waiver", data=asked).status_code == 400
        assert desk.post("/verify", files={"file": ("e.zip", b"nothing")}).status_code == 422


@pytest.mark.usefixtures("never_in_the_loop")
def test_no_live_page_is_made_in_the_loop_either(playing: Path) -> None:
    with desk_of(playing) as desk:
        for end in ("", "/play", "/drawing.svg"):
            assert desk.get(f"/live/{TABLE}{end}").status_code == 200


def test_streams_are_bounded_and_one_that_ends_makes_room(
    playing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STREAM_S", 0.01)
    with desk_of(playing) as desk:
        for _ in range(3):
            assert desk.get("/live/events").status_code == 200
        streams: LiveStreams = desk.app.state.streams  # type: ignore[attr-defined]
        assert streams.open == 0, "each has ended"
        streams.open = MOST_STREAMS
        late = desk.get("/live/events")
        assert late.status_code == 503
        assert int(late.headers["retry-after"]) > 0


def test_many_streams_look_at_the_board_once(playing: Path) -> None:
    with desk_of(playing) as desk:
        streams: LiveStreams = desk.app.state.streams  # type: ignore[attr-defined]
        looks = [streams.look(0, None) for _ in range(20)]
        assert len({id(look) for look in looks}) == 1
        assert streams.look(10**9, None) is not looks[0], "who stands elsewhere is told his own"


def test_a_slow_content_keeps_only_those_waiting_who_want_it() -> None:
    kept = KeptContents()
    begun, go_on = Event(), Event()

    def slow() -> str:
        begun.set()
        assert go_on.wait(30)
        return "slow"

    made: list[str] = []
    first = Thread(target=lambda: made.append(kept.of("a", ("1",), slow)))
    second = Thread(target=lambda: made.append(kept.of("a", ("1",), lambda: "again")))
    first.start()
    assert begun.wait(30)
    second.start()
    assert kept.of("b", ("1",), lambda: "quick") == "quick"
    go_on.set()
    first.join()
    second.join()
    assert made == ["slow", "slow"], "made once"


def test_a_content_that_could_not_be_made_is_tried_again() -> None:
    kept = KeptContents()
    with pytest.raises(ZeroDivisionError):
        kept.of("a", ("1",), lambda: 1 // 0)
    assert kept.of("a", ("1",), lambda: 5) == 5


def test_only_so_many_contents_are_kept() -> None:
    kept = KeptContents(most=2)
    for n in range(5):
        kept.of(n, ("1",), lambda: "x")
    asked: list[int] = []
    for n in range(5):
        kept.of(n, ("1",), lambda n=n: asked.append(n) or "x")  # type: ignore[misc]
    assert len(asked) >= 3


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "POST", "TRACE"])
def test_other_methods_are_answered_at_every_address(desk: TestClient, method: str) -> None:
    for route in desk.app.routes:  # type: ignore[attr-defined]
        address = re.sub(r"\{[^}]+\}", "x", route.path)
        answer = desk.request(method, address)
        assert answer.status_code < 500 or address in {"/live/x", "/live/x/play"}, address
        if answer.status_code == 405:
            assert answer.headers["allow"]


def test_questions_share_a_connection_until_a_night_publishes(
    two_days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    really = questions.open_readonly

    def counted(home: Path, *rest: Any, **more: Any) -> Any:
        opened.append(home)
        return really(home, *rest, **more)

    monkeypatch.setattr(questions, "open_readonly", counted)
    home = copied(two_days, tmp_path / "home")
    sql = "SELECT max(run) FROM runs WHERE current"
    with desk_of(home) as desk:
        first = [desk.get("/sql.csv", params={"q": sql}).text for _ in range(3)]
        assert len(set(first)) == len(opened) == 1
        assert desk.get("/sql.csv", params={"q": "SELECT no FROM runs"}).status_code == 400
        assert desk.get("/sql.csv", params={"q": sql}).text == first[0]
        assert len(opened) == 2, "what failed in a question is not used again"
        run_day(settings_of(home), DAY, with_suites=False)
        assert desk.get("/sql.csv", params={"q": sql}).text != first[0]
        assert len(opened) == 3


def test_a_question_to_a_catalogue_that_is_damaged(two_days: Path, tmp_path: Path) -> None:
    home = copied(two_days, tmp_path / "home")
    catalogue = warehouse_of(home).catalogue
    with desk_of(home) as desk:
        assert desk.get("/sql?q=SELECT+1").status_code == 200
        ((finding,),) = ask(two_days, "SELECT id FROM findings ORDER BY id LIMIT 1")
        assert ask_for(desk, finding).status_code == 303
        broken = catalogue.with_name("broken")
        broken.write_bytes(b"no database" * 1000)
        broken.replace(catalogue)
        for address in ("/sql?q=SELECT+1", "/sql.csv?q=SELECT+1", "/sql.parquet?q=SELECT+1"):
            assert desk.get(address).status_code == 503, address
        catalogue.unlink()
        assert desk.get("/sql?q=SELECT+1").status_code == 503
        assert "as on the tape" in desk.get("/decisions").text


def test_alerts_that_can_not_be_read_are_said(playing: Path) -> None:
    (playing / "alerts.sqlite").write_bytes(b"no database" * 1000)
    with desk_of(playing) as desk:
        answer = desk.get("/alerts")
    assert answer.status_code == 503
    assert "alerts.sqlite" in answer.text


def test_a_page_past_the_last_one_says_so(desk: TestClient) -> None:
    answer = desk.get("/findings?page=99999")
    assert answer.status_code == 200
    assert "past the last page" in answer.text
