"""The pages in a real browser: at three widths, without a word on the console, axe content."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, sync_playwright

from pipelines.desk.app import create_app
from pipelines.desk.listen import listening
from tests.desk.conftest import NEXT
from tests.desk.test_pages import ask
from tests.pipelines.browser import browser as program
from tests.pipelines.kit import settings_of

WIDTHS = (1400, 800, 420)
SQUEEZED = """[...document.querySelectorAll("td")]
    .filter((td) => td.innerText && td.getBoundingClientRect().height > 150)
    .map((td) => td.innerText.slice(0, 60))"""
"""Cells in rows that are as high as a picture, because a column has room for a few letters only."""


@pytest.fixture(scope="module")
def address(two_days: Path) -> Iterator[str]:
    with listening("127.0.0.1", 0) as (socket, found):
        config = uvicorn.Config(create_app(settings_of(two_days)), log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
        thread.start()
        yield found.rstrip("/")
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as p:
        found = p.chromium.launch(executable_path=program(), args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def addresses(home: Path) -> list[str]:
    ((finding, round_, table, dealer, player),) = ask(
        home,
        "SELECT id, round, table_id, dealer, player FROM findings WHERE player IS NOT NULL AND "
        "dealer IS NOT NULL AND severity = 'money' ORDER BY id LIMIT 1",
    )
    return [
        f"/day/{NEXT}", "/days", "/findings", f"/finding/{finding}", f"/round/{round_}",
        f"/table/{table}", f"/dealer/{dealer}", f"/player/{player}", "/sql?query=money-by-kind",
        "/rulebook/pontoon-plus-rws-v5", "/verify", "/runs", "/live", "/alerts", "/decisions",
        "/nowhere",
    ]  # fmt: skip


def test_every_page_at_three_widths(two_days: Path, address: str, chromium: Browser) -> None:
    said: list[str] = []
    page = chromium.new_page()
    page.on("console", lambda m: said.append(f"{page.url}: {m.text}"))
    page.on("pageerror", lambda e: said.append(f"{page.url}: {e}"))
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    axe = Axe()
    violations: list[tuple[str, str, list[str]]] = []
    for path in addresses(two_days):
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(address + path)
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        violations += [(path, v["id"], [n["html"][:120] for n in v["nodes"][:2]]) for v in found]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                violations.append((path, f"{wide} wide", [str(width)]))
            violations += [
                (path, f"squeezed at {width}", [text]) for text in page.evaluate(SQUEEZED)
            ]
    page.close()
    assert not violations, "\n".join(map(str, violations))
    assert [url for url in asked if not url.startswith(("data:", address))] == []
    assert [line for line in said if "/nowhere" not in line] == []


def test_the_morning_is_one_screen_and_the_report_two_pages(
    two_days: Path, address: str, chromium: Browser
) -> None:
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{address}/day/{NEXT}")
    ends = page.evaluate("document.querySelector('.morning').getBoundingClientRect().bottom")
    assert ends <= 900, "the answers stand on one screen"
    report = next((two_days / "warehouse").glob(f"day={NEXT}/run=*/report.html"))
    page.goto(report.as_uri())
    pages = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
    assert pages == 2
    page.close()


def test_by_keyboard_to_the_first_finding(two_days: Path, address: str, chromium: Browser) -> None:
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{address}/findings?sort=money")
    page.locator("table.inbox tbody a[href^='/finding/']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/finding/*")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "go"
    page.keyboard.type("RWS-PP-01")
    page.keyboard.press("Enter")
    page.wait_for_url("**/table/RWS-PP-01")
    page.close()
