"""Notifiers: a file, a webhook and whatever Apprise reaches. What fails is told, never raised."""

from __future__ import annotations

import hashlib
import json
import os
import time
import urllib.request
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from events.runtime.durable import write_all
from events.runtime.modes import open_file
from events.settings import Settings
from pipelines.alerts.alert import Alert

Sleep = Callable[[float], None]


class Notifier(Protocol):
    """Something that can be told. It may raise anything; notify() deals with it."""

    name: str
    attempts: int

    def tell(self, alert: Alert) -> None:
        """Pass the alert on, or raise."""


class FileNotifier:
    """One JSON object per line, on the disk when it returns."""

    attempts = 1

    def __init__(self, path: Path) -> None:
        self.name, self._path = f"file {path}", path

    def tell(self, alert: Alert) -> None:
        line = {"at": datetime.now(UTC).isoformat(timespec="seconds")} | alert.to_json()
        fd = open_file(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            write_all(fd, (json.dumps(line, ensure_ascii=False) + "\n").encode())
            os.fsync(fd)
        finally:
            os.close(fd)


class WebhookNotifier:
    """A POST with the alert as JSON; anything but an answer 2xx counts as not delivered."""

    def __init__(self, address: str, attempts: int, timeout_s: float) -> None:
        self.name, self.attempts = f"webhook {address}", attempts
        self._address, self._timeout_s = address, timeout_s

    def tell(self, alert: Alert) -> None:
        request = urllib.request.Request(  # the setting allows only http and https
            self._address,
            data=json.dumps(alert.to_json(), ensure_ascii=False).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "evenhand"},
        )
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=self._timeout_s):
            pass


class AppriseNotifier:
    """E-mail, chats, webhooks and many more, by an address in the form of Apprise.

    Its name is the address without what is secret in it.
    """

    def __init__(self, address: str, attempts: int) -> None:
        self.attempts, self._address = attempts, address
        self.name = f"apprise {plain_address(address)}"

    def tell(self, alert: Alert) -> None:
        import apprise  # half a second, for those who use it

        to = apprise.Apprise()
        if not to.add(self._address):
            raise ValueError("Apprise does not understand the address")
        if not to.notify(body=alert.text, title=alert.title):
            raise ConnectionError("Apprise could not deliver it")


def plain_address(address: str) -> str:
    """An address as it may be shown: what stands for a person or a secret is a short checksum."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{hashlib.sha256(rest.encode()).hexdigest()[:12]}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An alert goes where the settings say and nowhere else."""

    def redirect_request(self, *args: object, **more: object) -> None:
        return None


def notifiers(settings: Settings) -> list[Notifier]:
    """Those of the settings. A further kind is one more class here."""
    alerts = settings.alerts
    found: list[Notifier] = [FileNotifier(settings.home / alerts.file)]
    if alerts.webhook is not None:
        found.append(WebhookNotifier(alerts.webhook, alerts.attempts, alerts.timeout_s))
    found += [AppriseNotifier(address, alerts.attempts) for address in alerts.to]
    return found


def notify(
    alert: Alert, to: Sequence[Notifier], sleep: Sleep = time.sleep, first_wait_s: float = 0.5
) -> list[str]:
    """Tell everybody; the sentences of those who could not be reached."""
    failed = []
    for notifier in to:
        why = ""
        for attempt in range(notifier.attempts):
            if attempt:
                sleep(first_wait_s * 2 ** (attempt - 1))
            try:
                notifier.tell(alert)
                break
            except Exception as error:  # noqa: BLE001 # an alert must never fail the run
                why = f"{type(error).__name__}: {error}"
        else:
            tried = f"{notifier.attempts} attempts" if notifier.attempts > 1 else "one attempt"
            failed.append(f"{notifier.name}: the alert was not delivered in {tried}: {why}")
    return failed
