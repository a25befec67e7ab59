"""What the house asks of people, as a setting: one table, every entry of it optional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from events.contract import did_you_mean, show, words
from events.settings.kinds import Kind, RefusedError, json_or_text


@dataclass(frozen=True, slots=True)
class PeopleRules:
    """Waivers, sessions on the desk, and who may see players.

    waiver_max_days: a waiver ends at most so many days after it was asked for.
    session_idle_minutes, session_hours: a session ends after so long without a page, and at all.
    sign_in_attempts: wrong passwords in a quarter of an hour; then the account has to wait.
    proxy_header: where single sign-on stands before the desk, the header in which it names the
      account; without one nobody comes in that way. proxy_addresses: only from there.
    mask_players_for: roles that see no player's reference, unless another role of theirs does.
    """

    waiver_max_days: int = 90
    session_idle_minutes: int = 30
    session_hours: int = 12
    sign_in_attempts: int = 5
    proxy_header: str | None = None
    proxy_addresses: tuple[str, ...] = ("127.0.0.1", "::1")
    mask_players_for: tuple[str, ...] = ()


ROLE_NAMES = ("reader", "auditor", "analyst", "approver", "administrator")

DEFAULT = PeopleRules()
_NAMES = tuple(PeopleRules.__dataclass_fields__)
_MOST = {
    "waiver_max_days": 3650,
    "session_idle_minutes": 24 * 60,
    "session_hours": 7 * 24,
    "sign_in_attempts": 100,
}
_LISTS = {"proxy_addresses", "mask_players_for"}


def _read(value: Any) -> PeopleRules:
    if isinstance(value, PeopleRules):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    found: dict[str, Any] = {}
    for name, given in value.items():
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES)
            raise RefusedError(f"expected one of {words(_NAMES)}, found {show(name)}{hint}")
        found[name] = tuple(given) if name in _LISTS and isinstance(given, list) else given
        _check(name, given)
    return PeopleRules(**found)


def _check(name: str, given: Any) -> None:
    if name in _MOST:
        if type(given) is not int or not 1 <= given <= _MOST[name]:
            raise RefusedError(
                f"{name}: expected an integer 1 to {_MOST[name]}, found {show(given)}"
            )
    elif name in _LISTS:
        if not isinstance(given, list) or not all(isinstance(g, str) and g for g in given):
            raise RefusedError(f"{name}: expected a list of texts, found {show(given)}")
        for role in given if name == "mask_players_for" else ():
            if role not in ROLE_NAMES:
                hint = did_you_mean(role, ROLE_NAMES)
                raise RefusedError(f"{name}: expected {words(ROLE_NAMES)}, found {role}{hint}")
    elif not isinstance(given, str) or not given:
        raise RefusedError(f"{name}: expected text that is not empty, found {show(given)}")


def _plain(rules: PeopleRules) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(rules).items()
        if value is not None
    }


PEOPLE_RULES = Kind(f"table of {words(_NAMES)}", _read, from_text=json_or_text, to_plain=_plain)
