"""The page in a real browser: stepped through from the first event to the last, and on paper."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from events.jsonl import from_flat
from pipelines.investigate.case import Investigation, investigate
from pipelines.investigate.locate import Located, in_file
from pipelines.investigate.page.html import page as make_page
from tests.command import ROOT
from tests.golden import load_all

EXAMPLES = sorted((ROOT / "examples" / "rounds").glob("*.jsonl"))
ZONE = ZoneInfo("Asia/Singapore")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next((p for n in ("chromium", "chromium-browser") if (p := shutil.which(n))), None)
    if found is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with sync_playwright() as p:
        browser = p.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"], headless=True
        )
        yield browser
        browser.close()


class Looked:
    """A page open in the browser, with all that it said and asked for."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1400, "height": 1100})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.on("dialog", lambda d: self.said.append(d.message))
        self.url = path.as_uri()
        self.page.goto(self.url)

    def visible(self, css: str) -> int:
        js = """css => [...document.querySelectorAll(css)].filter(
            e => e.checkVisibility() && e.getClientRects().length > 0).length"""
        return int(self.page.evaluate(js, css))

    def text(self, css: str) -> str:
        return self.page.inner_text(css)

    def clean(self) -> None:
        outside = [url for url in self.asked if url != self.url and not url.startswith("data:")]
        assert (self.said, outside) == ([], [])


def _open(browser: Browser, folder: Path, case: Investigation) -> Looked:
    path = folder / "round.html"
    path.write_text(make_page(case, ZONE), "utf-8")
    return Looked(browser, path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_stepping_through_a_round_of_each_game(
    browser: Browser, tmp_path: Path, path: Path
) -> None:
    case = investigate(in_file(path, None))
    looked = _open(browser, tmp_path, case)
    last = len(case.steps) - 1
    assert looked.text("#count") == f"{last + 1} of {last + 1}"  # opens on the whole round
    looked.page.keyboard.press("Home")
    cards = tokens = 0
    bets: set[tuple[object, ...]] = set()
    for step in case.steps:
        event = step.envelope.event
        if step.envelope.type == "CardDealt":
            cards += 1
        if step.envelope.type in {"BetPlaced", "BetSettled"}:
            bets.add((event.box, event.hand, event.player, event.bet))  # type: ignore[attr-defined]
            tokens = len(bets)
        assert looked.visible("#table .card") == cards, step.text
        assert looked.visible("#table .token") == tokens, step.text
        assert looked.text("#count") == f"{step.index + 1} of {last + 1}"
        assert looked.page.input_value("#step") == str(step.index)
        words = step.text.split(" ")[0]
        assert words in looked.text("#caption")
        looked.page.keyboard.press("ArrowRight")
    assert looked.page.is_disabled("[data-go=next]")
    looked.page.click("[data-go=back]")
    assert looked.text("#count") == f"{last} of {last + 1}"
    looked.page.click("#steps li:first-child")
    assert (looked.text("#count"), looked.visible("#table .card")) == (f"1 of {last + 1}", 0)
    assert looked.visible("tbody tr") == len(case.answer.lines)
    looked.clean()


def test_a_finding_is_marked_on_the_table_at_the_event_that_shows_it(
    browser: Browser, tmp_path: Path
) -> None:
    golden = next(g for g in load_all() if g.name.startswith("3.18") and _breaks(g))
    own = tuple(e for e in golden.events if e.round)
    case = investigate(Located(own[0].round or "", own, "golden"))
    looked = _open(browser, tmp_path, case)
    at, number = next((s.index, s.findings[0]) for s in case.steps if s.findings)
    badges = len(case.answer.findings)
    assert looked.visible("#table .badge") == badges
    looked.page.click(f"#finding-{number} button")
    assert looked.text("#count") == f"{at + 1} of {len(case.steps)}"
    assert looked.visible("#table .badge") >= 1
    looked.page.keyboard.press("ArrowLeft")
    assert looked.visible(f"#table .badge[href='#finding-{number}']") == 0
    looked.clean()


def _breaks(golden: object) -> bool:
    return any(f.kind == "illegal_decision" for f in golden.findings)  # type: ignore[attr-defined]


def test_on_paper_every_step_and_every_reason_is_printed(browser: Browser, tmp_path: Path) -> None:
    case = investigate(in_file(EXAMPLES[0], None))
    looked = _open(browser, tmp_path, case)
    looked.page.emulate_media(media="print")
    assert looked.visible("#steps li") == len(case.steps)
    assert looked.visible(".controls") == 0
    assert looked.visible("details ol li") == sum(len(s.passed_over) for s in case.lines)
    assert len(looked.page.pdf()) > 20_000


def test_what_somebody_wrote_into_an_event_stays_text(browser: Browser, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)></title><script>alert(2)</script>"
    flats = [
        {"type": "RoundOpened", "round": "R1", "rulebook": "blackjack-rws-v5", "shoe": evil,
         "decks": 6, "boxes": 7, "limits": {"initial": {"min": 500, "max": 50000}}},
        {"type": "BetPlaced", "round": "R1", "box": 1, "hand": 1, "player": evil, "bet": "initial",
         "amount": 1000, "seated": True},
        {"type": "IrregularityNoted", "round": "R1", "kind": "bet_error", "by": "dealer",
         "detail": evil},
    ]  # fmt: skip
    case = investigate(Located("R1", tuple(map(from_flat, flats)), evil))
    looked = _open(browser, tmp_path, case)
    assert evil in looked.text("#steps")
    assert looked.visible("img") == 0
    looked.clean()


def test_the_page_reads_without_a_script(browser: Browser, tmp_path: Path) -> None:
    case = investigate(in_file(EXAMPLES[0], None))
    path = tmp_path / "round.html"
    path.write_text(make_page(case, ZONE), "utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    dealt = sum(e.type == "CardDealt" for e in case.located.events)
    assert page.locator("#table .card >> visible=true").count() == dealt
    context.close()
