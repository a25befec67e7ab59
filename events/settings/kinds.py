"""The kinds of values a setting can hold: each reads one value or says what it expected.

Files carry types, the environment and flags carry text; `read` takes the typed value, `from_text`
turns text into one first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from events.contract import did_you_mean, show, words
from events.vocabulary import refusal

CODECS = frozenset({"null", "deflate", "zstandard"})
READINGS = frozenset({"default", "other"})
LOG_FORMS = frozenset({"auto", "text", "json"})
LOG_LEVELS = frozenset({"debug", "info", "warning", "error"})


class RefusedError(ValueError):
    """A value that does not fit; the text says what was expected and what was found."""


@dataclass(frozen=True, slots=True)
class Jackpot:
    """A progressive jackpot: where it starts again after a win, and what each bet adds."""

    reset_cents: int
    growth_cents: int


@dataclass(frozen=True, slots=True)
class Kind:
    """How a value is named in the documentation and read from what somebody wrote."""

    name: str
    read: Callable[[Any], Any]
    from_text: Callable[[str], Any] = str
    to_plain: Callable[[Any], Any] = str


def _text(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise RefusedError(f"expected text that is not empty, found {show(value)}")


def _command(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    raise RefusedError(f"expected a command, or empty text for none, found {show(value)}")


def _path(value: Any) -> Path:
    if isinstance(value, Path):
        return value
    if isinstance(value, str) and value.strip():
        return Path(value).expanduser()
    raise RefusedError(f"expected a folder, found {show(value)}")


def _servers(value: Any) -> str:
    for server in _text(value).split(","):
        host, _, port = server.strip().rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise RefusedError(f"expected host:port, several with commas, found {show(value)}")
    return str(value)


def _clock(value: Any) -> time:
    if isinstance(value, time) and value.tzinfo is None:
        return value
    if isinstance(value, str) and len(value) == 5 and value[2] == ":":
        try:
            return time.fromisoformat(value)
        except ValueError:
            pass
    raise RefusedError(f"expected an hour and minute like 06:00, found {show(value)}")


def _zone(value: Any) -> ZoneInfo:
    if isinstance(value, ZoneInfo):
        return value
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise RefusedError(
            f"expected a time zone like Asia/Singapore, found {show(value)}"
        ) from None


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is int and low <= value <= high:
            return value
        raise RefusedError(f"expected an integer {low} to {high}, found {show(value)}")

    return read


def _word(allowed: frozenset[str]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        hint = did_you_mean(value, allowed)
        raise RefusedError(f"expected one of {words(allowed)}, found {show(value)}{hint}")

    return read


def _table(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise RefusedError(f"expected a table, found {show(value)}")


def _readings(value: Any) -> dict[str, str]:
    out = {}
    for name, choice in _table(value).items():
        if (why := refusal("reading", str(name))) is not None:
            raise RefusedError(why)
        try:
            out[name] = _word(READINGS)(choice)
        except RefusedError as error:
            raise RefusedError(f"{name}: {error}") from None
    return out


def _jackpots(value: Any) -> dict[str, Jackpot]:
    names = ("reset_cents", "growth_cents")
    out = {}
    for jackpot, given in _table(value).items():
        if isinstance(given, Jackpot):
            out[jackpot] = given
            continue
        if not isinstance(given, Mapping) or set(given) != set(names):
            found = ", ".join(map(str, given)) if isinstance(given, Mapping) else show(given)
            raise RefusedError(f"{jackpot}: expected reset_cents and growth_cents, found {found}")
        for name in names:
            try:
                _whole(0, 2**63 - 1)(given[name])
            except RefusedError as error:
                raise RefusedError(f"{jackpot}, {name}: {error}") from None
        out[jackpot] = Jackpot(given["reset_cents"], given["growth_cents"])
    return out


def _integer_text(text: str) -> int | str:
    # text that is no number stays text, so that the message shows it as it was written
    return int(text) if text.strip().isascii() and text.strip().isdigit() else text


def json_or_text(text: str) -> Any:
    """A table as the environment carries it; what is no JSON is refused by the kind itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _plain_jackpots(value: Mapping[str, Jackpot]) -> dict[str, dict[str, int]]:
    return {
        name: {"reset_cents": j.reset_cents, "growth_cents": j.growth_cents}
        for name, j in value.items()
    }


_ENGINES = re.compile(r"local|(spark|sc)://[^\s/]\S*|local-cluster\[\d+,\d+,\d+\]")


def _engine(value: Any) -> str:
    if isinstance(value, str) and _ENGINES.fullmatch(value):
        return value
    raise RefusedError(
        "expected local, spark://HOST:PORT, sc://HOST:PORT or "
        f"local-cluster[WORKERS,CORES,MEGABYTES], found {show(value)}"
    )


_OBJECTS = re.compile(r"(s3|gs|abfs|hdfs|file)://[^\s?]+(\?\S*)?")


def _object_store(value: Any) -> str:
    if isinstance(value, str) and (not value or _OBJECTS.fullmatch(value)):
        return value
    raise RefusedError(f"expected s3://BUCKET/PREFIX or the like, found {show(value)}")


TEXT = Kind("text", _text)
COMMAND = Kind("command", _command)
MARK = Kind("text, or empty", _command)
FOLDER = Kind("folder", _path)
SERVERS = Kind("host:port", _servers)
CLOCK = Kind("hour and minute", _clock, to_plain=lambda v: v.strftime("%H:%M"))
ZONE = Kind("time zone", _zone)
ENGINE = Kind("local, spark://..., sc://... or local-cluster[...]", _engine)
OBJECT_STORE = Kind("address of an object store", _object_store)
CODEC = Kind(" or ".join(sorted(CODECS)), _word(CODECS))
ON_OFF = Kind("off or on", _word(frozenset({"on", "off"})))
LOG_FORM = Kind(" or ".join(sorted(LOG_FORMS)), _word(LOG_FORMS))
LOG_LEVEL = Kind(" or ".join(sorted(LOG_LEVELS)), _word(LOG_LEVELS))
READING_TABLE = Kind(
    'table of id = "default" or "other"', _readings, from_text=json_or_text, to_plain=dict
)
JACKPOT_TABLE = Kind(
    "table of name = {reset_cents, growth_cents}",
    _jackpots,
    from_text=json_or_text,
    to_plain=_plain_jackpots,
)


def whole(low: int, high: int) -> Kind:
    """An integer within bounds."""
    return Kind(f"integer {low} to {high}", _whole(low, high), _integer_text, to_plain=int)
