"""How a client proves to Kafka who it is, as a setting: one table, nothing secret in it.

The password stands in a file of its own, so that it shows up neither in `evenhand config` nor in
the environment of a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from events.contract import did_you_mean, show, words
from events.errors import EvenhandError
from events.settings.kinds import Kind, RefusedError, json_or_text

PROTOCOLS = frozenset({"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"})
MECHANISMS = frozenset({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})


@dataclass(frozen=True, slots=True)
class KafkaSecurity:
    """Plain text by default, which is right for the local broker and for nothing else."""

    protocol: str = "PLAINTEXT"
    mechanism: str | None = None
    username: str | None = None
    password_file: str | None = None
    ca_file: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None

    def for_client(self) -> dict[str, Any]:
        """As kafka-python names it; the password is read here and kept nowhere."""
        out: dict[str, Any] = {"security_protocol": self.protocol}
        if self.protocol.startswith("SASL"):
            out["sasl_mechanism"] = self.mechanism
            out["sasl_plain_username"] = self.username
            out["sasl_plain_password"] = _secret(self.password_file or "")
        if self.protocol.endswith("SSL"):
            out["ssl_check_hostname"] = True
            out["ssl_cafile"] = self.ca_file
            out["ssl_certfile"] = self.certificate_file
            out["ssl_keyfile"] = self.key_file
        return out


PLAINTEXT = KafkaSecurity()
_NAMES = tuple(KafkaSecurity.__dataclass_fields__)
_SASL = ("mechanism", "username", "password_file")


def _read(value: Any) -> KafkaSecurity:
    if isinstance(value, KafkaSecurity):
        return value
    if not isinstance(value, Mapping):
        raise RefusedError(f"expected a table, found {show(value)}")
    for name, given in value.items():
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES)
            raise RefusedError(f"expected one of {words(_NAMES)}, found {show(name)}{hint}")
        if not isinstance(given, str) or not given:
            raise RefusedError(f"{name}: expected text that is not empty, found {show(given)}")
    security = KafkaSecurity(**value)
    _one_of("protocol", security.protocol, PROTOCOLS)
    if security.protocol.startswith("SASL"):
        for name in _SASL:
            if getattr(security, name) is None:
                raise RefusedError(f"{name}: expected with {security.protocol}, found none")
        _one_of("mechanism", security.mechanism, MECHANISMS)
    return security


def _one_of(name: str, value: Any, allowed: frozenset[str]) -> None:
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise RefusedError(f"{name}: expected one of {words(allowed)}, found {show(value)}{hint}")


def _secret(path: str) -> str:
    try:
        return Path(path).expanduser().read_text("utf-8").rstrip("\n")
    except OSError as error:
        raise EvenhandError(
            f"{path}: the password for Kafka can't be read ({error.strerror}); the setting "
            f"kafka_security names this file"
        ) from None


def _plain(security: KafkaSecurity) -> dict[str, str]:
    return {name: value for name, value in asdict(security).items() if value is not None}


KAFKA_SECURITY = Kind(f"table of {words(_NAMES)}", _read, from_text=json_or_text, to_plain=_plain)
