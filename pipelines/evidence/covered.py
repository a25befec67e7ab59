"""Which of a round's events the signatures of its table's gateway cover, by which keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from events.archive.evidence import StoredMessage
from events.codec import body_of, hash_body
from events.days import GamingDay
from events.model import Envelope, HeadSigned
from events.registry import TableKey
from events.signed_chain import Coverage, Place, coverage
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead, names_key_of
from events.trust.note import ED25519, VerifierKey
from pipelines.evidence.material import Material, read_event

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FileLink(NamedTuple):
    """An event of the file as signatures see it."""

    seq: int
    prev: bytes | None
    hash: bytes
    signed: SignedHead | None
    own: bool  # of the round


def links_of_file(m: Material) -> list[FileLink]:
    """The round's events and those of gateway.avro that can be read."""
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
