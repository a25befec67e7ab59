"""One odd round costs only itself: named, and every other answer stays what it is."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from checks import audit as audit_module
from checks.audit import audit, audit_file
from checks.unreconciled import RAISES
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.bounds import Bounds
from events.codec import decode
from events.gateway import Gateway
from events.log.files.log import FileLog
from events.model import BetPlaced, BetSettled, Event
from pipelines.night.plain import run_day
from replay.answer import Answer
from replay.facts import Round
from replay.rounds import facts_of
from tests.pipelines.kit import DAY, MORNING, TABLE, ask, played, settings_of, won_round

ODD = f"{TABLE}-000003"


def answers() -> list[Answer]:
    rounds = [won_round(0), won_round(1, winnings=3000), won_round(2)]
    return audit_file([decode(m.value) for m in played(rounds)])


def test_rules_that_fail_on_a_round_cost_that_round_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = answers()
    real = audit_module.replay_round

    def failing(round_: Round, *args: Any, **more: Any) -> Answer:
        if round_.id == ODD:
            raise KeyError("what nobody thought of")
        return real(round_, *args, **more)

    monkeypatch.setattr(audit_module, "replay_round", failing)
    with pytest.raises(KeyError):
        answers()  # under the tests it is raised
    monkeypatch.delenv(RAISES)
    with caplog.at_level(logging.ERROR, "evenhand.audit"):
        found = answers()
    assert "test_unreconciled.py" in caplog.text
    odd = [a for a in found if a.round == ODD]
    (finding,) = odd[0].findings
    assert (odd[0].status, odd[0].lines) == ("unreplayable", [])
    assert (finding.kind, finding.severity, finding.seq) == ("unreconciled", "integrity", 13)
    assert "the rules failed on this round: KeyError: 'what nobody thought of'" in finding.message
    assert [a for a in found if a.round != ODD] == [a for a in expected if a.round != ODD]


def one() -> Round:
    (round_,) = facts_of(decode(m.value) for m in played([won_round()]))
    return round_


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda line: [line, line], "box 1, hand 1, P1 initial has two lines, expected one"),
        (
            lambda line: [line._replace(clauses=())],
            "box 1, hand 1, P1 initial has a line that no paragraph decides",
        ),
    ],
)
def test_sums_that_do_not_come_out_are_named(
    monkeypatch: pytest.MonkeyPatch, change: Any, says: str
) -> None:
    real = audit_module.replay_round

    def other(round_: Round, *args: Any, **more: Any) -> Answer:
        answer = real(round_, *args, **more)
        return replace(answer, lines=change(answer.lines[0]))

    assert audit(one()).findings == []
    monkeypatch.setattr(audit_module, "replay_round", other)
    (finding,) = [f for f in audit(one()).findings if f.kind == "unreconciled"]
    assert finding.message.endswith(says)


def test_a_difference_that_no_finding_tells_of_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (round_,) = facts_of(decode(m.value) for m in played([won_round(winnings=3000)]))
    assert [f.kind for f in audit(round_).findings] == ["wrong_odds"]
    monkeypatch.setattr(audit_module, "compare", lambda *_: [])
    (finding,) = audit(round_).findings
    assert finding.kind == "unreconciled"
    assert "paid 55.00, the rulebook gives 50.00" in finding.message
    assert "+5.00 is unexplained" in finding.message


def huge_round() -> list[Event]:
    """A bet of all the cents that 64 bits hold, and paid as much again."""
    most = 2**63 - 1
    bet = BetPlaced(1, 1, "P1", "initial", most, True)
    paid = BetSettled(1, 1, "P1", "initial", most, most, most, "final")
    instead: dict[type[Event], Event] = {BetPlaced: bet, BetSettled: paid}
    return [instead.get(type(event), event) for event in won_round()]


def house(home: Path, *, odd: bool) -> dict[str, list[tuple[Any, ...]]]:
    """A day of one good table, and one whose money no column can hold; the good one's rows."""
    sent = played([won_round(0), won_round(1, winnings=3000)])
    if odd:
        other = Gateway("RWS-PP-99")
        for n, event in enumerate(huge_round()):
            at = MORNING + timedelta(seconds=n)
            sent.append(other.send(event, at=at, device="console", round_="RWS-PP-99-1"))
    log = FileLog(home / "log", write=True)
    log.append(sent)
    settings = settings_of(home)
    with ArchiveWriter(home / "archive", settings.gaming_day, bounds=Bounds(2**63 - 1)) as archive:
        ingest(log, archive)
    log.close()
    run_day(settings, DAY, with_suites=True)
    tables = ("rounds", "lines", "settlements", "findings")
    return {
        t: ask(home, f"SELECT * EXCLUDE (run) FROM {t} WHERE table_id = '{TABLE}' ORDER BY ALL")
        for t in tables
    }


def test_money_that_no_column_can_hold_stops_nobody_else(tmp_path: Path) -> None:
    assert house(tmp_path / "a", odd=True) == house(tmp_path / "b", odd=False)
    rows = ask(tmp_path / "a", "SELECT round, status FROM rounds WHERE table_id = 'RWS-PP-99'")
    assert rows == [("RWS-PP-99-1", "unreplayable")]
    found = ask(tmp_path / "a", "SELECT message FROM findings WHERE kind = 'unreconciled'")
    assert "more money than can be stored" in found[0][0]
    (report,) = (tmp_path / "a").rglob("*.html")
    first = "The audit does not come out for 1 round (RWS-PP-99-1)"
    assert first in report.read_text("utf-8")
