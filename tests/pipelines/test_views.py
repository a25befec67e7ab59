"""The views over events: where cards lie after splits, moves and discards."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from events.gateway import Gateway
from events.model import (
    BetPlaced,
    BetRefused,
    BetsClosed,
    BetWithdrawn,
    CardBurnt,
    CardDealt,
    CardDiscarded,
    CardsMoved,
    DecisionMade,
    Event,
    IrregularityNoted,
    JackpotRead,
    Move,
    RulingMade,
    TableOpened,
)
from pipelines.night.plain import run_day
from tests.command import ROOT
from tests.pipelines.kit import BOOK, DAY, MORNING, TABLE, ask, opening, sent, settings_of

SPLIT = "R-split"
MOVED = "R-moved"

ROUNDS: dict[str, list[Event]] = {
    # box 2 splits its eights, then hand 1 again: the last card dealt to a hand leaves it
    SPLIT: [
        opening(),
        BetPlaced(2, 1, "P1", "initial", 2500, True),
        BetWithdrawn(2, 1, "P1", "initial", 500),
        BetRefused(2, 1, "P1", "initial", 900),
        BetsClosed(),
        CardBurnt(1, "2S"),
        CardDealt(2, 2, 1, "8S", True),
        CardDealt(3, 0, 0, "6H", True),
        CardDealt(4, 2, 1, "8D", True),
        DecisionMade(2, 1, "P1", "split", 2),
        CardDealt(5, 2, 1, "8C", True),
        DecisionMade(2, 1, "P1", "split", 3),
        CardDealt(6, 2, 1, "KC", True),
        CardDealt(7, 2, 2, "QC", True),
        CardDealt(8, 2, 3, "JC", True),
    ],
    # a card went to box 1 instead of box 3, and one too many to box 1: moved, and taken out
    MOVED: [
        opening(),
        BetsClosed(),
        CardDealt(9, 1, 1, "4S", True),
        CardDealt(10, 1, 1, "5S", True),
        CardDealt(11, 1, 1, "9S", True),
        IrregularityNoted("dealing_error", "pit_supervisor", 1, detail="one too many"),
        CardsMoved((Move(10, 3, 1),)),
        CardDiscarded(11, "dealt in error"),
        RulingMade("pit_manager", "5.7", "reconstructable", 1),
        JackpotRead(100_000),
        JackpotRead(100_250),
    ],
}


@pytest.fixture(scope="module", params=[1, 2], ids=["once", "doubled"])
def home(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A log with each event once, and one with each twice: the views say the same."""
    home = tmp_path_factory.mktemp("views") / "home"
    gateway, at = Gateway(TABLE), MORNING
    out = [gateway.send(TableOpened(BOOK, "SGD"), at=at, device="console")]
    for name, events in ROUNDS.items():
        for event in events:
            at += timedelta(seconds=1)
            out.append(gateway.send(event, at=at, device="console", round_=name))
    sent(home, [message for message in out for _ in range(request.param)])
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def test_split_hands_hold_the_cards_that_were_split_off(home: Path) -> None:
    sql = f"SELECT box, hand, cards FROM hands WHERE round = '{SPLIT}' ORDER BY box, hand"
    assert ask(home, sql) == [
        (0, 0, ["6H"]),
        (2, 1, ["8S", "KC"]),
        (2, 2, ["8D", "QC"]),
        (2, 3, ["8C", "JC"]),
    ]


def test_decisions_stand_with_the_hand_they_were_made_on(home: Path) -> None:
    sql = f"SELECT hand, decisions FROM hands WHERE round = '{SPLIT}' AND box = 2 ORDER BY hand"
    assert ask(home, sql) == [(1, ["split", "split"]), (2, None), (3, None)]


def test_moved_cards_lie_where_they_belong_and_discarded_ones_nowhere(home: Path) -> None:
    sql = f"SELECT box, hand, cards FROM hands WHERE round = '{MOVED}' ORDER BY box"
    assert ask(home, sql) == [(1, 1, ["4S"]), (3, 1, ["5S"])]
    sql = f"SELECT draw, dealt_box, box, discarded FROM cards WHERE round = '{MOVED}' ORDER BY draw"
    assert ask(home, sql) == [(9, 1, 1, False), (10, 1, 3, False), (11, 1, 1, True)]


def test_a_burnt_card_belongs_to_nobody(home: Path) -> None:
    sql = "SELECT card, box, burnt FROM cards WHERE draw = 1"
    assert ask(home, sql) == [("2S", None, True)]


def test_bets_decisions_and_irregularities_are_the_events(home: Path) -> None:
    assert ask(home, "SELECT type, amount FROM bets ORDER BY seq") == [
        ("BetPlaced", 2500),
        ("BetWithdrawn", 500),
        ("BetRefused", 900),
    ]
    assert ask(home, "SELECT decision, new_hand FROM decisions ORDER BY seq") == [
        ("split", 2),
        ("split", 3),
    ]
    found = ask(home, "SELECT type, kind, ruling, noted_by FROM irregularities ORDER BY seq")
    assert found == [
        ("IrregularityNoted", "dealing_error", None, "pit_supervisor"),
        ("CardsMoved", None, None, None),
        ("CardDiscarded", None, None, None),
        ("RulingMade", None, "reconstructable", "pit_manager"),
    ]


def test_each_reading_of_a_meter_moves_it_once(home: Path) -> None:
    sql = "SELECT jackpot, amount, change FROM meter_history ORDER BY seen_at"
    assert ask(home, sql) == [("main", 100_000, None), ("main", 100_250, 250)]


def test_a_rulebook_says_whose_it_is_and_until_when(home: Path) -> None:
    sql = f"SELECT property, in_force_until, notice FROM rulebooks WHERE id = '{BOOK}'"
    assert ask(home, sql) == [("RWS", None, None)]


def test_a_finding_to_read_has_the_currency_that_the_table_opened_with(home: Path) -> None:
    sql = f"SELECT DISTINCT currency FROM findings_read WHERE round = '{SPLIT}'"
    assert ask(home, sql) == [("SGD",)]


@pytest.mark.parametrize("view", ["hands", "cards", "bets", "decisions", "irregularities"])
def test_one_round_is_looked_for_where_it_lies(home: Path, view: str) -> None:
    """Every look at the events asks the file for that round: the file's own statistics tell which
    part holds it, so that a day's other parts are not read."""
    plan = ask(home, f"EXPLAIN (FORMAT JSON) SELECT * FROM {view} WHERE round = '{SPLIT}'")[0][1]
    scans = list(_scans(json.loads(plan)))
    assert scans
    assert [one for one in scans if f"round = '{SPLIT}'" not in str(one.get("Filters"))] == []


def _scans(part: Any) -> Iterator[dict[str, Any]]:
    """What DuckDB's plan says of each reading of a Parquet file."""
    if isinstance(part, list):
        for one in part:
            yield from _scans(one)
        return
    if part["name"].strip() == "READ_PARQUET":
        yield part["extra_info"]
    yield from _scans(part["children"])


def test_a_question_waits_for_no_library_that_it_does_not_need(home: Path) -> None:
    code = (
        "import sys; from pipelines.cli.main import cli\n"
        "cli.main(['sql', 'SELECT count(*) AS hands FROM hands'], standalone_mode=False)\n"
        "heavy = {'pyarrow', 'numpy', 'pandas', 'fastavro', 'replay.engine'} & set(sys.modules)\n"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "EVENHAND_HOME": str(home)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "hands" in done.stdout
