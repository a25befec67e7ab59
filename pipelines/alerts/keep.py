"""Telling at once and keeping what could not be delivered, for runs that end soon after."""

from __future__ import annotations

import sqlite3
import time

from events.errors import EvenhandError
from events.settings import Settings
from pipelines.alerts.alert import Alert
from pipelines.alerts.notify import notifiers, notify
from pipelines.alerts.outbox import AlertOutbox


def tell_kept(settings: Settings, key: str, alert: Alert) -> list[str]:
    """Tell everybody whom the settings name; the sentences of those who could not be reached. What
    they missed is tried again by the next watcher or run. Nothing here fails the caller."""
    to = notifiers(settings)
    try:
        outbox = AlertOutbox(settings.home)
    except (sqlite3.Error, OSError, EvenhandError) as error:
        return [*notify(alert, to), f"alerts can't be kept: {error}"]
    try:
        name, now = f"{alert.reason}/{key}", time.time()
        outbox.put(name, alert, [notifier.name for notifier in to], now)
        missed = []
        by_name = {notifier.name: notifier for notifier in to}
        for found, address, kept in outbox.due(now, name):
            why = notify(kept, [by_name[address]]) if address in by_name else []
            if why:
                outbox.failed(found, address, time.time(), why[0])
                missed += why
            else:
                outbox.delivered(found, address, time.time())
        return missed
    finally:
        outbox.close()
