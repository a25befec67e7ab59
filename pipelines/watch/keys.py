"""The gateways' keys while a watcher is at work: a key that is registered or revoked counts from
then on, without a new start."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta
from pathlib import Path

from checks.in_window import WindowEvent
from checks.record.tails import NO_SIGNATURES, Signatures
from events.days import GamingDay
from events.errors import EvenhandError
from events.model import Envelope, HeadSigned
from events.registry import TableRegistry
from events.trust.heads import GatewayKeys, HeadVerdict, SignedHead, gateway_keys
from replay.fold import EPOCH

_Stamp = tuple[int, int, int] | None


class WatchKeys:
    """The registry's keys, read again whenever the file is another.

    tables_file: the registry of tables; None: no keys are known.
    """

    def __init__(
        self, tables_file: Path | None = None, gaming_day: GamingDay | None = None
    ) -> None:
        self._file, self._gaming_day = tables_file, gaming_day or GamingDay()
        self._stamp, self._known = self._now(), GatewayKeys(gaming_day=self._gaming_day)
        if tables_file is not None:
            self._known = gateway_keys(tables_file, self._gaming_day)

    @property
    def registry(self) -> TableRegistry:
        return self._fresh().registry

    def of(self, table: str) -> Signatures:
        """What is asked of a table's signatures. The day is not over: nothing has to be signed yet,
        and of two tails the signed one counts all the same."""
        known = self._fresh()
        keys = known.of(table)
        if not keys.keys:
            return NO_SIGNATURES
        return Signatures(keys, over=False, since_us=known.since_us(table) or 0)

    def signed_head(self, e: Envelope, arrived_us: int | None) -> SignedHead | None:
        """The signature of an event, on the day on which it counts."""
        if not isinstance(e.event, HeadSigned):
            return None
        at: datetime | None = e.at
        if arrived_us is not None:
            at = EPOCH + timedelta(microseconds=arrived_us)
        if at is None:
            return None
        return SignedHead(e.event.key, e.event.signature, self._gaming_day.day_of(at))

    def is_refused(self, table: str, one: WindowEvent) -> bool:
        """Whether an event signs, and its signature covers nothing."""
        keys, link = self.of(table).keys, one.link
        if not keys.keys or link.signed is None or link.prev is None:
            return False
        return keys.judge(link.signed, link.seq, link.prev)[0] is not HeadVerdict.VALID

    def _fresh(self) -> GatewayKeys:
        """A registry that cannot be read, because somebody is writing it, is read the next time."""
        stamp = self._now()
        if self._file is not None and stamp != self._stamp:
            with contextlib.suppress(EvenhandError):
                self._known = gateway_keys(self._file, self._gaming_day)
                self._stamp = stamp
        return self._known

    def _now(self) -> _Stamp:
        if self._file is None:
            return None
        try:
            now = self._file.stat()
        except OSError:
            return None
        return now.st_ino, now.st_size, now.st_mtime_ns
