"""The whole way of work in a real browser, by keyboard alone, and nothing for axe on the way.

Sign in, find, read, ask for a waiver, be refused one's own approval, approve as another, revoke,
sign out.
"""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pipelines.desk.app import create_app
from pipelines.people.act import DeedBook, local_actor
from pipelines.people.log import PeopleLog, access_file
from pipelines.people.manage import add_account
from tests.pipelines.browser import browser
from tests.pipelines.kit import ask, settings_of

SECRET = "the dealer stands on 17"
NAMES = {"raj": "approver", "sue": "approver"}


@pytest.fixture(scope="module")
def home(two_days: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("work") / "home"
    shutil.copytree(two_days, home)
    for name, role in NAMES.items():
        add_account(DeedBook(home), local_actor(), name, [role], lambda: SECRET)
    return home


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """The desk itself, on a free port of this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(create_app(settings_of(home)), log_level="error", lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        yield opened
        opened.close()


class Worker:
    """Somebody with a keyboard and no mouse."""

    def __init__(self, chromium: Browser, address: str, width: int = 1400) -> None:
        self.page: Page = chromium.new_page(viewport={"width": width, "height": 900})
        self.address, self.said = address, list[str]()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.looks_well()

    def to(self, selector: str) -> None:
        """Tab until the focus is there, as somebody does who sees it."""
        for _ in range(400):
            if self.page.evaluate("s => !!document.activeElement?.matches(s)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no Tab leads to {selector} on {self.page.url}")

    def write(self, selector: str, text: str) -> None:
        self.to(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def press(self, selector: str) -> None:
        """Enter on a link or a button, and the page that comes of it."""
        self.to(selector)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")
        self.looks_well()

    def looks_well(self) -> None:
        """Nothing for axe, nothing on the console, nothing past the edge of the window."""
        report = Axe().run(self.page)
        assert report.violations_count == 0, f"{self.page.url}: {report.generate_report()}"
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(wider) <= 0, f"{self.page.url} is wider than the window"
        unheard = [s for s in self.said if "the server responded with a status of 4" not in s]
        assert unheard == [], self.page.url

    def sign_in(self, name: str, path: str) -> None:
        self.open(path)
        self.write("#account", name)
        self.write("#password", SECRET)
        self.press(".sign-in button")
        expect(self.page.locator(".who")).to_contain_text(name)


def test_the_whole_way_of_work(home: Path, address: str, chromium: Browser) -> None:
    wanted = "SELECT id, round FROM findings WHERE severity = 'money' ORDER BY id LIMIT 1"
    ((finding, round_),) = ask(home, wanted)
    raj, sue = Worker(chromium, address), Worker(chromium, address)

    raj.sign_in("raj", "/findings")
    raj.write("#f-q", finding)  # find
    raj.press(".filters button")
    raj.press(f'a[href="/finding/{finding}"]')  # read
    expect(raj.page.locator("#case")).to_contain_text("Nobody has touched it yet")
    raj.press(f'.w4 a[href="/round/{round_}"]')
    raj.page.go_back()

    raj.write("#case #comment", "asked surveillance for the tape")
    raj.press("#case form:has(#comment) button")
    raj.write("#reason", "as on the tape")  # ask
    raj.press(".ask button")
    (waiver,) = DeedBook(home).people().waivers.values()
    expect(raj.page.locator("#waivers")).to_contain_text(f"{waiver.id} asked")

    approve = f'form[action="/waiver/{waiver.id}"]:has([value=approved]) button'
    raj.press(approve)  # be refused
    expect(raj.page.locator("main")).to_contain_text("somebody else has to approve it")
    assert DeedBook(home).people().waivers[waiver.id].state == "asked"

    sue.sign_in("sue", "/decisions")
    expect(sue.page.locator("main")).to_contain_text("as on the tape")
    sue.press(approve)  # approve as another
    expect(sue.page.locator("main")).to_contain_text("approved by sue")
    raj.open(f"/finding/{finding}")
    expect(raj.page.locator(".pairs")).to_contain_text("waived")

    revoke = f"#revoke-{waiver.id}"
    sue.write(revoke, "the tape shows another hand")  # revoke
    sue.press(f"form:has({revoke}) button")
    expect(sue.page.locator("main")).to_contain_text("No waiver is in force")
    raj.open(f"/finding/{finding}")
    expect(raj.page.locator(".pairs .state")).not_to_contain_text("waived")

    raj.press(".who button")  # sign out
    expect(raj.page).to_have_url(f"{address}/sign-in")
    raj.open(f"/finding/{finding}")
    expect(raj.page.locator("h1")).to_have_text("Sign in")

    entries = PeopleLog(access_file(home)).read().entries
    assert ("raj", "opened_round", (round_,)) in [(e.who, e.what, e.deed.subjects) for e in entries]
    assert [(e.who, e.what) for e in DeedBook(home).people().about[finding]] == [
        ("raj", "comment"), ("raj", "waiver_asked"),
        ("sue", "waiver_approved"), ("sue", "waiver_revoked"),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [800, 420])
def test_on_smaller_windows(home: Path, address: str, chromium: Browser, width: int) -> None:
    """Several at once, chosen on the page of findings."""
    sue = Worker(chromium, address, width)
    sue.sign_in("sue", "/findings")
    ids = [row[0] for row in ask(home, "SELECT id FROM findings ORDER BY day DESC, id")]
    boxes = sue.page.locator("input[name=finding]")
    chosen = [boxes.nth(n).get_attribute("value") for n in (0, 1)]
    assert set(chosen) <= set(ids)
    for one in chosen:
        sue.to(f'input[name=finding][value="{one}"]')
        sue.page.keyboard.press("Space")
    sue.press(".choose button")
    expect(sue.page.locator("h1")).to_have_text("2 findings at once")
    sue.write("#comment", f"seen at {width}")
    sue.press("form:has(#comment) button")
    expect(sue.page.locator(".deeds")).to_contain_text(f"seen at {width}")
    people = DeedBook(home).people()
    assert all(people.about[str(one)][-1].details["text"] == f"seen at {width}" for one in chosen)
