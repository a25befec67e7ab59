"""Somebody writes to the log under another table's name, before the table itself does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events.chain import Head
from events.codec import decode
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import Event, HeadSigned, ShoeStarted, TableOpened
from events.registry import RegisteredTable, TableKey, add_tables
from events.trust.note import SignerKey
from pipelines.night.plain import run_day
from tests.command import evenhand
from tests.pipelines.kit import BOOK, DAY, MORNING, TABLE, ask, sent, settings_of, won_round

KEY = SignerKey.from_seed("RWS-PP-01-1", bytes(range(32)))


def report(
    gateway: Gateway, rounds: Sequence[Sequence[Event]], name: str, start: datetime
) -> list[Outgoing]:
    """Rounds as a gateway reports them, signatures and all; an event every two seconds."""
    out, at = [], start
    if gateway.head.seq == 0:
        out += gateway.report(TableOpened(BOOK, "SGD"), at=at, device="console")
        out += gateway.report(ShoeStarted("SH-1", 8, True), at=at, device="shoe")
    for n, events in enumerate(rounds):
        for event in events:
            at += timedelta(seconds=2)
            out += gateway.report(event, at=at, device="console", round_=f"{TABLE}-{name}{n}")
    return out


def branch(gateway: Gateway, key: SignerKey | None = None) -> Gateway:
    return Gateway(TABLE, Head(gateway.head.seq, gateway.head.hash), key)


def registered(home: Path) -> None:
    home.mkdir(exist_ok=True)
    key = TableKey(KEY.name, KEY.verifier.public, DAY)
    add_tables(home / "tables.toml", {TABLE: RegisteredTable(keys=(key,))})


def night(home: Path, *, with_suites: bool = False) -> list[tuple[Any, ...]]:
    run_day(settings_of(home), DAY, with_suites=with_suites)
    return ask(home, "SELECT kind, round, money, day, message FROM findings ORDER BY kind, seq")


def shown(home: Path, round_: str) -> dict[str, Any]:
    done = evenhand(home, "show", round_, "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


LATE = MORNING + timedelta(hours=1)


@pytest.mark.parametrize("rounds", [1, 4])
def test_the_signed_tail_is_the_record_though_the_forged_one_was_sent_first(
    tmp_path: Path, rounds: int
) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE, key=KEY)
    registered(home)
    sent(home, report(gateway, [won_round(0)], "A", MORNING))
    forger = branch(gateway)
    false = [won_round(1 + n, winnings=602_500) for n in range(rounds)]
    sent(home, report(forger, false, "F", LATE))
    sent(home, report(gateway, [won_round(1), won_round(2)], "B", LATE + timedelta(minutes=5)))
    found = night(home, with_suites=rounds == 4)
    assert [money for _, _, money, *_ in found if money] == []
    assert {kind for kind, *_ in found} <= {"duplicate_event", "unsigned", "out_of_order"}
    counted = [r for (r,) in ask(home, "SELECT round FROM rounds ORDER BY round")]
    assert counted == [f"{TABLE}-A0", f"{TABLE}-B0", f"{TABLE}-B1"]
    assert shown(home, f"{TABLE}-B0")["status"] == "settled"
    lost = evenhand(home, "show", f"{TABLE}-F0", EVENHAND_HOME=str(home))
    assert lost.returncode == 2
    assert "does not count" in lost.stderr
    zipped = home / "b0.zip"
    made = evenhand(home, "evidence", f"{TABLE}-B0", "-o", str(zipped), EVENHAND_HOME=str(home))
    assert made.returncode == 0, made.stderr
    checked = evenhand(home, "evidence", "--verify", str(zipped), EVENHAND_HOME=str(home))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    [told, *_] = notes(home)
    assert f"those of round{'s' * (rounds > 1)} {TABLE}-B0" in told
    assert "count, because a valid signature covers them; those of round" in told
    assert f"{TABLE}-F0" in told


def notes(home: Path) -> list[str]:
    """What verify says of the day besides what is wrong: of two tails, which one counts."""
    verified = evenhand(home, "verify", "--json", EVENHAND_HOME=str(home))
    assert verified.returncode == 1, verified.stdout
    [day] = json.loads(verified.stdout)["days"]
    return list(day["notes"])


def test_without_keys_verify_says_that_nothing_decides_between_two_tails(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    sent(home, report(gateway, [won_round(0)], "A", MORNING))
    forger = branch(gateway)
    sent(home, report(forger, [won_round(1, winnings=602_500)], "F", LATE))
    sent(home, report(gateway, [won_round(1), won_round(2)], "B", LATE + timedelta(minutes=5)))
    [told] = notes(home)
    assert f"those of round {TABLE}-B0 count, because the chain goes on from them; no valid" in told
    assert told.endswith(f"those of round {TABLE}-F0 do not")


def test_over_the_days_end_the_forged_events_lie_in_the_next_day(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE, key=KEY)
    registered(home)
    sent(home, report(gateway, [won_round(0)], "A", MORNING))
    forger = branch(gateway)
    tomorrow = MORNING + timedelta(days=1, hours=1)
    sent(home, report(forger, [won_round(1, winnings=602_500)], "F", tomorrow))
    sent(home, report(gateway, [won_round(1)], "B", LATE))
    assert [f for f in night(home) if f[2] or f[0] == "broken_chain"] == []
    run_day(settings_of(home), DAY + timedelta(days=1), with_suites=False)  # only forged events
    sent(home, report(gateway, [won_round(2)], "C", tomorrow + timedelta(hours=1)))
    assert [f for f in night(home) if f[2] or f[0] == "broken_chain"] == []
    run_day(settings_of(home), DAY + timedelta(days=1), with_suites=False)
    found = ask(home, "SELECT kind, money FROM findings WHERE money <> 0")
    assert found == []
    counted = [r for (r,) in ask(home, "SELECT round FROM rounds ORDER BY round")]
    assert counted == [f"{TABLE}-A0", f"{TABLE}-B0", f"{TABLE}-C0"]


def test_two_signed_tails_are_an_integrity_finding(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE, key=KEY)
    registered(home)
    sent(home, report(gateway, [won_round(0)], "A", MORNING))
    thief = branch(gateway, KEY)
    sent(home, report(thief, [won_round(1, winnings=602_500)], "F", LATE))
    sent(home, report(gateway, [won_round(1)], "B", LATE + timedelta(minutes=5)))
    kinds = {kind for kind, *_ in night(home)}
    assert {"wrong_signature", "duplicate_event"} <= kinds
    verified = evenhand(home, "verify", "--json", EVENHAND_HOME=str(home))
    assert verified.returncode == 1
    [day] = json.loads(verified.stdout)["days"]
    assert day["verdicts"] == ["wrong_signature"]
    assert "both are validly signed and nobody here can tell which is true" in day["notes"][0]


def test_the_same_day_without_keys_has_no_new_findings(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE, key=KEY)
    messages = report(gateway, [won_round(n) for n in range(3)], "A", MORNING)
    assert any(isinstance(decode(m.value).event, HeadSigned) for m in messages)
    sent(home, messages)
    assert night(home) == []
