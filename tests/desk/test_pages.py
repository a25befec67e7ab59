"""What the pages say, held against the warehouse itself; and every address with bad input."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import openpyxl
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from pipelines.desk.questions import Questions
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.layout import warehouse_of
from tests.desk.conftest import NEXT
from tests.desk.test_app import HOSTILE
from tests.pipelines.kit import DAY

ROOMS = ("day", "finding", "round", "evidence", "table", "dealer", "player", "rulebook", "static")


def ask(home: Path, sql: str) -> list[tuple[Any, ...]]:
    with connect_fresh(warehouse_of(home).catalogue) as db:
        return db.execute(sql).fetchall()


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", HOSTILE)
def test_unknown_hostile_and_long_names_are_a_clear_page(
    desk: TestClient, room: str, name: str
) -> None:
    answer = desk.get(f"/{room}/{name}")
    assert answer.status_code == 404, answer.text[:300]
    assert "<script>alert" not in answer.text
    assert "Traceback" not in answer.text
    assert len(answer.text) < 20_000


@pytest.mark.parametrize("name", HOSTILE)
def test_other_addresses_with_such_names_are_answered_in_a_sentence(
    desk: TestClient, name: str
) -> None:
    token = re.findall(r'name="token" value="([^"]+)"', desk.get("/decide?finding=x").text)
    sent = {"token": token[0] if token else "", "what": "approved", "finding": name}
    answers = [
        desk.get(f"/live/{name}"),
        desk.get(f"/live/{name}/play"),
        desk.get(f"/live/{name}/drawing.svg"),
        desk.get("/sql", params={"query": name}),
        desk.get("/sql.csv", params={"q": name}),
        desk.get("/round/nobody", params={"reading": name}),
        desk.get("/decide", params={"finding": name}),
        desk.get("/findings", params={"kind": name, "table": name, "q": name[:100]}),
        desk.post(f"/sql/stop/{name}"),
        desk.post(f"/alerts/{name}/seen", data=sent),
        desk.post(f"/waiver/{name}", data=sent),
        desk.post("/case", data=sent | {"what": "comment", "text": "x"}),
    ]
    for answer in answers:
        assert answer.status_code in {200, 400, 403, 404, 409}, (answer.url, answer.text[:300])
        assert "<script>alert" not in answer.text
        assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "from=x",
        "to=2026-13-01",
        "least=-1",
        "sort=1;--",
        "state=zzz",
        "page=0",
        "severity=x",
        f"q={'x' * 300}",
    ],
)
def test_a_filter_that_can_not_be_meant_is_refused(desk: TestClient, query: str) -> None:
    assert desk.get(f"/findings?{query}").status_code == 400


def test_the_day_lists_every_finding_with_its_links(desk: TestClient, two_days: Path) -> None:
    page = desk.get(f"/day/{NEXT}").text
    found = ask(two_days, f"SELECT id, round FROM findings WHERE day = '{NEXT}'")
    listed = page[page.index('id="findings"') :]
    assert len(found) > 5
    for name, round_ in found:
        assert f'href="/finding/{name}"' in listed
        if round_:
            assert f'href="/round/{round_}"' in listed


def test_the_day_has_the_money_and_what_is_carried_over(desk: TestClient, two_days: Path) -> None:
    told = words(desk.get(f"/day/{NEXT}").text)
    ((much, little),) = ask(
        two_days,
        "SELECT sum(too_much), sum(too_little) FROM findings "
        f"WHERE day = '{NEXT}' AND severity = 'money'",
    )
    assert f"paid too much {much / 100:,.2f}" in told
    assert f"paid too little {little / 100:,.2f}" in told
    ((carried,),) = ask(
        two_days,
        f"SELECT count(*) FROM findings WHERE day = '{DAY}' AND severity IN ('money', 'integrity')",
    )
    assert f"{carried} open from 1 earlier day" in told
    ((rounds,),) = ask(two_days, f"SELECT sum(rounds) FROM daily_figures WHERE day = '{NEXT}'")
    assert f"{rounds:,} rounds on 5 tables" in told


def test_the_inbox_filters_by_everything_in_the_address(desk: TestClient, two_days: Path) -> None:
    ((name, kind, table, dealer, player),) = ask(
        two_days,
        "SELECT id, kind, table_id, dealer, player FROM findings WHERE severity = 'money' AND "
        "player IS NOT NULL AND dealer IS NOT NULL ORDER BY abs(money) DESC, id LIMIT 1",
    )
    query = f"kind={kind}&table={table}&dealer={dealer}&player={player}&state=open&severity=urgent"
    assert name in desk.get(f"/findings?{query}").text
    assert name not in desk.get(f"/findings?{query}&least=99999999").text
    assert name not in desk.get("/findings?state=closed").text
    assert name in desk.get(f"/findings?q={name}&sort=money").text
    rows = list(csv.DictReader(io.StringIO(desk.get(f"/findings.csv?{query}").text)))
    ((many,),) = ask(
        two_days,
        f"SELECT count(*) FROM findings WHERE kind = '{kind}' AND table_id = '{table}' "
        f"AND dealer = '{dealer}' AND player = '{player}' AND severity IN ('money', 'integrity')",
    )
    assert len(rows) == many > 0
    sheet = openpyxl.load_workbook(io.BytesIO(desk.get(f"/findings.xlsx?{query}").content)).active
    assert sheet is not None
    assert sheet.max_row == many + 1


def test_a_finding_has_its_lines_clause_and_history(desk: TestClient, two_days: Path) -> None:
    ((name, message, book, clause),) = ask(
        two_days,
        "SELECT id, message, rulebook, clauses[1] FROM findings WHERE kind = 'wrong_odds' "
        "ORDER BY id LIMIT 1",
    )
    page = desk.get(f"/finding/{name}")
    told = words(page.text)
    assert message in told.replace("&#39;", "'").replace("&amp;", "&")
    ((gist,),) = ask(
        two_days,
        f"SELECT gist FROM clauses WHERE rulebook = '{book}' AND number = '{clause}'",
    )
    assert gist[:30] in told.replace("&#39;", "'")
    assert "first seen" in told
    assert "the rulebook gives" in told


def test_a_round_with_its_neighbours_and_evidence_that_verifies(
    desk: TestClient, two_days: Path
) -> None:
    rows = ask(
        two_days,
        f"SELECT round, dealer FROM rounds WHERE day = '{DAY}' AND table_id = 'RWS-PP-01' "
        "AND status = 'settled' ORDER BY first_seq LIMIT 3",
    )
    before, (wanted, dealer), after = rows[0][0], rows[1], rows[2][0]
    page = desk.get(f"/round/{wanted}").text
    for other in (before, after):
        assert f'href="/round/{other}"' in page
    assert f'href="/dealer/{dealer}"' in page
    taken = desk.get(f"/evidence/{wanted}")
    assert taken.headers["content-disposition"] == f'attachment; filename="{wanted}.zip"'
    good = desk.post("/verify", files={"file": ("e.zip", taken.content)})
    assert good.status_code == 200
    assert "Sound" in words(good.text)
    assert wanted in good.text
    forged = bytearray(taken.content)
    forged[len(forged) // 2] ^= 1
    bad = desk.post("/verify", files={"file": ("e.zip", bytes(forged))})
    assert bad.status_code == 422
    assert "Not sound" in words(bad.text)
    assert desk.post("/verify", files={"file": ("e.zip", b"nothing")}).status_code == 422
    assert desk.post("/verify", data={"file": "no file"}).status_code == 400


@pytest.mark.parametrize(("word", "source"), [("dealer", "dealer_figures"), ("table", "rounds")])
def test_a_rate_has_an_interval_and_few_rounds_prove_nothing(
    desk: TestClient, two_days: Path, word: str, source: str
) -> None:
    column = "table_id" if word == "table" else word
    ((name, rounds),) = ask(
        two_days,
        f"SELECT {column}, {'sum(rounds)' if source != 'rounds' else 'count(*)'} FROM {source} "
        f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1",
    )
    told = words(desk.get(f"/{word}/{name}").text)
    assert f"of {rounds:,} rounds" in told
    assert "proves nothing either way" in told


def test_a_player_has_what_he_played(desk: TestClient, two_days: Path) -> None:
    ((name, rounds, stake),) = ask(
        two_days,
        "SELECT player, count(DISTINCT round), sum(stake) FROM lines GROUP BY 1 "
        "ORDER BY 2 DESC, 1 LIMIT 1",
    )
    told = words(desk.get(f"/player/{name}").text)
    assert f"of {rounds:,} rounds" in told
    assert f"{stake / 100:,.2f}" in told


def test_questions_with_their_errors_and_files(desk: TestClient, two_days: Path) -> None:
    assert desk.get("/sql").status_code == 200
    wrong = desk.get(f"/sql?q={quote('SELECT kindd FROM findings')}")
    assert wrong.status_code == 400
    assert "Candidate bindings" in wrong.text  # DuckDB's own hint
    for bad in ("COPY findings TO 'x.csv'", "SELECT * FROM read_csv('/etc/passwd')", "SELECT 1;;2"):
        assert desk.get(f"/sql?q={quote(bad)}").status_code == 400
    query = quote("SELECT kind, '=1+1' AS text, count(*) AS n FROM findings GROUP BY 1 ORDER BY 1")
    ((kinds,),) = ask(two_days, "SELECT count(DISTINCT kind) FROM findings")
    assert f"{kinds} rows" in words(desk.get(f"/sql?q={query}").text)
    assert "'=1+1" in desk.get(f"/sql.csv?q={query}").text
    book = openpyxl.load_workbook(io.BytesIO(desk.get(f"/sql.xlsx?q={query}").content))
    assert book.active is not None
    assert (book.active["B2"].value, book.active["B2"].data_type) == ("=1+1", "s")
    table = pq.read_table(io.BytesIO(desk.get(f"/sql.parquet?q={query}").content))
    assert table.num_rows == kinds
    ready = desk.get("/sql?query=money-by-kind")
    assert ready.status_code == 200
    assert "/sql?query=money-by-kind" in ready.text


def test_a_running_question_can_be_stopped_by_whoever_asked(
    desk: TestClient, two_days: Path
) -> None:
    questions: Questions = desk.app.state.questions  # type: ignore[attr-defined]
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE hash(a, b) = 1"
    said: list[Any] = []
    asked = Thread(
        target=lambda: said.append(desk.get(f"/sql?token=mine&q={quote(endless)}")), daemon=True
    )
    asked.start()
    while not questions.running():
        pass
    assert not questions.stop("mine", "somebody else")
    while asked.is_alive():  # again and again: a query that had not begun would not notice
        desk.post("/sql/stop/mine")
        asked.join(0.1)
    assert said[0].status_code == 400
    assert "it was stopped" in said[0].text
    assert desk.post("/sql/stop/mine").status_code == 404


def test_a_rulebook_has_its_paragraphs_and_readings(desk: TestClient, two_days: Path) -> None:
    page = desk.get("/rulebook/pontoon-plus-rws-v5").text
    clauses = ask(two_days, "SELECT number FROM clauses WHERE rulebook = 'pontoon-plus-rws-v5'")
    assert all(f'id="{number}"' in page for (number,) in clauses)
    assert "in force here" in page


def test_the_box_at_the_top_finds_by_id(desk: TestClient, two_days: Path) -> None:
    ((name, round_, dealer, player),) = ask(
        two_days,
        "SELECT id, round, dealer, player FROM findings WHERE round IS NOT NULL AND player IS NOT "
        "NULL AND dealer IS NOT NULL ORDER BY id LIMIT 1",
    )
    ((clean,),) = ask(
        two_days, "SELECT round FROM rounds ANTI JOIN findings USING (round) ORDER BY 1 LIMIT 1"
    )
    for kind, value in (
        ("finding", name), ("round", round_), ("dealer", dealer), ("player", player),
        ("table", "RWS-PP-01"), ("round", clean),
    ):  # fmt: skip
        assert desk.get(f"/find?q={value}").headers["location"] == f"/{kind}/{value}"
    assert desk.get("/find?q=zz").headers["location"] == "/findings?q=zz"
