"""Simulated gateways sign as real ones do, and what is planted in their signatures is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from checks.around import Around
from checks.record.tails import Signatures
from checks.table_day import audit_table_day
from events.chain import Head
from events.codec import decode
from events.devices.keys import key_of, registered_key
from events.devices.plan import Order
from events.gateway import Gateway
from events.model import HeadSigned
from events.trust.heads import HeadKeys
from tests.checks.kit import columns
from tests.devices.kit import an_order, hours, values

SIGNED = replace(an_order(tables=20, rounds=6, seed=5), signed=True, keys_are_kept=True)


def found_in(table: str, messages: list[bytes], order: Order = SIGNED) -> Counter[str]:
    keys = HeadKeys(table, (registered_key(order, table, SIGNED.day),))
    around = Around(signatures=Signatures(keys))
    rows = audit_table_day(SIGNED.day, columns(messages), around=around)
    kinds = Counter(str(row[2]) for row in rows.findings)
    return Counter({k: n for k, n in kinds.items() if k in {"unsigned", "wrong_signature"}})


def test_the_sender_signs_where_the_gateway_does() -> None:
    table, messages = next(iter(values(hours(SIGNED)).items()))
    gateway, out = Gateway(table, Head(), key_of(table)), []
    for value in messages:
        e = decode(value)
        if not isinstance(e.event, HeadSigned):
            assert e.at is not None
            assert e.device is not None
            out += gateway.report(e.event, at=e.at, device=e.device, round_=e.round)
    assert [m.value for m in out] == messages


def test_an_honest_floor_is_signed_to_the_end() -> None:
    for table, messages in values(hours(SIGNED)).items():
        assert found_in(table, messages) == {}, table


def test_a_planted_tail_and_a_revoked_key_are_found_and_nothing_else_is() -> None:
    order = replace(SIGNED, faults=0.05)
    played = hours(order)
    planted: dict[str, Counter[str]] = {}
    for hour in played:
        for truth in hour.truths:
            if truth["kind"] in {"unsigned", "wrong_signature"}:
                planted.setdefault(truth["table"], Counter())[truth["kind"]] += 1
    assert {kind for some in planted.values() for kind in some} == {"unsigned", "wrong_signature"}
    damaged = {"sequence_gap", "broken_chain", "truncated", "undecodable"}
    spoilt = {t["table"] for hour in played for t in hour.truths if t["kind"] in damaged}
    for table, messages in values(played).items():
        if table not in spoilt:
            assert found_in(table, messages, order) == planted.get(table, Counter()), table
