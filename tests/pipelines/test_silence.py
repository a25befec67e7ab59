"""A silent day is loud: tables that should have played, and tables that nobody knows."""

from __future__ import annotations

import hashlib
import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from events.errors import InputError
from events.gateway import Gateway
from events.model import HeadSigned, TableClosed
from events.registry import load_registry
from events.trust.heads import sign_head
from events.trust.note import SignerKey
from pipelines.night.context import Night
from pipelines.night.plain import run_day
from pipelines.people.act import os_user
from pipelines.warehouse.record import read_record
from tests.pipelines.kit import DAY, MORNING, TABLE, ask, played, sent, settings_of, won_round

NEXT = DAY + timedelta(days=1)  # a Wednesday


def night(home: Path, day: date = NEXT) -> Night:
    return run_day(settings_of(home), day, with_suites=False)


def told(home: Path) -> list[tuple[str, str]]:
    return ask(home, "SELECT kind, table_id FROM findings ORDER BY ALL")


def one_day(home: Path, *, closed: bool) -> None:
    gateway = Gateway(TABLE)
    messages = played([won_round(0)], gateway)
    if closed:
        at = MORNING + timedelta(hours=1)
        messages.append(gateway.send(TableClosed(), at=at, device="console"))
    sent(home, messages)


def test_without_a_registry_the_days_before_tell_who_is_silent(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one_day(home, closed=False)
    page = night(home).folder.report("html").read_text("utf-8")
    assert told(home) == [("silent_table", TABLE)]
    assert "1 table sent nothing and was not closed" in page
    assert "No activity" not in page
    assert "-1 of 0" not in page


def test_where_every_table_was_closed_a_day_without_activity_is_regular(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one_day(home, closed=True)
    page = night(home).folder.report("html").read_text("utf-8")
    assert told(home) == []
    assert "No activity" in page


def test_the_signature_after_the_closing_is_no_event_of_play(tmp_path: Path) -> None:
    """A gateway signs right after the closing."""
    home, key = tmp_path / "home", SignerKey.make("k1")
    gateway = Gateway(TABLE, key=key)
    messages = played([won_round(0)], gateway)
    at = MORNING + timedelta(hours=1)
    messages += gateway.report(TableClosed(), at=at, device="console")
    sent(home, messages)
    night(home)
    assert told(home) == []


def test_a_day_with_nothing_but_a_signature_is_silent(tmp_path: Path) -> None:
    home, key = tmp_path / "home", SignerKey.make("k1")
    gateway = Gateway(TABLE, key=key)
    messages = played([won_round(0)], gateway)
    signature = sign_head(key, TABLE, gateway.head.seq + 1, gateway.head.hash)
    at = MORNING + timedelta(days=1)
    messages.append(gateway.send(HeadSigned(key.name, signature), at=at, device="gateway"))
    sent(home, messages)
    night(home)
    assert told(home) == [("silent_table", TABLE)]


def test_the_registry_says_who_must_play_and_who_is_unknown(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one_day(home, closed=True)
    text = f'[tables."{TABLE}"]\ndays = ["wed"]\n[tables."RWS-BJ-09"]\ndays = ["wed", "tue"]\n'
    (home / "tables.toml").write_text(text, "utf-8")
    done = night(home)
    assert told(home) == [("silent_table", "RWS-BJ-09"), ("silent_table", TABLE)]
    record = read_record(done.folder)
    assert record is not None
    assert record.inputs["registry of tables"] == hashlib.sha256(text.encode()).hexdigest()
    (home / "tables.toml").write_text('[tables."RWS-BJ-09"]\n', "utf-8")
    night(home)
    night(home, DAY)
    assert told(home) == [("unknown_table", TABLE)]


def test_every_change_of_the_registry_is_in_its_history(tmp_path: Path) -> None:
    home = tmp_path / "home"
    one_day(home, closed=True)
    history, file = home / "tables_history.jsonl", home / "tables.toml"
    night(home)
    assert not history.exists()
    texts = [f'[tables."{TABLE}"]\n[tables."A"]\n', f'[tables."{TABLE}"]\ncurrency = "USD"\n']
    runs = []
    for text in texts:
        file.write_text(text, "utf-8")
        runs.append(night(home))
        night(home)  # which sees the same
    told = [json.loads(line) for line in history.read_text("utf-8").splitlines()]
    one, two = (hashlib.sha256(text.encode()).hexdigest() for text in texts)
    assert [(t["before"], t["after"]) for t in told] == [(None, one), (one, two)]
    assert [t["run"] for t in told] == [run.folder.run for run in runs]
    assert {t["by"]["file_owner"] for t in told} == {os_user()}
    names = ("added", "removed", "changed")
    assert [told[0][n] for n in names] == [["A", TABLE], [], []]
    assert [told[1][n] for n in names] == [[], ["A"], [TABLE]]
    page = runs[1].folder.report("html").read_text("utf-8")
    assert "The registry of tables changed: tables_history.jsonl" in page
    file.unlink()
    night(home)
    last = json.loads(history.read_text("utf-8").splitlines()[-1])
    assert (last["after"], last["removed"]) == (None, [TABLE])


KEY = 'public = "' + "ab" * 32 + '"'
BAD = {
    "tabels = 1": "expected only tables like",
    '[tables."T"]\nday = ["mon"]': 'unknown entry "day" (did you mean days?)',
    '[tables."T"]\ndays = ["monday"]': "days: expected mon, tue",
    '[tables."T"]\nsince = "soon"': "since: expected a date like 2026-11-15",
    '[tables."T"]\nsince = 2026-02-01\nuntil = 2026-01-01': "until: expected a day from 2026-02-01",
    '[tables."T"]\nrulebooks = ["pontoon"]': "there is no rulebook 'pontoon'",
    '[tables."T"]\nkeys = [{id = "a", public = "xx"}]': "32 bytes of an Ed25519 key",
    f'[tables."T"]\nkeys = [{{id = "a", {KEY}}}, {{id = "a", {KEY}}}]': "expected each id once",
}


@pytest.mark.parametrize("text", BAD)
def test_a_registry_that_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "tables.toml").write_text(text, "utf-8")
    with pytest.raises(InputError) as refused:
        load_registry(tmp_path / "tables.toml")
    assert BAD[text] in str(refused.value)


def test_keys_are_read_as_hex_or_base64(tmp_path: Path) -> None:
    base64 = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
    text = f'[tables."T"]\nkeys = [{{id = "a", {KEY}, from = 2026-01-01}}, '
    (tmp_path / "t").write_text(text + f'{{id = "b", public = "{base64}"}}]\n', "utf-8")
    registry = load_registry(tmp_path / "t")
    assert registry is not None
    one, two = registry.tables["T"].keys
    assert one.public == two.public == b"\xab" * 32
    assert (one.since, two.since) == (date(2026, 1, 1), None)
