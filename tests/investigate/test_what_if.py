"""evenhand what-if: a period under another rulebook or reading, the warehouse left alone."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checks.golden.load import Golden
from events.archive.columns import records_to_table
from events.archive.evidence import StoredMessage
from events.archive.reader import Archive
from events.codec import body_of, decode_record, hash_body
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import RoundOpened
from pipelines.whatif.period import WhatIfReport
from pipelines.whatif.replay import Change, try_table_day
from pipelines.whatif.sums import Sum, Sums
from replay.registry import rulebook
from tests.command import evenhand
from tests.events.archive_kit import DAY as KIT_DAY
from tests.events.archive_kit import MORNING
from tests.golden import load_all
from tests.investigate.conftest import DAY, House
from tests.investigate.here import evenhand_here


def _table_day(golden: Golden, at: datetime = MORNING) -> object:
    """A golden round as a table-day's columns, sent through a gateway."""
    gateway = Gateway("RWS-T-01")
    sent: list[Outgoing] = [
        gateway.send(e.event, at=at, device="console", round_=e.round) for e in golden.events
    ]
    values = [m.value for m in sent]
    hashes = [hash_body(body_of(v)) for v in values]
    places = [StoredMessage("test", 0, n, None, value) for n, value in enumerate(values)]
    return records_to_table(KIT_DAY, [decode_record(v) for v in values], hashes, places)


def test_a_turned_reading_changes_the_lines_that_the_golden_rounds_name() -> None:
    """Every golden round with lines for the other reading, worked out by hand."""
    tried = 0
    for golden in load_all():
        for reading, lines in golden.other.items():
            change = Change(frozenset(), frozenset({reading}))
            unit = try_table_day(KIT_DAY, "RWS-T-01", _table_day(golden), change)  # type: ignore[arg-type]
            usual = {line.key: line.money for line in golden.lines}
            wanted = {e.key: e.money for e in lines if usual.get(e.key) != e.money}
            found = {
                d.key: d.after.money
                for changed in unit.changed
                for d in changed.lines
                if d.after is not None
            }
            assert wanted.items() <= found.items(), (golden.id, reading)
            tried += bool(wanted)
    assert tried >= 20


def test_another_rulebook_by_table_and_clause(house: House) -> None:
    """MBS has no bonus bet: under its text every bonus of Pontoon Plus goes back."""
    with Archive(house.folder / ".evenhand" / "archive"):
        pass  # the first reader leaves SQLite's empty journal behind, whoever it is
    before = _hash(house.folder / ".evenhand")
    done = evenhand(
        house.folder, "what-if", "--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5",
        "--from", DAY, "--to", DAY, "--json",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert [t["table"] for t in report["by_table"]] == ["RWS-PP-01"]
    bonuses = [
        line
        for changed in report["changed"]
        for line in changed["lines"]
        if line["before"] and line["before"]["bet"] == "bonus"
    ]
    assert bonuses
    for line in bonuses:
        assert line["after"]["outcome"] == "returned"
        b = line["before"]
        assert line["money"] == b["stake"] - b["stake_returned"] - b["winnings"]
    assert report["money"] == sum(c["money"] for c in report["changed"])
    assert sum(t["money"] for t in report["by_clause"]) == report["money"]
    assert _hash(house.folder / ".evenhand") == before


def test_details_are_kept_as_parquet_and_the_sums_are_those_of_the_details(
    house: House, tmp_path: Path
) -> None:
    """Workers sum what they replay; whoever adds up the lines that they wrote gets the same."""
    args = ["--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5", "--from", DAY]
    args += ["--to", DAY, "--details", str(tmp_path / "kept"), "--json"]
    report = json.loads(evenhand_here(house.folder, "what-if", *args).stdout)
    lines = pq.read_table(tmp_path / "kept").to_pylist()
    assert sum(row["money"] for row in lines) == report["money"] != 0
    assert len({(r["table_id"], r["round"]) for r in lines}) == report["rounds_changed"]
    for told in report["by_clause"]:
        own = [r for r in lines if (r["before"] or r["after"])["clauses"][0] == told["clause"]]
        assert len(own) == told["lines"]
        assert len({(r["table_id"], r["round"]) for r in own}) == told["rounds"]
        assert sum(max(r["money"], 0) for r in own) == told["more"]
        assert sum(max(-r["money"], 0) for r in own) == told["less"]
    again = evenhand_here(house.folder, "what-if", *args)
    assert again.returncode == 2
    assert "expected an empty or a new folder" in again.stderr


def test_several_currencies_are_never_added_up() -> None:
    """Two tables open in different currencies, a third says nothing: three sums and no total."""
    sums = Sums(currencies={"A": "SGD", "B": "USD"})
    sums.tables = {"A": Sum(1, 1, 500, 0), "B": Sum(1, 1, 0, 200), "C": Sum(1, 2, 7, 0)}
    report = WhatIfReport([KIT_DAY], [], Path("nowhere"), sums)
    assert {k: v.money for k, v in sums.by_currency().items()} == {
        "SGD": 500,
        "USD": -200,
        "unknown": 7,
    }
    assert report.money is None
    sums.currencies = {"A": "SGD"}
    assert report.money == 307


def test_the_rulebook_that_was_played_changes_nothing(house: House) -> None:
    book = "pontoon-mbs-v5"
    args = ["--rulebook", book, "--of", book, "--from", DAY, "--to", DAY, "--json"]
    report = json.loads(evenhand_here(house.folder, "what-if", *args).stdout)
    assert report["rounds"] > 0
    assert (report["changed"], report["money"]) == ([], 0)


def test_a_round_that_nobody_can_replay_is_named_and_not_priced() -> None:
    """Opened years before its rulebook was in force: as things stand nobody is due anything in it,
    and what another rulebook gives is no price of that one."""
    book = rulebook("pontoon-mbs-v5")
    assert book is not None
    golden = next(g for g in load_all() if g.lines and _book(g) == book.id)
    early = _table_day(golden, MORNING.replace(year=2010))
    change = Change(frozenset(), frozenset(), book.id, book.main_bet)
    (changed,) = try_table_day(KIT_DAY, "RWS-T-01", early, change).changed  # type: ignore[arg-type]
    assert (changed.before, changed.after) == ("unreplayable", "settled")
    assert (changed.lines, changed.money) == ((), 0)


def _book(golden: Golden) -> str | None:
    return next((e.event.rulebook for e in golden.events if isinstance(e.event, RoundOpened)), None)


def _hash(home: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(p for p in home.rglob("*") if p.is_file() and "-shm" not in p.name):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def test_a_reading_over_days_with_and_without_activity(house: House) -> None:
    args = ["--reading", "jackpot-stake=other", "--from", "2026-11-13", "--to", DAY]
    report = json.loads(evenhand_here(house.folder, "what-if", *args, "--json").stdout)
    assert report["days_without_activity"] == ["2026-11-13"]
    assert {c["rulebook"] for c in report["changed"]} <= {"three-card-poker-rws-v3"}
    shown = evenhand_here(house.folder, "what-if", *args, COLUMNS="160").stdout
    assert shown.splitlines()[0].startswith(f"{report['rounds']:,} rounds on 1 day: ")
    assert "no activity on 2026-11-13" in shown


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "what if what? give --rulebook ID or --reading ID=other"),
        (["--rulebook", "pontoon"], "no rulebook pontoon"),
        (["--reading", "pro-rata"], "expected pro-rata=other or pro-rata=default"),
        (["--reading", "pro-rata=other", "--table", "RWS-PP-1"], "did you mean RWS-PP-01?"),
    ],
)
def test_what_users_get_wrong(house: House, args: list[str], says: str) -> None:
    done = evenhand_here(house.folder, "what-if", *args, "--from", DAY, "--to", DAY)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
