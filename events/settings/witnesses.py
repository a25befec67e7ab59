"""The witnesses of the house's log, as a setting: where each is, and the key that it signs with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from events.contract import show
from events.settings.alerts import is_address
from events.settings.kinds import Kind, RefusedError, json_or_text


@dataclass(frozen=True, slots=True)
class NamedWitness:
    """One witness: its address and its verifier key (C2SP)."""

    url: str
    key: str


_NAMES = ("key", "url")


def _read(value: Any) -> dict[str, NamedWitness]:
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    return {str(name): _one(str(name), given) for name, given in value.items()}


def _one(name: str, given: Any) -> NamedWitness:
    if isinstance(given, NamedWitness):
        return given
    if not isinstance(given, Mapping) or set(given) != set(_NAMES):
        raise RefusedError(f"{name}: expected url and key, found {show(given)}")
    for part in _NAMES:
        if not isinstance(given[part], str):
            raise RefusedError(f"{name}, {part}: expected text, found {show(given[part])}")
    if not is_address(given["url"]):
        raise RefusedError(
            f"{name}, url: expected an address like https://host:8771, found {show(given['url'])}"
        )
    _must_be_key(name, given["key"])
    return NamedWitness(given["url"], given["key"])


def _must_be_key(name: str, text: str) -> None:
    from events.trust.errors import TrustError
    from events.trust.note import COSIGNATURE, verifier_key

    try:
        kind = verifier_key(text).kind
    except TrustError as error:
        raise RefusedError(f"{name}, key: {error}") from None
    if kind != COSIGNATURE:
        raise RefusedError(f"{name}, key: expected a witness's key (evenhand witness show)")


def _plain(value: Mapping[str, NamedWitness]) -> dict[str, dict[str, str]]:
    return {name: {"url": one.url, "key": one.key} for name, one in value.items()}


WITNESS_TABLE = Kind("table of name = {url, key}", _read, from_text=json_or_text, to_plain=_plain)
