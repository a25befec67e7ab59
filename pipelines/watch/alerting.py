"""Alerts of a watcher: the rules asked as words are told, the outbox emptied beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from events.settings import Settings
from pipelines.alerts.notify import notifiers
from pipelines.alerts.outbox import AlertOutbox, deliver_due
from pipelines.alerts.rules import AlertsAtOnce
from pipelines.watch.outbox import Numbered

EVERY_S = 1.0


class WatchAlerts:
    """Holds what is told against the rules. Addresses that are slow keep nobody waiting: a thread
    of its own delivers, also what the night could not."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._outbox = AlertOutbox(settings.home)
        self._to = notifiers(settings)
        names = [notifier.name for notifier in self._to]
        self._rules = AlertsAtOnce(settings.alerts, self._outbox, names)
        self._home, self._say = settings.home, say
        self._stopped = threading.Event()
        self._missed: set[str] = set()
        self._thread = threading.Thread(target=self._deliver, name="alerts", daemon=True)
        self._thread.start()

    def hear(self, told: Sequence[Numbered]) -> None:
        """What was told. The same word may come again after a kill: its alert has the same key."""
        for _, word in told:
            now = time.time()
            if word.what == "finding" and not word.changed:
                played_at = now if word.opened_us is None else word.opened_us / 1e6
                self._rules.found(word.body, word.dealer, played_at, now)
            elif word.what == "withdrawn":
                self._rules.withdrawn(word.body, now)

    def close(self) -> None:
        """Deliver what is due once more, within reason, and let go."""
        self._stopped.set()
        self._thread.join(timeout=10)
        self._outbox.close()

    def _deliver(self) -> None:
        outbox = AlertOutbox(self._home)
        try:
            while True:
                last = self._stopped.wait(EVERY_S)
                for sentence in deliver_due(outbox, self._to, time.time()):
                    if sentence not in self._missed:
                        self._missed.add(sentence)
                        self._say(sentence)
                if last:
                    return
        finally:
            outbox.close()
