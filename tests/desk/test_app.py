"""The desk itself: what goes out with every page, bad addresses, a warehouse that is not well."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import duckdb
import pytest
from starlette.testclient import TestClient

from pipelines.desk.books import Books
from pipelines.desk.rooms import day as day_room
from pipelines.night.plain import run_day
from pipelines.people.act import Actor, DeedBook
from pipelines.report.morning import morning
from pipelines.warehouse.layout import warehouse_of
from tests.desk.conftest import ADDRESS, NEXT, desk_of
from tests.pipelines.kit import DAY, copied, settings_of

HOSTILE = (
    "nobody",
    "<script>alert(1)</script>",
    "'; DROP TABLE findings; --",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "\u202eevil",
    "x" * 5000,
)


def test_strict_headers_go_out_with_every_answer(desk: TestClient) -> None:
    for address in ("/", f"/day/{DAY}", "/nowhere", "/healthz", "/metrics", "/static/desk.css"):
        headers = desk.get(address).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert address.startswith("/static") or headers["cache-control"] == "no-store"


def test_another_name_for_this_machine_is_not_answered(desk: TestClient) -> None:
    """A page of a stranger whose name points at 127.0.0.1 must not read the desk."""
    assert desk.get("/healthz", headers={"host": "evil.example"}).status_code == 421
    assert desk.get("/healthz", headers={"host": "localhost:8765"}).status_code == 200
    assert desk.get("/healthz", headers={"host": "[::1]:8765"}).status_code == 200


def test_the_newest_day_is_the_way_in(desk: TestClient) -> None:
    found = desk.get("/")
    assert found.headers["location"] == f"/day/{NEXT}"
    assert desk.get("/healthz").json()["day"] == NEXT.isoformat()


@pytest.mark.parametrize("name", HOSTILE)
def test_bad_days(desk: TestClient, name: str) -> None:
    answer = desk.get(f"/day/{name}")
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    assert len(answer.text) < 20_000


def test_no_warehouse_is_said_and_a_new_day_appears_without_a_restart(
    archived_home: Path,
) -> None:
    with desk_of(archived_home) as desk:
        assert desk.get("/").status_code == 503
        assert "evenhand nightly" in desk.get("/").text
        assert desk.get("/healthz").json()["status"] == "no catalogue"
        run_day(settings_of(archived_home), DAY, with_suites=False)
        assert desk.get("/").headers["location"] == f"/day/{DAY}"
        first = desk.get("/healthz").json()
        run_day(settings_of(archived_home), DAY, with_suites=False)
        second = desk.get("/healthz").json()
        assert first["run"] != second["run"]
        assert first["edition"] != second["edition"]


def test_a_damaged_catalogue_is_said(two_days: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    catalogue = warehouse_of(home).catalogue
    catalogue.chmod(0o600)
    catalogue.write_bytes(b"no database" * 1000)
    with desk_of(home) as desk:
        answer = desk.get(f"/day/{DAY}")
        assert answer.status_code == 503
        assert "can&#39;t be read" in answer.text
        assert "Traceback" not in answer.text


def test_metrics_count_by_page_never_by_what_was_typed(desk: TestClient) -> None:
    desk.get("/day/some-strange-text")
    text = desk.get("/metrics").text
    assert 'evenhand_desk_requests_total{page="/day/{day}",status="404"}' in text
    assert "strange" not in text


def test_every_page_is_at_the_address(desk: TestClient) -> None:
    assert desk.base_url == ADDRESS
    assert desk.get("/runs").status_code == 200


def test_what_the_house_did_not_sign_is_told_on_every_page_and_not_handed_out(
    two_days: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    with desk_of(home) as desk:
        assert "Do not rely" not in desk.get("/findings").text
        assert desk.get("/findings.csv").status_code == 200
        catalogue = warehouse_of(home).catalogue
        changed = tmp_path / "changed"
        shutil.copyfile(catalogue, changed)
        with duckdb.connect(str(changed)) as db:
            db.execute("CREATE TABLE smuggled (x INTEGER)")
        changed.replace(catalogue)
        for address in ("/findings", f"/day/{DAY}", "/runs"):
            assert "Do not rely on these pages" in desk.get(address).text
        for address in ("/findings.csv", "/findings.xlsx", "/sql.csv?q=SELECT+1"):
            refused = desk.get(address)
            assert refused.status_code == 409, address
            assert "was changed after" in refused.text


def test_the_page_of_a_day_is_made_once_until_somebody_decides_or_a_night_publishes(
    two_days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[date] = []

    def counted(books: Books, wanted: date, before: date | None) -> dict[str, Any]:
        asked.append(wanted)
        return morning(books, wanted, before)

    monkeypatch.setattr(day_room, "morning", counted)
    home = copied(two_days, tmp_path / "home")
    with desk_of(home) as desk:
        first = desk.get(f"/day/{NEXT}").text
        assert desk.get(f"/day/{NEXT}").text == first
        assert asked == [NEXT]
        name = first[first.index('href="/finding/') :].split('"')[1].removeprefix("/finding/")
        book: DeedBook = desk.app.state.deeds  # type: ignore[attr-defined]
        book.do(Actor("root", "local"), "case_assigned", [name], {"assignee": "root"})
        changed = desk.get(f"/day/{NEXT}").text
        assert changed != first
        assert "assigned" in changed
        run_day(settings_of(home), NEXT, with_suites=False)
        assert desk.get(f"/day/{NEXT}").text != changed
        assert asked == [NEXT] * 3


def test_a_catalogue_that_is_replaced_again_and_again_gives_no_error_and_no_half_old_page(
    two_days: Path, tmp_path: Path
) -> None:
    """Two runs of a day take turns while pages are read: each page is all of one of them."""
    home = copied(two_days, tmp_path / "home")
    catalogue = warehouse_of(home).catalogue
    kept = [catalogue.read_bytes()]
    run_day(settings_of(home), NEXT, with_suites=False)
    kept.append(catalogue.read_bytes())
    turns: Queue[bytes | None] = Queue()

    def replace() -> None:
        while (content := turns.get()) is not None:
            draft = catalogue.with_name(".next")
            draft.write_bytes(content)
            draft.replace(catalogue)

    publisher = Thread(target=replace)
    publisher.start()
    runs: dict[str, set[str]] = {}
    try:
        with desk_of(home) as desk:
            for n in range(12):
                turns.put(kept[n % 2])  # some time while the page is made
                page = desk.get(f"/day/{NEXT}")
                assert page.status_code == 200, page.text[:500]
                edition = re.findall(r'data-edition="([^"]+)"', page.text)[0]
                named = re.findall(r'<th scope="row">run</th><td>([\w-]+)', page.text)
                runs.setdefault(edition, set()).update(named)
    finally:
        turns.put(None)
        publisher.join()
    assert len(runs) > 1
    assert all(len(named) == 1 for named in runs.values())
