"""Alerts at once: by rule, from a durable outbox, until they arrived and somebody has seen them."""

from __future__ import annotations

import json
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from events.log.files.log import FileLog
from events.settings import SettingsError
from pipelines.alerts.notify import notifiers
from pipelines.alerts.outbox import FIRST_WAIT_S, AlertOutbox, deliver_due
from pipelines.broker.server import free_port
from pipelines.watch.alerting import WatchAlerts
from pipelines.watch.follow import Follower
from pipelines.watch.outbox import Numbered, WatchOutbox, outbox_file
from pipelines.watch.told import LiveWord
from tests.pipelines.kit import played, settings_of, won_round

NOW = 1_773_100_000.0


class Mailbox:
    """An SMTP server on loopback that keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        mail = message_from_bytes(envelope.content)
        parts = [p for p in mail.walk() if p.get_content_type() == "text/plain"] or [mail]
        payload = parts[0].get_payload(decode=True)
        assert isinstance(payload, bytes)
        self.got.append(f"{mail['Subject']}\n{payload.decode()}")
        return "250 OK"


def finding(n: int = 1, **more: Any) -> str:
    known = {
        "id": f"F{n:016x}",
        "kind": "wrong_odds",
        "severity": "money",
        "table": "RWS-PP-01",
        "round": f"R-{n}",
        "money": 500,
        "too_much": 500,
        "too_little": 0,
        "message": f"round R-{n}: paid 30.00, the rulebook gives 25.00",
    }
    return json.dumps(known | more)


def word(what: Any = "finding", n: int = 1, at: float = NOW, **more: Any) -> Numbered:
    body = finding(n, **more)
    told = LiveWord(what, f"F{n:016x}", "RWS-PP-01", f"R-{n}", body, dealer="D-1")
    return Numbered(n, told._replace(opened_us=int(at * 1e6)))


def hear(home: Path, rules: list[dict[str, Any]], told: list[Numbered]) -> list[str]:
    """The texts of the alerts that come of these words, newest last."""
    settings = settings_of(home, alerts=json.dumps({"rules": rules}))
    alerts = WatchAlerts(settings, lambda text: None)
    try:
        for one in told:
            alerts.hear([one])
    finally:
        alerts.close()
    outbox = AlertOutbox(home)
    try:
        return [kept.key for kept in outbox.kept()]
    finally:
        outbox.close()


RULES: dict[str, tuple[dict[str, Any], list[Numbered], int]] = {
    "severity": ({"severity": "money"}, [word(), word(n=2, severity="procedure")], 1),
    "kind": ({"kind": ["late_bet", "wrong_odds"]}, [word(), word(n=2, kind="wrong_void")], 1),
    "table": ({"table": "RWS-PP-02"}, [word(), word(n=2, table="RWS-PP-02")], 1),
    "money above, both ways": (
        {"money_cents": 600},
        [word(), word(n=2, too_much=300, too_little=300)],
        1,
    ),
    "three of a dealer within an hour": (
        {"several": 3},
        [word(n=1), word(n=2, at=NOW + 60), word(n=3, at=NOW + 3500)],
        1,
    ),
    "the third after the hour": (
        {"several": 3},
        [word(n=1), word(n=2, at=NOW + 60), word(n=3, at=NOW + 3700)],
        0,
    ),
    "one of three withdrawn": (
        {"several": 3},
        [word(n=1), word(n=2), word("withdrawn", 2), word(n=3)],
        0,
    ),
    "told twice": ({"severity": "money"}, [word(), word()], 1),
    "told and withdrawn": ({"severity": "money"}, [word(), word("withdrawn")], 2),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_which_findings_are_told(tmp_path: Path, name: str) -> None:
    rule, told, many = RULES[name]
    assert len(hear(tmp_path / "home", [{"name": "r", **rule}], told)) == many


def test_a_finding_reaches_a_mailbox_with_its_link(tmp_path: Path) -> None:
    """From the log to the mailbox: a round paid wrongly, Apprise, SMTP on loopback."""
    home, mailbox = tmp_path / "home", Mailbox()
    home.mkdir()
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        to = f"mailto://127.0.0.1:{server.port}?from=evenhand@house.example&to=pit@house.example"
        rules = [{"name": "money", "severity": "money"}]
        given = {"to": [to + "&mode=insecure"], "rules": rules, "desk": "https://desk.example/"}
        settings = settings_of(home, alerts=json.dumps(given))
        log = FileLog(home / "log", write=True)
        log.append(played([won_round(0, winnings=3000)]))
        outbox = WatchOutbox(outbox_file(home, "watch"))
        alerts = WatchAlerts(settings, pytest.fail)
        try:
            Follower(settings, log, outbox, alerts.hear).run(follow=False)
        finally:
            alerts.close()
            outbox.close()
            log.close()
    finally:
        server.stop()
    assert len(mailbox.got) == 1
    assert "Evenhand: wrong odds, RWS-PP-01" in mailbox.got[0]
    assert "https://desk.example/finding/F" in mailbox.got[0].replace("\n", "")


class Moody:
    """An address that fails until it is told to be well."""

    name, attempts = "moody", 1

    def __init__(self) -> None:
        self.well = False
        self.got: list[str] = []

    def tell(self, alert: Any) -> None:
        if not self.well:
            raise ConnectionError("nobody answers")
        self.got.append(alert.text)


def test_what_could_not_be_delivered_waits_and_is_told_until_somebody_has_seen_it(
    tmp_path: Path,
) -> None:
    from pipelines.alerts.rules import AlertsAtOnce

    home, moody = tmp_path / "home", Moody()
    rules = [{"name": "r", "severity": "money", "repeat_s": 60}]
    settings = settings_of(home, alerts=json.dumps({"rules": rules}))
    outbox = AlertOutbox(home)
    try:
        AlertsAtOnce(settings.alerts, outbox, ["moody"]).found(finding(), "D-1", NOW, NOW)
        assert len(deliver_due(outbox, [moody], NOW)) == 1
        assert deliver_due(outbox, [moody], NOW + 1) == [], "not yet"
        assert len(deliver_due(outbox, [moody], NOW + FIRST_WAIT_S)) == 1
        assert deliver_due(outbox, [moody], NOW + 2 * FIRST_WAIT_S) == [], "twice as late"
    finally:
        outbox.close()
    moody.well = True
    outbox = AlertOutbox(home)  # another process, later
    try:
        for at in (100, 110, 170, 400):
            assert deliver_due(outbox, [moody], NOW + at) == []
        assert len(moody.got) == 3, "at 100, and after a minute each"
        assert outbox.seen("F" + "1".zfill(16), "mei", NOW + 401) == 1
        deliver_due(outbox, [moody], NOW + 9999)
        assert len(moody.got) == 3
        (kept,) = outbox.kept()
        assert (kept.seen_by, kept.delivered, kept.undelivered) == ("mei", 1, 0)
    finally:
        outbox.close()


def test_secrets_of_an_address_stand_nowhere(tmp_path: Path) -> None:
    given = {"to": ["mailto://user:secret@mail.example"]}
    found = notifiers(settings_of(tmp_path / "home", alerts=json.dumps(given)))[-1]
    assert found.name.startswith("apprise mailto://")
    assert "secret" not in found.name


REFUSED = {
    '{"rules": [{"severity": "money"}]}': "rules, number 1: expected a name",
    '{"rules": [{"name": "a", "several": 1}]}': "several: expected an integer 2 to 1000",
    '{"rules": [{"name": "a", "sevrity": "money"}]}': "did you mean severity?",
    '{"rules": [{"name": "a"}, {"name": "a"}]}': "expected names that differ",
    '{"to": 7}': "to: expected text or a list of texts",
    '{"desk": "nowhere"}': "desk: expected an address like",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_rules_that_mean_nothing_are_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings_of(tmp_path / "home", alerts=text)
    assert why in str(refused.value)
