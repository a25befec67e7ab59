"""Who is told about a bad night, as a setting: one table, every entry of it optional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from events.contract import did_you_mean, show, words
from events.settings.kinds import Kind, RefusedError, json_or_text


@dataclass(frozen=True, slots=True)
class Alerts:
    """Where alerts go and from how much on.

    file: one JSON object per line is added there; a relative path counts from the home folder.
    webhook: each alert is posted there as JSON.
    money_cents: open findings of severity money, both ways together, at least this many cents.
    integrity_findings: open findings of severity integrity, at least so many.
    attempts, timeout_s: how often and how long a webhook is tried; then it is given up.
    """

    file: str = "alerts.jsonl"
    webhook: str | None = None
    money_cents: int = 1
    integrity_findings: int = 1
    attempts: int = 3
    timeout_s: int = 5


DEFAULT = Alerts()
_NAMES = tuple(Alerts.__dataclass_fields__)
_LEAST = {"money_cents": 0, "integrity_findings": 0, "attempts": 1, "timeout_s": 1}
_MOST = {"money_cents": 2**62, "integrity_findings": 2**31, "attempts": 10, "timeout_s": 60}


def _read(value: Any) -> Alerts:
    if isinstance(value, Alerts):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    for name, given in value.items():
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES)
            raise RefusedError(f"expected one of {words(_NAMES)}, found {show(name)}{hint}")
        if name in _LEAST:
            low, high = _LEAST[name], _MOST[name]
            if type(given) is not int or not low <= given <= high:
                raise RefusedError(
                    f"{name}: expected an integer {low} to {high}, found {show(given)}"
                )
        elif not isinstance(given, str) or not given:
            raise RefusedError(f"{name}: expected text that is not empty, found {show(given)}")
    found = Alerts(**value)
    if found.webhook is not None and not is_address(found.webhook):
        raise RefusedError(
            f"webhook: expected an address like https://host/path, found {show(found.webhook)}"
        )
    return found


def is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _plain(alerts: Alerts) -> dict[str, Any]:
    return {name: value for name, value in asdict(alerts).items() if value is not None}


ALERTS = Kind(f"table of {words(_NAMES)}", _read, from_text=json_or_text, to_plain=_plain)
