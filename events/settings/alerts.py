"""Who is told, and of what, as a setting: one table, every entry of it optional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from events.contract import did_you_mean, show, words
from events.settings.kinds import Kind, RefusedError, json_or_text


@dataclass(frozen=True, slots=True)
class AlertRule:
    """Which findings call for an alert the moment they are told. What is left out does not matter.

    severity, kind, table: one or several.
    money_cents: at least so many cents, too much and too little together.
    several: so many findings that fit, of one dealer within an hour.
    repeat_s: told again after so many seconds until somebody has acknowledged it.
    """

    name: str
    severity: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    money_cents: int | None = None
    several: int | None = None
    repeat_s: int | None = None


@dataclass(frozen=True, slots=True)
class Alerts:
    """Where alerts go and from how much on.

    file: one JSON object per line is added there; a relative path counts from the home folder.
    webhook: each alert is posted there as JSON.
    money_cents: open findings of severity money, both ways together, at least this many cents.
    integrity_findings: open findings of severity integrity, at least so many.
    attempts, timeout_s: how often and how long a webhook is tried; then it waits for later.
    to: addresses in the form of Apprise (mailto://, msteams://, slack://, json:// and many more).
    desk: the address of the desk, for links in alerts.
    rules: which findings are told at once, while the tables play.
    """

    file: str = "alerts.jsonl"
    webhook: str | None = None
    money_cents: int = 1
    integrity_findings: int = 1
    attempts: int = 3
    timeout_s: int = 5
    to: tuple[str, ...] = ()
    desk: str = "http://127.0.0.1:8765"
    rules: tuple[AlertRule, ...] = ()


DEFAULT = Alerts()
_NAMES = tuple(Alerts.__dataclass_fields__)
_LEAST = {"money_cents": 0, "integrity_findings": 0, "attempts": 1, "timeout_s": 1}
_MOST = {"money_cents": 2**62, "integrity_findings": 2**31, "attempts": 10, "timeout_s": 60}


def _check(name: str, given: Any) -> None:
    if name not in _NAMES:
        hint = did_you_mean(name, _NAMES)
        raise RefusedError(f"expected one of {words(_NAMES)}, found {show(name)}{hint}")
    if name in _LEAST:
        low, high = _LEAST[name], _MOST[name]
        if type(given) is not int or not low <= given <= high:
            raise RefusedError(f"{name}: expected an integer {low} to {high}, found {show(given)}")
    elif name == "to":
        _words("to", given)
    elif name == "rules":
        if not isinstance(given, list | tuple):
            raise RefusedError(f"rules: expected a list of tables, found {show(given)}")
    elif not isinstance(given, str) or not given:
        raise RefusedError(f"{name}: expected text that is not empty, found {show(given)}")


def _read(value: Any) -> Alerts:
    if isinstance(value, Alerts):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    for name, given in value.items():
        _check(name, given)
    more: dict[str, Any] = {}
    if "to" in value:
        more["to"] = _words("to", value["to"])
    if "rules" in value:
        more["rules"] = tuple(_rule(n, given) for n, given in enumerate(value["rules"]))
    found = Alerts(**(dict(value) | more))
    for name, address in (("webhook", found.webhook), ("desk", found.desk)):
        if address is not None and not is_address(address):
            raise RefusedError(
                f"{name}: expected an address like https://host/path, found {show(address)}"
            )
    names = [rule.name for rule in found.rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RefusedError(f"rules: expected names that differ, found {show(twice)} twice")
    return found


_RULE = tuple(AlertRule.__dataclass_fields__)
_RULE_NUMBERS = {"money_cents": (0, 2**62), "several": (2, 1000), "repeat_s": (1, 604_800)}


def _rule(number: int, value: Any) -> AlertRule:
    where = f"rules, number {number + 1}"
    if isinstance(value, AlertRule):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"{where}: expected a table, found {show(value)}")
    found: dict[str, Any] = {}
    for name, given in value.items():
        if name not in _RULE:
            hint = did_you_mean(name, _RULE)
            raise RefusedError(f"{where}: expected one of {words(_RULE)}, found {show(name)}{hint}")
        if name in _RULE_NUMBERS:
            low, high = _RULE_NUMBERS[name]
            if type(given) is not int or not low <= given <= high:
                expected = f"an integer {low} to {high}"
                raise RefusedError(f"{where}, {name}: expected {expected}, found {show(given)}")
            found[name] = given
        elif name == "name":
            found[name] = _words(f"{where}, name", given)[0] if isinstance(given, str) else ""
        else:
            found[name] = _words(f"{where}, {name}", given)
    if not found.get("name"):
        raise RefusedError(f"{where}: expected a name, found none")
    return AlertRule(**found)


def _words(where: str, given: Any) -> tuple[str, ...]:
    """One text or several."""
    found = (given,) if isinstance(given, str) else given
    if not isinstance(found, list | tuple) or not all(isinstance(t, str) and t for t in found):
        raise RefusedError(f"{where}: expected text or a list of texts, found {show(given)}")
    return tuple(found)


def is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _plain(alerts: Alerts) -> dict[str, Any]:
    found = {name: value for name, value in asdict(alerts).items() if value not in (None, ())}
    if "to" in found:
        found["to"] = list(found["to"])
    if "rules" in found:
        found["rules"] = [_plain_rule(rule) for rule in found["rules"]]
    return found


def _plain_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in rule.items() if value not in (None, ())}
    return {n: list(value) if isinstance(value, tuple) else value for n, value in said.items()}


ALERTS = Kind(f"table of {words(_NAMES)}", _read, from_text=json_or_text, to_plain=_plain)
