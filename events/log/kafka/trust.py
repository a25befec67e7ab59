"""Whether we trust the broker and it knows us: each way in which that fails has its own sentence.

The client only says that it found no broker. So the certificate is looked at first, by a handshake
of our own with the same authority; and a refused login is told apart from a broker that is away.
"""

from __future__ import annotations

import socket
import ssl
import struct

from events.log.kafka.errors import KafkaLogError
from events.settings.kafka import KafkaSecurity

_TIMEOUT_S = 10.0
_NOT_YET, _EXPIRED, _OTHER_HOST = 9, 10, {62, 64}
_UNKNOWN_AUTHORITY = {2, 18, 19, 20, 21}
_NUMBER = 7  # of our one request; the answer repeats it


def refuse_untrusted(servers: str, security: KafkaSecurity) -> None:
    """A KafkaLogError where no server shows a certificate that we can trust; else nothing."""
    if not security.protocol.endswith("SSL"):
        return
    context = _context(security)
    first: KafkaLogError | None = None
    for server in servers.split(","):
        host, _, port = server.strip().rpartition(":")
        host = host.strip("[]")
        try:
            with socket.create_connection((host, int(port)), timeout=_TIMEOUT_S) as plain:
                context.wrap_socket(plain, server_hostname=host).close()
        except ssl.SSLCertVerificationError as error:
            first = first or KafkaLogError(_untrusted(server.strip(), security, error))
        except ssl.SSLError as error:
            first = first or KafkaLogError(
                f"the Kafka broker at {server.strip()} does not speak TLS there "
                f"({error.reason or error}): expected a listener for {security.protocol}; check "
                "the port and the setting kafka_security"
            )
        except OSError:
            continue  # that it does not answer is for others to say
        else:
            return
    if first is not None:
        raise first


def _context(security: KafkaSecurity) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=security.ca_file)
        if security.certificate_file is not None:
            context.load_cert_chain(security.certificate_file, security.key_file)
    except OSError as error:  # an SSLError too: a file that is none
        which = security.certificate_file or security.ca_file
        raise KafkaLogError(
            f"the certificates that kafka_security names can't be read ({which}): "
            f"{error.strerror or error}"
        ) from None
    return context


def _untrusted(server: str, security: KafkaSecurity, error: ssl.SSLCertVerificationError) -> str:
    begin = f"the certificate of the Kafka broker at {server}"
    code = error.verify_code
    if code == _EXPIRED:
        return f"{begin} has expired: its owner must renew it; nothing was sent"
    if code == _NOT_YET:
        return f"{begin} is not valid yet: compare this machine's clock; nothing was sent"
    if code in _OTHER_HOST:
        return f"{begin} is for another host ({error.verify_message}); nothing was sent"
    if code in _UNKNOWN_AUTHORITY:
        authority = security.ca_file or "the system's authorities"
        return (
            f"{begin} is not signed by the authority that we trust ({authority}): expected the one "
            "in the setting kafka_security, ca_file; nothing was sent"
        )
    return f"{begin} can't be trusted ({error.verify_message}); nothing was sent"


def is_login(servers: str, security: KafkaSecurity) -> bool:
    """Whether it was the login that failed, where a client could not connect.

    A broker that refuses a login hangs up, and the client only knows that it was hung up on. But a
    broker says which requests it understands to whoever asks, before any login: if one answers
    that, it is there, and what it ended was the login.
    """
    if not security.protocol.startswith("SASL"):
        return False
    return any(_answers_strangers(server.strip(), security) for server in servers.split(","))


def _answers_strangers(server: str, security: KafkaSecurity) -> bool:
    host, _, port = server.rpartition(":")
    host = host.strip("[]")
    try:
        with socket.create_connection((host, int(port)), timeout=_TIMEOUT_S) as plain:
            if not security.protocol.endswith("SSL"):
                return _asks(plain)
            with _context(security).wrap_socket(plain, server_hostname=host) as wrapped:
                return _asks(wrapped)
    except (OSError, ValueError):
        return False


def _asks(connection: socket.socket) -> bool:
    """ApiVersions, version 0: length, key 18, version, number of the request, no client id."""
    connection.sendall(struct.pack(">ihhih", 10, 18, 0, _NUMBER, -1))
    head = b""
    while len(head) < 8:
        got = connection.recv(8 - len(head))
        if not got:
            return False
        head += got
    return bool(struct.unpack(">ii", head)[1] == _NUMBER)


def wrong_login(servers: str, security: KafkaSecurity) -> str:
    """The sentence for a refused login."""
    return (
        f"the Kafka broker at {servers} does not let user {security.username} in "
        f"({security.mechanism}): expected the password that the broker knows in "
        f"{security.password_file}; nothing was sent"
    )
