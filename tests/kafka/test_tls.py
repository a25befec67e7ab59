"""TLS with SCRAM on the real broker: what fails, and the sentence that each failure has.

One broker with two TLS listeners, one of which shows a certificate that has expired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kafka import KafkaAdminClient

from events.log.base import Outgoing
from events.log.kafka.admin import ForbiddenError, KafkaLogError
from events.log.kafka.log import KafkaLog
from events.settings.kafka import KafkaSecurity
from pipelines.broker.server import Broker, free_port
from tests.kafka.certificates import Authority
from tests.kafka.test_rights import DEAD, GATEWAYS, TOPIC, give_rights


@dataclass(frozen=True)
class Guarded:
    """Where the listeners are, and whom a client must trust."""

    address: str
    expired: str
    plain: str
    ca: Path
    other_ca: Path


def listeners(plain: int, tls: int, old: int, controller: int, folder: Path) -> dict[str, str]:
    house = Authority(folder, "house")
    stores = {"tls": house.server("good"), "old": house.server("old", days=(-20, -10))}
    at = {"PLAINTEXT": plain, "TLS": tls, "OLD": old, "CONTROLLER": controller}
    named = {name: f"{name}://127.0.0.1:{port}" for name, port in at.items()}
    public = ",".join(where for name, where in named.items() if name != "CONTROLLER")
    out = {
        "listeners": ",".join(named.values()),
        "advertised.listeners": public,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "TLS:SASL_SSL,OLD:SASL_SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": "User:ANONYMOUS",
    }
    for name, store in stores.items():
        begin = f"listener.name.{name}"
        out[f"{begin}.ssl.keystore.type"] = "PEM"
        out[f"{begin}.ssl.keystore.location"] = str(store)
        out[f"{begin}.scram-sha-512.sasl.jaas.config"] = (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        )
    return out


@pytest.fixture(scope="module")
def guarded(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("tls")
    plain, tls, old, controller = (free_port() for _ in range(4))
    properties = listeners(plain, tls, old, controller, folder)
    broker = Broker(folder / "kafka", f"127.0.0.1:{plain}", properties)
    broker.start()
    try:
        KafkaLog(broker.address, TOPIC, DEAD).close()
        with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
            give_rights(admin)
        yield Guarded(
            address=f"127.0.0.1:{tls}",
            expired=f"127.0.0.1:{old}",
            plain=f"127.0.0.1:{plain}",
            ca=folder / "house.pem",
            other_ca=Authority(folder, "stranger").ca,
        )
    finally:
        broker.stop()


@pytest.fixture
def security(guarded: Guarded, tmp_path: Path) -> KafkaSecurity:
    """The first gateway's, all as it should be."""
    secret = tmp_path / "secret"
    secret.write_text(f"{GATEWAYS[0]} password\n")
    return KafkaSecurity(
        protocol="SASL_SSL",
        mechanism="SCRAM-SHA-512",
        username=GATEWAYS[0],
        password_file=str(secret),
        ca_file=str(guarded.ca),
    )


def refused(server: str, security: KafkaSecurity) -> str:
    with pytest.raises(KafkaLogError) as caught:
        KafkaLog(server, TOPIC, DEAD, security=security)
    return str(caught.value)


def test_a_gateway_logs_in_over_tls_and_appends(guarded: Guarded, security: KafkaSecurity) -> None:
    log = KafkaLog(guarded.address, TOPIC, DEAD, security=security)
    log.append([Outgoing(b"T", b"over tls")])
    log.close()
    plain = KafkaLog(guarded.plain, TOPIC, DEAD)
    assert b"over tls" in [m.value for m in plain.read({})]
    plain.close()


def test_a_wrong_authority(guarded: Guarded, security: KafkaSecurity) -> None:
    says = refused(guarded.address, replace(security, ca_file=str(guarded.other_ca)))
    assert says == (
        f"the certificate of the Kafka broker at {guarded.address} is not signed by the authority "
        f"that we trust ({guarded.other_ca}): expected the one in the setting kafka_security, "
        "ca_file; nothing was sent"
    )


def test_an_expired_certificate(guarded: Guarded, security: KafkaSecurity) -> None:
    assert refused(guarded.expired, security) == (
        f"the certificate of the Kafka broker at {guarded.expired} has expired: its owner must "
        "renew it; nothing was sent"
    )


def test_a_wrong_password(guarded: Guarded, security: KafkaSecurity, tmp_path: Path) -> None:
    guess = tmp_path / "guess"
    guess.write_text("a guess\n")
    assert refused(guarded.address, replace(security, password_file=str(guess))) == (
        f"the Kafka broker at {guarded.address} does not let user {GATEWAYS[0]} in "
        f"(SCRAM-SHA-512): expected the password that the broker knows in {guess}; nothing was sent"
    )


def test_the_right_password_without_rights(
    guarded: Guarded, security: KafkaSecurity, tmp_path: Path
) -> None:
    secret = tmp_path / "nobody"
    secret.write_text("nobody password\n")
    nobody = replace(security, username="nobody", password_file=str(secret))
    with pytest.raises(ForbiddenError, match="refuses this user"):
        KafkaLog(guarded.address, TOPIC, DEAD, security=nobody).append([Outgoing(b"T", b"x")])


def test_tls_where_plain_text_is_spoken(guarded: Guarded, security: KafkaSecurity) -> None:
    assert "does not speak TLS there" in refused(guarded.plain, security)


def test_certificates_that_can_not_be_read(guarded: Guarded, security: KafkaSecurity) -> None:
    says = refused(guarded.address, replace(security, ca_file="/nowhere.pem"))
    assert says.startswith("the certificates that kafka_security names can't be read (/nowhere.pem")
