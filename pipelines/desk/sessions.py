"""Sessions of the desk: kept by the server, so that they end when it says so.

A cookie holds nothing but a random name. With the desk's process all sessions end.
"""

from __future__ import annotations

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from events.settings.people import PeopleRules

COOKIE = "evenhand_desk"
MOST = 10_000
"""Sessions kept at once, of people who signed in and of those who did not, each for themselves; the
one that was used longest ago goes first. So no flood of strangers signs anybody out."""
WINDOW_S = 15 * 60


@dataclass(slots=True)
class DeskSession:
    """`account`: None before somebody signed in. `token` stands in every form of this session.
    `password`: of the account, as the log knew it at sign-in; with another one the session ends."""

    id: str
    began: float
    seen: float
    account: str | None = None
    password: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def owns(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())


class DeskSessions:
    """All of them, by the name in the cookie."""

    def __init__(self, rules: PeopleRules, clock: Callable[[], float] = monotonic) -> None:
        self._idle_s = rules.session_idle_minutes * 60
        self._whole_s, self._clock = rules.session_hours * 3600, clock
        self._lock = Lock()
        self._people, self._strangers = dict[str, DeskSession](), dict[str, DeskSession]()

    def find(self, name: str) -> DeskSession | None:
        """The session of a cookie that has not ended."""
        now = self._clock()
        with self._lock:
            kept = self._people if name in self._people else self._strangers
            found = kept.pop(name, None)
            if found is None:
                return None
            if now - found.seen > self._idle_s or now - found.began > self._whole_s:
                return None
            found.seen = now
            kept[name] = found  # at the end: in the order of use
            return found

    def begin(self, account: str | None = None, password: str | None = None) -> DeskSession:
        now = self._clock()
        session = DeskSession(secrets.token_urlsafe(32), now, now, account, password)
        kept = self._strangers if account is None else self._people
        with self._lock:
            while len(kept) >= MOST:
                del kept[next(iter(kept))]
            kept[session.id] = session
        return session

    def end(self, session: DeskSession) -> None:
        with self._lock:
            self._people.pop(session.id, None)
            self._strangers.pop(session.id, None)


class SignInAttempts:
    """Attempts of the last quarter of an hour that were not right, by account and by address.

    One counts from its beginning: whoever tries many passwords at the same moment has tried many.
    """

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._clock, self._lock = most, clock, Lock()
        self._failed: dict[str, deque[float]] = {}

    def begin(self, *keys: str) -> int:
        """Count an attempt; for how long nobody may try, and then it is not one: 0 where he may."""
        with self._lock:
            wait_s = self._wait_s(keys)
            if not wait_s:
                self._count(keys)
        return wait_s

    def wait_s(self, *keys: str) -> int:
        """For how long nobody may try; 0 where he may."""
        with self._lock:
            return self._wait_s(keys)

    def _wait_s(self, keys: tuple[str, ...]) -> int:
        now, waits = self._clock(), [0.0]
        for key in keys:
            times = self._failed.get(key, deque())
            while times and now - times[0] > WINDOW_S:
                times.popleft()
            if len(times) >= self._most:
                waits.append(times[-self._most] + WINDOW_S - now)
        return int(max(waits)) + (max(waits) > 0)

    def failed(self, *keys: str) -> None:
        with self._lock:
            self._count(keys)

    def _count(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            times = self._failed.pop(key, None) or deque(maxlen=1000)
            times.append(self._clock())
            while len(self._failed) >= MOST:  # the one that was tried longest ago
                del self._failed[next(iter(self._failed))]
            self._failed[key] = times

    def was_right(self, account: str, *others: str) -> None:
        """The attempt was right: the account begins anew, for the address it did not count."""
        with self._lock:
            self._failed.pop(account, None)
            for key in others:
                if times := self._failed.get(key):
                    times.pop()
