"""Gateways sign the heads of their chains; keys have days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from events.chain import Head
from events.codec import decode
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import BetsClosed, HeadSigned, RoundClosed, TableClosed, TableOpened
from events.registry import TableKey
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead
from events.trust.note import SignerKey

KEY = SignerKey.from_seed("T1-1", bytes(range(32)))
AT = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
DAY = date(2026, 11, 15)
TABLE_KEY = TableKey("T1-1", KEY.verifier.public, date(2026, 11, 1))


def kinds(messages: list[Outgoing]) -> list[str]:
    return [decode(m.value).type for m in messages]


def after(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


def test_signed_after_a_round_and_a_table_and_once_a_minute_while_something_is_unsigned() -> None:
    gateway = Gateway("T1", key=KEY)
    opened = gateway.report(TableOpened("pontoon-plus-rws-v5"), at=AT, device="console")
    assert kinds(opened) == ["TableOpened"]
    assert gateway.tick(after(59)) == []
    [signed] = gateway.tick(after(75))
    assert decode(signed.value).at == after(60)
    assert gateway.tick(after(500)) == []  # nothing is unsigned
    assert kinds(gateway.report(BetsClosed(), at=after(600), device="console", round_="R")) == [
        "BetsClosed"
    ]
    closed = gateway.report(RoundClosed(), at=after(700), device="console", round_="R")
    assert kinds(closed) == ["HeadSigned", "RoundClosed", "HeadSigned"]
    assert decode(closed[0].value).at == after(660)
    ended = gateway.report(TableClosed(), at=after(701), device="console")
    assert kinds(ended) == ["TableClosed", "HeadSigned"]


def test_what_is_signed_is_what_the_contract_says() -> None:
    gateway = Gateway("RWS-PP-07", Head(41, b"\x07" * 32), KEY)
    _, signed = gateway.report(RoundClosed(), at=AT, device="console", round_="R")
    envelope = decode(signed.value)
    assert isinstance(envelope.event, HeadSigned)
    assert (envelope.round, envelope.device, envelope.seq) == (None, "gateway", 43)
    assert envelope.event.key == "T1-1"
    text = b"evenhand-head-v1\nRWS-PP-07\n43\n" + (envelope.prev or b"")
    public = Ed25519PublicKey.from_public_bytes(KEY.verifier.public)
    public.verify(envelope.event.signature, text)  # raises where it does not fit


def test_without_a_key_nothing_is_signed() -> None:
    gateway = Gateway("T1")
    gateway.report(TableOpened("pontoon-plus-rws-v5"), at=AT, device="console")
    assert kinds(gateway.report(TableClosed(), at=after(90), device="console")) == ["TableClosed"]


def verdict(known: TableKey, day: date = DAY, **changed: object) -> HeadVerdict:
    _, signed = Gateway("T1", key=KEY).report(TableClosed(), at=AT, device="console")
    envelope = decode(signed.value)
    assert isinstance(envelope.event, HeadSigned)
    given = {"key": "T1-1", "signature": envelope.event.signature, "day": day, **changed}
    head = SignedHead(**given)  # type: ignore[arg-type]
    return HeadKeys("T1", (known,)).judge(head, envelope.seq or 0, envelope.prev or b"")[0]


def test_a_key_counts_on_its_own_days_only() -> None:
    revoked = TableKey("T1-1", KEY.verifier.public, None, None, DAY)
    retired = TableKey("T1-1", KEY.verifier.public, None, DAY - timedelta(days=1))
    assert verdict(TABLE_KEY) is HeadVerdict.VALID
    assert verdict(TABLE_KEY, date(2026, 10, 31)) is HeadVerdict.VOID
    assert verdict(retired, DAY - timedelta(days=1)) is HeadVerdict.VALID
    assert verdict(retired) is HeadVerdict.VOID
    assert verdict(revoked, DAY - timedelta(days=1)) is HeadVerdict.VALID
    assert verdict(revoked) is HeadVerdict.VOID


def test_another_key_or_another_text_is_wrong() -> None:
    other = SignerKey.from_seed("T1-1", bytes(32)).verifier.public
    assert verdict(TableKey("T1-1", other)) is HeadVerdict.WRONG
    assert verdict(TABLE_KEY, key="T1-2") is HeadVerdict.WRONG
    assert verdict(TABLE_KEY, signature=bytes(64)) is HeadVerdict.WRONG


def test_a_table_has_to_sign_from_its_first_key_on() -> None:
    keys = HeadKeys("T1", (TABLE_KEY,))
    assert keys.known(date(2026, 11, 1))
    assert not keys.known(date(2026, 10, 31))
    assert not HeadKeys("T1").known(DAY)
