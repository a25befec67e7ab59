"""When a record arrived: the broker's own time of appending it, and never a producer's word.

Except for a simulated day, which arrives on its own day. The simulator says so in a header, and the
header counts only at a broker on this machine: elsewhere whoever may append could choose the gaming
day of what he sends.
"""

from __future__ import annotations

import ipaddress
from typing import Any

SIMULATED = "evenhand-simulated-arrival-us"
_LOG_APPEND_TIME = 1


def header(arrived_us: int | None) -> list[tuple[str, bytes]]:
    """What a simulated message carries."""
    return [] if arrived_us is None else [(SIMULATED, str(arrived_us).encode())]


def of(record: Any, *, simulated: bool) -> int | None:
    """In microseconds since 1970; None where the topic keeps the producers' times."""
    if simulated:
        for name, value in record.headers:
            if name == SIMULATED and value is not None and value.isdigit() and len(value) < 20:
                return int(value)
    if record.timestamp_type != _LOG_APPEND_TIME or record.timestamp < 0:
        return None
    return int(record.timestamp) * 1000


def is_local(servers: str) -> bool:
    """Whether all brokers are named by an address of this machine itself."""
    hosts = [server.strip().rpartition(":")[0].strip("[]") for server in servers.split(",")]
    return all(host == "localhost" or _loopback(host) for host in hosts)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
