"""A device calls its table what it likes: a path, quotes, a name that the house itself uses."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from events.checkpoints import checkpoint_now, load_checkpoints
from events.gateway import Gateway
from events.house_log import GROWING
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.model import ShoeStarted, TableOpened
from pipelines.night.plain import run_day
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import BOOK, DAY, MORNING, TABLE, ask, played, settings_of, won_round
from tests.trust.kit import take_and_seal

NAMES = [
    "../../x", "a/b", "a\nb", "a'b", 'a"b', "a\0b", "\u202egnp", "n" * 3000, " ", "{}", "%s", "-rf",
    "day=2026-01-01", "\u00e9", "e\u0301", "\U0001f0a1", "\\", "a,b", "=1+1", "#",
    "#quarantine", *GROWING,
]  # fmt: skip


def table(name: str) -> list[Outgoing]:
    gateway, at = Gateway(name), MORNING
    out = [
        gateway.send(TableOpened(BOOK, "SGD"), at=at, device="console"),
        gateway.send(ShoeStarted("SH-1", 8, True), at=at, device="shoe"),
    ]
    for event in won_round(0, 4000):
        at += timedelta(seconds=2)
        out.append(gateway.send(event, at=at, device="console", round_=f"R {name}"))
    return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("names") / ".evenhand"
    home.mkdir()
    messages = played([won_round(0)])
    take_and_seal(home, [*messages, *(m for name in NAMES for m in table(name))])
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def test_the_day_is_audited_and_nothing_of_the_house_is_in_doubt(home: Path) -> None:
    wrong = ask(home, "SELECT table_id FROM findings WHERE kind = 'wrong_odds' ORDER BY ALL")
    assert [name for (name,) in wrong] == sorted(NAMES)
    assert {path.name for path in home.parent.parent.iterdir()} >= {home.parent.name}
    for words in (("verify",), ("status",), ("checkpoints",), ("show", f"{TABLE}-000002")):
        done = evenhand_here(home.parent, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "are gone" not in evenhand_here(home.parent, "status").stdout


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_its_rounds_are_shown_and_proved(home: Path, name: str, tmp_path: Path) -> None:
    file = str(tmp_path / "e.zip")
    for words in (("show", f"R {name}", "--json"), ("evidence", f"R {name}", "-o", file)):
        done = evenhand_here(home.parent, *words)
        assert done.returncode == 0, done.stderr
    done = evenhand_here(home.parent, "evidence", "--verify", file)
    assert done.returncode == 0, done.stdout


def test_no_way_of_writing_checkpoints_takes_a_table_for_a_file_of_the_house(home: Path) -> None:
    own = {c.table for c in load_checkpoints(home / "checkpoints.jsonl", quarantine=True)}
    assert own & {"#people", "#access", "#quarantine", "#"} == set()  # this house has none of these
    log = FileLog(home / "log", write=False)
    try:
        made = checkpoint_now(home / "asked.jsonl", lambda: log.read({}))
    finally:
        log.close()
    assert {c.table for c in made} == {TABLE, *(n for n in NAMES if not n.startswith("#"))}
