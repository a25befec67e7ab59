"""Money of several currencies is never added up: page, summary, command, alert."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import ShoeStarted, TableOpened
from events.settings.alerts import Alerts
from pipelines.alerts.alert import findings_alert
from pipelines.night.context import Night
from pipelines.night.currencies import Currencies, currencies_of
from pipelines.night.plain import run_day
from pipelines.night.summary import summarise
from tests.command import evenhand
from tests.desk.conftest import desk_of
from tests.desk.test_pages import words
from tests.pipelines.kit import BOOK, DAY, MORNING, sent, settings_of, won_round

SUBJECTS = (("player", "P1"), ("dealer", "D-1"))
SGD, USD, SILENT = "RWS-PP-01", "RWS-PP-02", "RWS-PP-03"


def day_of(table: str, currency: str | None, winnings: int) -> list[Outgoing]:
    """One bet of 25.00 that wins even money, and what the table paid for it."""
    gateway, at = Gateway(table), MORNING
    out = [gateway.send(TableOpened(BOOK, currency), at=at, device="console")]
    out.append(gateway.send(ShoeStarted("SH-1", 8, True), at=at, device="shoe"))
    for event in won_round(0, winnings=winnings):
        at += timedelta(seconds=2)
        out.append(gateway.send(event, at=at, device="console", round_=f"{table}-000001"))
    return out


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """5.00 too much in Singapore dollars, 7.00 too much in US dollars; a third table is right."""
    home = tmp_path_factory.mktemp("currencies") / "home"
    sent(home, day_of(SGD, "SGD", 3000) + day_of(USD, "USD", 3200) + day_of(SILENT, None, 2500))
    tables = "".join(f'[tables."{t}"]\n' for t in (SGD, USD))
    (home / "tables.toml").write_text(f'{tables}[tables."{SILENT}"]\ncurrency = "USD"\n', "utf-8")
    return run_day(settings_of(home), DAY, with_suites=False)


def test_the_currency_is_what_the_table_opened_with_else_the_registrys(night: Night) -> None:
    assert currencies_of(night).tables == {SGD: "SGD", USD: "USD", SILENT: "USD"}


def test_the_summary_has_each_currency_and_no_sum(night: Night) -> None:
    found = json.loads(night.folder.report("json").read_text("utf-8"))
    assert (found["findings"]["overpaid"], found["findings"]["underpaid"]) == (None, None)
    assert found["findings"]["by_currency"] == {
        "SGD": {"overpaid": 500, "underpaid": 0},
        "USD": {"overpaid": 700, "underpaid": 0},
    }
    totals = found["totals"]
    assert [totals[n] for n in ("rounds", "stake", "due", "paid")] == [3, None, None, None]
    assert totals["by_currency"] == {
        "SGD": {"stake": 2500, "due": 5000, "paid": 5500},
        "USD": {"stake": 5000, "due": 10000, "paid": 10700},
    }
    (kind,) = [row for row in found["by"]["kind"] if row["what"] == "wrong_odds"]
    assert (kind["n"], kind["overpaid"]) == (2, None)
    assert kind["by_currency"]["USD"] == {"overpaid": 700, "underpaid": 0}
    by_table = {row["what"]: row for row in found["by"]["table"]}
    assert by_table[USD]["overpaid"] == 700
    assert by_table[USD]["by_currency"].keys() == {"USD"}
    assert found["hours"][0]["overpaid"] is None
    assert found["hours"][0]["by_currency"].keys() == {"SGD", "USD"}


def test_the_page_names_the_currency_of_every_sum(night: Night) -> None:
    page = night.folder.report("html").read_text("utf-8")
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "in dollars and cents USD SGD staked 50.00 25.00" in words
    assert "paid too much 7.00 5.00" in words
    assert "USD +7.00" in words
    assert "12.00" not in page  # 5.00 + 7.00


def test_the_limit_of_an_alert_holds_for_each_currency(night: Night) -> None:
    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    known = currencies_of(night)
    limits = Alerts(money_cents=1200, integrity_findings=99)
    assert findings_alert("2026-03-10", found, limits, "r.html", known) is None
    alert = findings_alert("2026-03-10", found, Alerts(money_cents=700), "r.html", known)
    assert alert is not None
    assert "2 open money findings over SGD 5.00 and USD 7.00" in alert.text
    assert alert.facts["money_cents"] is None
    assert alert.facts["by_currency"] == {"SGD": 500, "USD": 700}


def test_a_table_without_a_currency_has_the_houses_where_there_is_one(night: Night) -> None:
    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    one = summarise(found, Currencies({SGD: "SGD"}))
    assert (one.overpaid, one.by_currency) == (1200, {"SGD": {"overpaid": 1200, "underpaid": 0}})
    two = summarise(found, Currencies({SGD: "SGD", SILENT: "EUR"}))
    assert two.overpaid is None
    assert two.by_currency["unknown"] == {"overpaid": 700, "underpaid": 0}


def test_the_command_tells_them_apart(night: Night) -> None:
    home = night.settings.home
    args = ("nightly", "--day", DAY.isoformat())
    text = evenhand(home.parent, *args, EVENHAND_HOME=str(home)).stdout
    over, under = "SGD 5.00 and USD 7.00 paid too much", "SGD 0.00 and USD 0.00 too little"
    assert f"money at stake: {over}, {under}" in text
    told = json.loads(evenhand(home.parent, *args, "--json", EVENHAND_HOME=str(home)).stdout)
    assert told["findings"]["overpaid"] is None
    assert told["findings"]["by_currency"]["USD"] == {"overpaid": 700, "underpaid": 0}


def test_a_player_and_a_dealer_of_two_currencies_have_each_by_itself(night: Night) -> None:
    with desk_of(night.settings.home) as desk:
        pages = {word: words(desk.get(f"/{word}/{name}").text) for word, name in SUBJECTS}
    told = pages["player"]
    assert "staked 25.00 SGD" in told
    assert "staked 50.00 USD" in told  # at two tables
    assert "5.00 SGD too much, 7.00 USD too much" in told
    assert "5.00 SGD too much, 7.00 USD too much" in pages["dealer"]
    assert all(wrong not in page for page in pages.values() for wrong in ("75.00", "12.00"))
