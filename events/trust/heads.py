"""The signature of a gateway over the head of its table's chain, and the keys that may make it.

What is signed names the table, the number of the signing event and the hash of the event before
it, so that one signature vouches for the whole chain behind it, back to a gap. A key has days:
from when, until when, and from when on nothing counts that it signs, because somebody else may
have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from events.contract import show
from events.days import GamingDay
from events.registry import TableKey, TableRegistry, load_registry
from events.trust.note import ED25519, SignerKey, VerifierKey

SIGN_EVERY = timedelta(minutes=1)
"""So long at most a gateway leaves something unsigned."""
SIGN_EVERY_US = SIGN_EVERY // timedelta(microseconds=1)

_DOMAIN = b"evenhand-head-v1\n"


def head_text(table: str, seq: int, prev: bytes) -> bytes:
    """What is signed (contract, section 3)."""
    return b"%s%s\n%d\n%s" % (_DOMAIN, table.encode(), seq, prev)


def sign_head(key: SignerKey, table: str, seq: int, prev: bytes) -> bytes:
    return key.sign(head_text(table, seq, prev))


class SignedHead(NamedTuple):
    """One signature as it stands in the record, and the gaming day of its event."""

    key: str
    signature: bytes
    day: date


class HeadVerdict(StrEnum):
    """What a signature is worth."""

    VALID = "valid"
    WRONG = "wrong"  # it does not fit, or nobody knows the key
    VOID = "void"  # it fits, and the key may not sign on that day


@dataclass(frozen=True, slots=True)
class HeadKeys:
    """The keys of one table's gateway."""

    table: str
    keys: tuple[TableKey, ...] = ()

    def known(self, day: date) -> bool:
        """Whether the table has to sign on a day: it has got a key by then, of whatever state."""
        return any(key.since is None or key.since <= day for key in self.keys)

    def judge(self, head: SignedHead, seq: int, prev: bytes) -> tuple[HeadVerdict, str]:
        """The verdict on a signature, and why it is not valid."""
        key = next((key for key in self.keys if key.id == head.key), None)
        if key is None:
            return HeadVerdict.WRONG, f"the registry has no key {show(head.key)} for this table"
        text = head_text(self.table, seq, prev)
        if not VerifierKey(key.id, key.public).verify(text, head.signature):
            return HeadVerdict.WRONG, f"the key {key.id} did not make it"
        why = why_void(key, head.day)
        return (HeadVerdict.VALID, "") if why is None else (HeadVerdict.VOID, why)


NO_KEYS = HeadKeys("")


@dataclass(frozen=True, slots=True)
class GatewayKeys:
    """The keys of all gateways of a house, and how it counts its days."""

    registry: TableRegistry = field(default_factory=TableRegistry)
    gaming_day: GamingDay = field(default_factory=GamingDay)

    def of(self, table: str) -> HeadKeys:
        known = self.registry.tables.get(table)
        return NO_KEYS if known is None else HeadKeys(table, known.keys)

    def since_us(self, table: str) -> int | None:
        """The moment from which on the table has to sign; None: it always had to, or never has."""
        days = [key.since for key in self.of(table).keys]
        first = min((day for day in days if day is not None), default=None)
        if first is None or None in days:
            return None
        return int(self.gaming_day.start_of(first).timestamp()) * 1_000_000


def gateway_keys(tables_file: Path, gaming_day: GamingDay) -> GatewayKeys:
    """The keys that the registry has; none where there is no registry."""
    return GatewayKeys(load_registry(tables_file) or TableRegistry(), gaming_day)


def names_key_of(table: str, name: str) -> bool:
    """Whether a key is called as `evenhand keys` calls those of a table's gateway: TABLE-1 ..."""
    return re.fullmatch(re.escape(table) + r"-\d+", name) is not None


def unknown_keys(registry: TableRegistry, trusted: Iterable[VerifierKey]) -> Iterator[str]:
    """Keys of gateways that the registry has otherwise than somebody knows them. A table is asked
    about once he knows some key of its gateway, by its id."""
    known = {(key.name, key.public) for key in trusted if key.kind == ED25519}
    names = {name for name, _ in known}
    for table, told in registry.tables.items():
        ids = {key.id for key in told.keys}
        if not any(name in ids or names_key_of(table, name) for name in names):
            continue
        strange = [key.id for key in told.keys if (key.id, key.public) not in known]
        if strange or not told.keys:
            which = ", ".join(map(show, strange)) or "none at all"
            yield f"table {table}: the registry has keys of its gateway that you do not: {which}"


def why_void(key: TableKey, day: date) -> str | None:
    """Why a key may not sign on a day, or None."""
    if key.revoked is not None and key.revoked <= day:
        return f"the key {key.id} is revoked from {key.revoked} on"
    if key.since is not None and day < key.since:
        return f"the key {key.id} counts from {key.since} on"
    if key.until is not None and key.until < day:
        return f"the key {key.id} was retired after {key.until}"
    return None


def state_of(key: TableKey, day: date) -> str:
    """A key's state on a day, in a word."""
    if key.revoked is not None and key.revoked <= day:
        return "revoked"
    if key.since is not None and day < key.since:
        return "not yet"
    return "retired" if key.until is not None and key.until < day else "in force"


def in_force(keys: Iterable[TableKey], day: date) -> list[TableKey]:
    return [key for key in keys if why_void(key, day) is None]
