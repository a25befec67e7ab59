"""The keys of simulated gateways. They keep no secret: whoever knows a table's name can make its
key, so that the same order gives the same bytes on every machine.
"""

from __future__ import annotations

import hashlib
from datetime import date
from random import Random

from events.devices.plan import Order
from events.registry import TableKey
from events.trust.note import SignerKey

_FAULTS = ("unsigned", "forged", "revoked")


def key_of(table: str) -> SignerKey:
    """The key with which a simulated table's gateway signs."""
    return _made(table, "gateway")


def strangers_key(table: str) -> SignerKey:
    """A key under the same name that somebody else has."""
    return _made(table, "stranger")


def _made(table: str, whose: str) -> SignerKey:
    seed = hashlib.sha256(f"evenhand simulated {whose} {table}".encode()).digest()
    return SignerKey.from_seed(f"{table}-1", seed)


def signing_fault(order: Order, table: str) -> str | None:
    """Which fault of signatures a table has on this seed: the end of its day unsigned, a tail that
    somebody else made, or a key that is revoked. Most have none."""
    rng = Random(f"{order.seed}/{table}/signing")
    told = order.signed and order.keys_are_kept
    if not told or rng.random() >= min(0.5, order.faults * 10):
        return None
    return rng.choice(_FAULTS)


def registered_key(order: Order, table: str, since: date) -> TableKey:
    """The key as the registry has it."""
    revoked = order.day if signing_fault(order, table) == "revoked" else None
    return TableKey(f"{table}-1", key_of(table).verifier.public, since, None, revoked)
