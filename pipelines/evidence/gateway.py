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
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from events.archive.evidence import StoredMessage
from events.registry import TableKey

EVENTS, KEYS = "gateway.avro", "gateway.json"
GATEWAY_MEMBERS = (EVENTS, KEYS)
_MOST_KEYS = 100


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
