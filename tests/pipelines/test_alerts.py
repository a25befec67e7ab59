"""Alerts: told where the settings say, tried again within bounds, never able to fail anything."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from events.settings import SettingsError, load_settings
from events.settings.alerts import Alerts
from pipelines.alerts.alert import Alert, failure_alert, findings_alert
from pipelines.alerts.notify import FileNotifier, WebhookNotifier, notifiers, notify
from tests.pipelines.kit import settings_of

ALERT = Alert("findings", "2026-03-10", "two findings are open", {"money_cents": 700})


class Receiver:
    """A loopback webhook: answers with these codes in turn, then with 200."""

    def __init__(self, codes: list[int]) -> None:
        self.codes = codes
        self.got: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the library's name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append(json.loads(body))
                code = outer.codes.pop(0) if outer.codes else 200
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook"


@contextmanager
def receiving(*codes: int) -> Iterator[Receiver]:
    receiver = Receiver(list(codes))
    thread = threading.Thread(target=receiver.server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()


def test_the_webhook_gets_the_alert_as_json() -> None:
    with receiving() as receiver:
        assert notify(ALERT, [WebhookNotifier(receiver.address, 3, 5)]) == []
    assert receiver.got == [
        {
            "reason": "findings",
            "day": "2026-03-10",
            "text": "two findings are open",
            "facts": {"money_cents": 700},
        }
    ]


def test_a_webhook_that_fails_is_tried_again_with_growing_waits() -> None:
    waits: list[float] = []
    with receiving(500, 503) as receiver:
        missed = notify(ALERT, [WebhookNotifier(receiver.address, 3, 5)], waits.append)
    assert missed == []
    assert len(receiver.got) == 3
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("code", [500, 302])
def test_after_the_last_attempt_it_is_given_up_and_said(code: int) -> None:
    with receiving(code, code, code, code) as receiver:
        missed = notify(ALERT, [WebhookNotifier(receiver.address, 3, 5)], lambda s: None)
    assert len(receiver.got) == 3, "an alert goes where the settings say, never elsewhere"
    assert len(missed) == 1
    assert missed[0].startswith(f"webhook {receiver.address}: the alert was not delivered in 3")
    assert str(code) in missed[0]


def test_one_that_cannot_be_reached_keeps_nobody_else_from_being_told(tmp_path: Path) -> None:
    with receiving() as receiver:
        gone = receiver.address
    file = tmp_path / "alerts.jsonl"
    nowhere = FileNotifier(tmp_path / "no" / "folder" / "alerts.jsonl")
    to = [nowhere, WebhookNotifier(gone, 2, 1), FileNotifier(file)]
    missed = notify(ALERT, to, lambda s: None)
    assert [m.split(" ")[0] for m in missed] == ["file", "webhook"]
    line = json.loads(file.read_text("utf-8"))
    assert line["text"] == ALERT.text
    assert line["at"].endswith("+00:00")


def findings(*rows: tuple[str, int | None, str | None]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"severity": s, "money": m, "waiver": w, "table_id": "T"} for s, m, w in rows],
        schema=pa.schema(
            [
                ("severity", pa.string()),
                ("money", pa.int64()),
                ("waiver", pa.string()),
                ("table_id", pa.string()),
            ]
        ),
    )


CASES = {
    "nothing": ([], Alerts(), None),
    "procedure never": ([("procedure", None, None)], Alerts(), None),
    "money both ways together": (
        [("money", 600, None), ("money", -400, None)],
        Alerts(money_cents=1000),
        "2 open money findings over 10.00, 0 open integrity findings",
    ),
    "a cent below": (
        [("money", 600, None), ("money", -399, None)],
        Alerts(money_cents=1000),
        None,
    ),
    "waived money": ([("money", 600, "W1")], Alerts(), None),
    "integrity from two on, one": ([("integrity", None, None)], Alerts(integrity_findings=2), None),
    "integrity from two on, two": (
        [("integrity", None, None), ("integrity", None, None)],
        Alerts(integrity_findings=2),
        "0 open money findings over 0.00, 2 open integrity findings",
    ),
    "money without an amount, threshold 0": (
        [("money", None, None)],
        Alerts(money_cents=0),
        "1 open money findings over 0.00",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_when_a_day_calls_for_an_alert(name: str) -> None:
    rows, limits, expected = CASES[name]
    alert = findings_alert("2026-03-10", findings(*rows), limits, "r.html")
    assert (alert is None) == (expected is None)
    assert alert is None or (expected is not None and expected in alert.text)


def test_a_failed_run_is_told() -> None:
    alert = failure_alert("2026-03-10", "abc", "the disk is full")
    assert alert.text == "gaming day 2026-03-10: the nightly run failed: the disk is full"
    assert alert.facts == {"run": "abc"}


def test_the_settings_name_the_notifiers(tmp_path: Path) -> None:
    plain = notifiers(settings_of(tmp_path / "home"))
    assert [n.name for n in plain] == [f"file {tmp_path / 'home' / 'alerts.jsonl'}"]
    both = notifiers(settings_of(tmp_path / "home", alerts='{"webhook": "http://127.0.0.1:9/x"}'))
    assert [n.name for n in both][1:] == ["webhook http://127.0.0.1:9/x"]


REFUSED = {
    '{"webhook": "ftp://x"}': "EVENHAND_ALERTS: webhook: expected an address like https://host/path",
    '{"webhok": "http://x"}': "did you mean webhook?",
    '{"attempts": 0}': "EVENHAND_ALERTS: attempts: expected an integer 1 to 10, found 0",
    '{"file": ""}': "EVENHAND_ALERTS: file: expected text that is not empty",
    "yes": "EVENHAND_ALERTS: expected a table",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_bad_settings_are_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(environ={"EVENHAND_ALERTS": text}, folder=tmp_path)
    assert why in str(refused.value)
