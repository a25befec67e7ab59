"""Players' references, for roles that must not see them: on no page and by no search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from events.gateway import Gateway
from events.model import BetPlaced, BetWithdrawn, Event
from pipelines.desk.masks import masked
from pipelines.night.plain import run_day
from pipelines.people.act import DeedBook, local_actor
from pipelines.people.manage import add_account
from tests.desk.test_decisions import SECRET, at_desk
from tests.pipelines.kit import DAY, TABLE, ask, played, sent, settings_of, won_round

PLAYERS = ("GUEST-48213", "GUEST-77001", "GUEST-90909")


def shared_round() -> list[Event]:
    """Two players on one box, one of them paid wrongly, and a third who takes his chips back."""
    events = won_round(0, winnings=3000, player=PLAYERS[0])
    events.insert(2, BetPlaced(1, 1, PLAYERS[1], "initial", 1000, False))
    events.insert(3, BetPlaced(2, 1, PLAYERS[2], "initial", 1000, True))
    events.insert(4, BetWithdrawn(2, 1, PLAYERS[2], "initial", 1000))
    return events


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("masks") / "home"
    home.mkdir()
    sent(home, played([shared_round()], Gateway(TABLE)))
    run_day(settings_of(home), DAY, with_suites=False)
    for name, role in {"tom": "reader", "mei": "analyst"}.items():
        add_account(DeedBook(home), local_actor(), name, [role], lambda: SECRET)
    return home


@pytest.fixture(scope="module")
def tom(home: Path) -> TestClient:
    return at_desk(home, "tom", mask_players_for=("reader",))


def traces(text: str) -> list[str]:
    """What of the players can be read in a page: whole references, and their ends."""
    return [p for p in PLAYERS if p in text or p[-4:] in re.sub(r'token" value="[^"]*', "", text)]


def test_no_page_has_a_player(home: Path, tom: TestClient) -> None:
    (found,) = ask(home, "SELECT id FROM findings WHERE kind = 'wrong_odds'")
    finding, round_ = str(found[0]), f"{TABLE}-000002"
    mei = at_desk(home, "mei", app=tom.app)
    token = re.findall(r'name="token" value="([^"]+)"', mei.get(f"/decide?finding={finding}").text)
    said = f"{PLAYERS[1]} saw it too"
    form = {"token": token[0], "finding": finding, "what": "comment", "text": said}
    assert mei.post("/case", data=form).status_code == 303
    assert traces(mei.get(f"/round/{round_}").text) == list(PLAYERS)
    for address in (
        f"/day/{DAY}", "/findings", f"/finding/{finding}", f"/round/{round_}", f"/table/{TABLE}",
        "/dealer/D-1", f"/decide?finding={finding}", "/decisions", "/runs", "/days",
    ):  # fmt: skip
        page = tom.get(address)
        assert page.status_code == 200, address
        assert traces(page.text) == [], address


@pytest.mark.parametrize(
    "address",
    ["/sql", "/live", "/alerts", "/findings.csv", "/findings.xlsx", f"/player/{PLAYERS[0]}"],
)
def test_what_can_not_be_shown_without_is_not_shown(tom: TestClient, address: str) -> None:
    assert tom.get(address).status_code == 403


def test_no_search_tells_whether_a_guess_is_right(tom: TestClient) -> None:
    """A part of a reference that was searched for must not find more than one that nobody has."""
    for right, wrong in (("GUEST-48", "GUEST-55"), ("48213", "48214"), (PLAYERS[0], "GUEST-1")):
        pages = [tom.get(f"/findings?q={guess}").text for guess in (right, wrong)]
        assert [page.count('href="/finding/') for page in pages] == [0, 0]
        found = [tom.get(f"/find?q={guess}").headers["location"] for guess in (right, wrong)]
        assert found == [f"/findings?q={guess}" for guess in (right, wrong)]
    refused = tom.get(f"/findings?player={PLAYERS[0]}")
    assert refused.status_code == 403
    assert tom.get(f"/findings?q={TABLE}").text.count('href="/finding/') > 0


def test_a_player_called_like_a_part_of_a_page_breaks_none() -> None:
    page = (
        '<table class="td"><tr><td title="td">td &lt;td&gt;</td></tr></table><a href="/x/td">a</a>'
    )
    found = masked(page, {"player": "td"})
    mask = re.findall(r"player-[0-9a-f]+", found)[0]
    assert found == (
        f'<table class="td"><tr><td title="{mask}">{mask} &lt;{mask}&gt;</td></tr></table>'
        f'<a href="/x/{mask}">a</a>'
    )
