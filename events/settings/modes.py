"""The rights of files and folders, as a setting: one table, every entry of it optional."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from events.contract import did_you_mean, show, words
from events.runtime.modes import FileModes
from events.settings.kinds import Kind, RefusedError, json_or_text

_NAMES = tuple(FileModes.__dataclass_fields__)
_NEEDED = {"sealed": 0o400, "file": 0o600, "folder": 0o700}
"""What the owner needs for his own work."""


def _read(value: Any) -> FileModes:
    if isinstance(value, FileModes):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    found = {}
    for name, given in value.items():
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES)
            raise RefusedError(f"expected one of {words(_NAMES)}, found {show(name)}{hint}")
        if not isinstance(given, str) or not re.fullmatch("0?[0-7]{3}", given):
            raise RefusedError(f'{name}: expected rights like "0640", found {show(given)}')
        found[name] = int(given, 8)
        if found[name] & _NEEDED[name] != _NEEDED[name]:
            raise RefusedError(
                f"{name}: expected at least {_NEEDED[name]:04o} for the owner, found {given}"
            )
    return FileModes(**found)


def _plain(modes: FileModes) -> dict[str, str]:
    return {name: f"{value:04o}" for name, value in asdict(modes).items()}


FILE_MODES = Kind(f"table of {words(_NAMES)}", _read, from_text=json_or_text, to_plain=_plain)
