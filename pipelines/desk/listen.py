"""A socket that listens, and the address to open: port 0 takes a free one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from events.errors import EvenhandError


@contextmanager
def listening(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((bare, port))
        except OSError as error:
            raise EvenhandError(
                f"desk: expected a free port, found {host}:{port} taken ({error.strerror}); give "
                f"another with --port, or 0 for any"
            ) from None
        found.listen()  # whoever comes before the desk answers waits, and is not refused
        named = f"[{bare}]" if family == socket.AF_INET6 else bare
        yield found, f"http://{named}:{found.getsockname()[1]}/"
    finally:
        found.close()
