"""What devices and people wrote, with markup and formulas in every name: pages and files hold."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from events.gateway import Gateway
from events.model import Event, IrregularityNoted, RoundOpened, ShoeStarted, TableOpened
from pipelines.desk.app import LARGEST_BODY
from pipelines.night.plain import run_day
from pipelines.people.act import DeedBook
from tests.desk.conftest import desk_of
from tests.desk.test_decisions import ask_for, decided
from tests.pipelines.kit import BOOK, DAY, MORNING, ask, sent, settings_of, won_round

MARK = "<script>alert(1)</script><img src=x onerror=alert(2)>"
TABLE = f"T'\"{MARK}"
ROUND = f"=R/1 {MARK}"
PLAYER = f"=cmd|'/C calc'!A0{MARK}"
DEALER = f"+D&amp;{MARK}"


def hostile_round() -> list[Event]:
    events = won_round(0, winnings=3000, player=PLAYER)
    assert isinstance(events[0], RoundOpened)
    events[0] = replace(events[0], dealer=DEALER)
    noted = IrregularityNoted("technical_interruption", "pit_manager", 1, 1, PLAYER, MARK)
    events.insert(3, noted)
    return events


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile") / "home"
    home.mkdir()
    gateway, at = Gateway(TABLE), MORNING
    first = (TableOpened(BOOK, "SGD"), ShoeStarted("SH-1", 8, True))
    out = [gateway.send(event, at=at, device="console") for event in first]
    for event in hostile_round():
        at += timedelta(seconds=2)
        out.append(gateway.send(event, at=at, device="console", round_=ROUND))
    sent(home, out)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


@pytest.fixture(scope="module")
def desk(home: Path) -> Iterator[TestClient]:
    with desk_of(home) as client:
        yield client


def finding_of(home: Path) -> str:
    return str(ask(home, "SELECT id FROM findings WHERE severity = 'money' ORDER BY id")[0][0])


def test_no_name_becomes_markup_on_any_page(home: Path, desk: TestClient) -> None:
    finding = finding_of(home)
    assert ask_for(desk, finding, reason=MARK).status_code == 303
    names = [("table", TABLE), ("dealer", DEALER), ("player", PLAYER), ("round", ROUND)]
    for address in (
        f"/day/{DAY}", "/findings", f"/finding/{finding}", "/decisions", "/runs", "/days",
        f"/decide?finding={finding}", f"/sql?q={quote('SELECT * FROM findings')}",
        f"/findings?q={quote(MARK)}", f"/findings?player={quote(PLAYER)}",
        *(f"/{room}/{quote(name, safe='')}" for room, name in names),
    ):  # fmt: skip
        page = desk.get(address)
        assert page.status_code == 200, (address, page.text[-1500:])
        assert "<script>alert" not in page.text, address
        assert "<img" not in page.text, address
    report = next((home / "warehouse").glob(f"day={DAY}/run=*/report.html")).read_text("utf-8")
    assert "<script>alert" not in report
    assert "<img src=x" not in report


def test_no_name_becomes_a_formula_in_a_file(desk: TestClient) -> None:
    settled = f"/sql.csv?q={quote('SELECT * FROM settlements')}"
    for address, seen in (("/findings.csv", "=R/1"), (settled, "=cmd|")):
        answer = desk.get(address)
        assert answer.status_code == 200, answer.text
        rows = list(csv.reader(io.StringIO(answer.text)))
        cells = [cell for row in rows for cell in row]
        assert any(cell.startswith(f"'{seen}") for cell in cells), cells
        assert [cell for cell in cells if cell.startswith(("=", "+D", "@"))] == []


def test_a_decision_that_was_taken_is_not_taken_twice(home: Path, desk: TestClient) -> None:
    finding = finding_of(home)
    assert ask_for(desk, finding).status_code == 303
    waiver = list(DeedBook(home).people().waivers)[-1]
    assert decided(desk, waiver, "revoked", "another hand").status_code == 303
    again = decided(desk, waiver, "revoked", "another hand")
    assert again.status_code == 409
    assert decided(desk, waiver, "approved").status_code == 409, "nor approved after that"
    assert decided(desk, "no-such-waiver", "revoked", "x").status_code in {404, 409}


def test_more_than_may_be_handed_in_is_refused_without_being_kept(desk: TestClient) -> None:
    def much() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="e.zip"\r\n\r\n'
        for _ in range(LARGEST_BODY // 2**20 + 1):
            yield bytes(2**20)
        yield b"\r\n--x--\r\n"

    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert desk.post("/verify", content=much(), headers=kind).status_code == 413
    large = {"file": ("e.zip", bytes(33 * 2**20))}
    assert desk.post("/verify", files=large).status_code == 413
    for body in (b"", b"--x", b"--x\r\n\r\n"):
        assert desk.post("/verify", content=body, headers=kind).status_code == 400
    many = {f"f{n}": "x" for n in range(5000)}
    assert desk.post("/case", data=many).status_code in {400, 403}
