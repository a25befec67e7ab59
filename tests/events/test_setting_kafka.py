"""How clients prove to Kafka who they are: what the setting takes, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from events.errors import EvenhandError
from events.settings import SettingsError, load_settings
from events.settings.kafka import KafkaSecurity

SASL = (
    'kafka_security = {protocol = "SASL_SSL", mechanism = "SCRAM-SHA-512", '
    'username = "archive", password_file = "secret", ca_file = "ca.pem"}\n'
)


def load(folder: Path, toml: str) -> KafkaSecurity:
    (folder / "evenhand.toml").write_text(toml)
    return load_settings(environ={}, folder=folder).kafka_security


def test_plain_text_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path, "").for_client() == {"security_protocol": "PLAINTEXT"}


def test_the_password_is_read_from_its_file_and_shown_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("sesame\n")
    security = load(tmp_path, SASL)
    found: dict[str, Any] = security.for_client()
    assert (found["sasl_plain_username"], found["sasl_plain_password"]) == ("archive", "sesame")
    assert (found["ssl_cafile"], found["ssl_check_hostname"]) == ("ca.pem", True)
    assert "sesame" not in repr(security)


def test_a_missing_password_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvenhandError, match="secret: the password for Kafka can't be read"):
        load(tmp_path, SASL).for_client()


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ('kafka_security = "SSL"', 'kafka_security: expected a table, found "SSL"'),
        ('kafka_security = {protocol = "TLS"}', "protocol: expected one of PLAINTEXT, SASL_"),
        ('kafka_security = {passwort = "x"}', 'found "passwort"'),
        ('kafka_security = {protocol = ""}', "protocol: expected text that is not empty"),
        (
            'kafka_security = {protocol = "SASL_SSL"}',
            "mechanism: expected with SASL_SSL, found none",
        ),
        (SASL.replace("SCRAM-SHA-512", "GUESS"), "mechanism: expected one of PLAIN, SCRAM-SHA-256"),
    ],
)
def test_what_is_refused(tmp_path: Path, toml: str, expected: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, toml)
    assert expected in str(refused.value)
