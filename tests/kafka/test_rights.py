"""The rights that docs/operations.md gives: gateways only append, the archive only reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ResourcePattern,
    ResourceType,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka.errors import AuthorizationError

from events.log.base import Outgoing
from events.log.kafka.admin import ForbiddenError, KafkaLogError
from events.log.kafka.log import DeadLetter, KafkaLog
from events.settings.kafka import KafkaSecurity
from pipelines.broker.server import Broker, free_port

TOPIC, DEAD = "table.rounds", "table.rounds.dead"
GATEWAYS = ("gateway-RWS-PP-01", "gateway-RWS-PP-02")
"""One user for each gateway, so that one can be shut out without the others."""

RIGHTS: dict[str, dict[str, tuple[str, ...]]] = {
    **{gateway: {TOPIC: ("WRITE", "DESCRIBE")} for gateway in GATEWAYS},
    "nobody": {},
    "archive": {TOPIC: ("READ", "DESCRIBE"), DEAD: ("WRITE", "DESCRIBE", "READ")},
}


def guarded(plain: int, guarded: int, controller: int) -> dict[str, str]:
    """A broker with one listener for the administrator and one on which users must log in."""
    return {
        "listeners": f"PLAINTEXT://127.0.0.1:{plain},SASL_PLAINTEXT://127.0.0.1:{guarded},"
        f"CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{plain},"
        f"SASL_PLAINTEXT://127.0.0.1:{guarded}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "SASL_PLAINTEXT:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": "org.apache.kafka.common."
        "security.scram.ScramLoginModule required;",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": "User:ANONYMOUS",
    }


@pytest.fixture(scope="module")
def address(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A guarded broker with both topics, both users and their rights: where users log in."""
    plain, login, controller = free_port(), free_port(), free_port()
    folder = tmp_path_factory.mktemp("guarded") / "kafka"
    broker = Broker(folder, f"127.0.0.1:{plain}", guarded(plain, login, controller))
    broker.start()
    try:
        KafkaLog(broker.address, TOPIC, DEAD).close()
        with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
            give_rights(admin)
        yield f"127.0.0.1:{login}"
    finally:
        broker.stop()


def give_rights(admin: KafkaAdminClient) -> None:
    scram = ScramMechanism.SCRAM_SHA_512
    admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion(user, scram, f"{user} password") for user in RIGHTS]
    )
    admin.create_acls(
        [
            ACL(
                f"User:{user}",
                "*",
                ACLOperation[operation],
                ACLPermissionType.ALLOW,
                ResourcePattern(ResourceType.TOPIC, topic),
            )
            for user, topics in RIGHTS.items()
            for topic, operations in topics.items()
            for operation in operations
        ]
    )


def security_of(user: str, folder: Path, password: str | None = None) -> KafkaSecurity:
    secret = folder / user
    secret.write_text(password or f"{user} password\n")
    return KafkaSecurity(
        protocol="SASL_PLAINTEXT",
        mechanism="SCRAM-SHA-512",
        username=user,
        password_file=str(secret),
    )


@pytest.fixture
def gateway(address: str, tmp_path: Path) -> Iterator[KafkaLog]:
    log = KafkaLog(address, TOPIC, DEAD, security=security_of(GATEWAYS[0], tmp_path))
    yield log
    log.close()


@pytest.fixture
def archive(address: str, tmp_path: Path) -> Iterator[KafkaLog]:
    log = KafkaLog(address, TOPIC, DEAD, security=security_of("archive", tmp_path))
    yield log
    log.close()


def test_a_gateway_appends_and_the_archive_reads(gateway: KafkaLog, archive: KafkaLog) -> None:
    start = archive.end()
    gateway.append([Outgoing(b"T", b"x")])
    assert [m.value for m in archive.read(start)] == [b"x"]


def test_a_gateway_can_not_read(gateway: KafkaLog, archive: KafkaLog) -> None:
    gateway.append([Outgoing(b"T", b"x")])
    with pytest.raises(ForbiddenError, match="refuses this user"):
        list(gateway.read({}))


def test_the_archive_can_not_append_but_buries(archive: KafkaLog) -> None:
    with pytest.raises(ForbiddenError, match=f"expected an ACL that allows it on topic {TOPIC}"):
        archive.append([Outgoing(b"T", b"x")])
    before = archive.dead_letters()
    archive.bury([DeadLetter(archive.identity, 0, 0, None, b"x", "why")])
    assert archive.dead_letters() == before + 1


def test_a_gateway_can_not_write_dead_letters(gateway: KafkaLog) -> None:
    with pytest.raises(ForbiddenError):
        gateway.bury([DeadLetter(gateway.identity, 0, 0, None, b"x", "why")])


@pytest.mark.parametrize("user", [GATEWAYS[0], "archive"])
def test_neither_can_delete(address: str, tmp_path: Path, user: str) -> None:
    login = security_of(user, tmp_path).for_client()
    with KafkaAdminClient(bootstrap_servers=address, **login) as admin:
        with pytest.raises(AuthorizationError):
            admin.delete_topics([TOPIC])
        with pytest.raises(AuthorizationError):
            admin.delete_records({TopicPartition(TOPIC, 0): 0})


def test_a_gateway_that_is_shut_out_shuts_out_no_other(address: str, tmp_path: Path) -> None:
    """Its password is of no use for another's name, and the others are at work without it."""
    one, two = GATEWAYS
    with pytest.raises(KafkaLogError, match=f"does not let user {two} in"):
        KafkaLog(address, TOPIC, DEAD, security=security_of(two, tmp_path, f"{one} password"))
    other = KafkaLog(address, TOPIC, DEAD, security=security_of(two, tmp_path))
    other.append([Outgoing(b"RWS-PP-02", b"x")])
    other.close()


def test_a_wrong_password_is_said(address: str, tmp_path: Path) -> None:
    wrong = security_of("archive", tmp_path, "a guess")
    with pytest.raises(KafkaLogError, match=f"{address} does not let user archive in"):
        KafkaLog(address, TOPIC, DEAD, security=wrong)
