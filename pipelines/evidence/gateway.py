"""Who wrote the round: the signatures of the table's gateway that cover it, and their proof.

A signature names the hash of the event before it, that event the one before, and so on: whoever has
the bytes from the signature back to the round's first event knows that the gateway's key vouches
for all of them. `gateway.avro` has those that are not the round's own and belong to no other round
either (the signatures themselves, mostly); `gateway.json` has the keys of the table's gateway with
their days, as the house's registry knows them.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from events.archive.evidence import StoredMessage
from events.codec import body_of, hash_body
from events.days import GamingDay
from events.model import Envelope, HeadSigned
from events.registry import TableKey
from events.signed_chain import Coverage, Place, coverage
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead, names_key_of
from events.trust.note import ED25519, VerifierKey

if TYPE_CHECKING:
    from pipelines.evidence.material import Material

EVENTS, KEYS = "gateway.avro", "gateway.json"
GATEWAY_MEMBERS = (EVENTS, KEYS)
_MOST_KEYS = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class GatewayWord:
    """The events that lead from the gateway's signatures to the round, and the gateway's keys."""

    messages: tuple[StoredMessage, ...]
    keys: tuple[TableKey, ...]
    day_start: time

    def plain(self) -> dict[str, Any]:
        return {
            "day_start": self.day_start.isoformat(),
            "keys": [
                {
                    "id": key.id,
                    "public": base64.b64encode(key.public).decode(),
                    **{n: None if d is None else d.isoformat() for n, d in _days(key)},
                }
                for key in self.keys
            ],
        }


def _days(key: TableKey) -> list[tuple[str, date | None]]:
    return [("from", key.since), ("until", key.until), ("revoked", key.revoked)]


def gateway_word_of(messages: tuple[StoredMessage, ...], plain: Any) -> GatewayWord:
    """The word as its members tell it, or a ValueError, KeyError or TypeError."""
    if len(plain["keys"]) > _MOST_KEYS:
        raise ValueError(f"more than {_MOST_KEYS} keys")
    keys = []
    for one in plain["keys"]:
        days = [one[name] for name in ("from", "until", "revoked")]
        read = [None if day is None else date.fromisoformat(day) for day in days]
        if not isinstance(one["id"], str):
            raise TypeError("a key's id is no text")
        keys.append(TableKey(one["id"], _public(one["public"]), *read))
    return GatewayWord(messages, tuple(keys), time.fromisoformat(plain["day_start"]))


def _public(text: str) -> bytes:
    try:
        public = base64.b64decode(text, validate=True)
    except binascii.Error:
        public = b""
    if len(public) != 32:
        raise ValueError("a public key is none")
    return public


class FileLink(NamedTuple):
    """An event of the file as signatures see it."""

    seq: int
    prev: bytes | None
    hash: bytes
    signed: SignedHead | None
    own: bool  # of the round


def links_of_file(m: Material) -> list[FileLink]:
    """The round's events and those of gateway.avro that can be read."""
    from pipelines.evidence.material import read_event

    word = m.gateway
    day = GamingDay(time(6) if word is None else word.day_start, ZoneInfo(m.zone))
    out = []
    for own, messages in ((True, m.messages), (False, () if word is None else word.messages)):
        for message in messages:
            event = read_event(message.value)
            if event is not None and event.seq is not None and event.table == m.table:
                signed = _signed(event, message, day)
                digest = hash_body(body_of(message.value))
                out.append(FileLink(event.seq, event.prev, digest, signed, own))
    return out


def _signed(e: Envelope, message: StoredMessage, day: GamingDay) -> SignedHead | None:
    if not isinstance(e.event, HeadSigned) or e.at is None:
        return None
    at = e.at
    if message.wrong_clock and message.arrived is not None:
        at = _EPOCH + timedelta(microseconds=message.arrived)
    return SignedHead(e.event.key, e.event.signature, day.day_of(at))


class SignedRound(NamedTuple):
    """The round's numbers that valid signatures cover and those that none does, the keys that made
    them, and what is no signature."""

    covered: list[int]
    left: list[int]
    by: list[str]
    coverage: Coverage


def signed_round(m: Material, keys: Sequence[TableKey]) -> SignedRound:
    """What some keys vouch for."""
    links = links_of_file(m)
    cover = coverage(links, HeadKeys(m.table, tuple(keys)))
    own: dict[bool, list[int]] = {True: [], False: []}
    for link in links:
        if link.own:
            own[(link.seq, link.hash) in cover.covered].append(link.seq)
    refused: set[Place] = {one.place for one in cover.refused}
    by = {
        link.signed.key
        for link in links
        if link.signed is not None and (link.seq, link.hash) not in refused
    }
    return SignedRound(sorted(own[True]), sorted(own[False]), sorted(by), cover)


def own_keys(m: Material) -> tuple[TableKey, ...]:
    return () if m.gateway is None else m.gateway.keys


def trusted_keys(m: Material, trusted: Sequence[VerifierKey]) -> list[TableKey] | None:
    """The keys of the table's gateway that somebody knows, with the days that the file gives them;
    None where he knows none: a key's name is its id, and `evenhand keys` calls them TABLE-1 ..."""
    told = {key.id: key for key in own_keys(m)}
    used = {link.signed.key for link in links_of_file(m) if link.signed is not None}
    found = []
    for key in trusted:
        named = key.name in told or key.name in used or names_key_of(m.table, key.name)
        if key.kind == ED25519 and named:
            days = told.get(key.name, TableKey(key.name, key.public))
            found.append(replace(days, public=key.public))
    return found or None


def not_valid(found: SignedRound) -> Iterator[str]:
    """The signatures that are none, in words. One by a key that may not sign covers nothing."""
    for one in found.coverage.refused:
        if one.verdict is HeadVerdict.WRONG:
            yield f"the signature of event {one.place[0]} is not valid: {one.why}"
