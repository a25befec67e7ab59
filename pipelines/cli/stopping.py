"""How commands that run on are asked to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable


def stop_on_signals() -> Callable[[], bool]:
    """The first signal ends the work at its next good place; a second Ctrl-C ends it at once."""
    seen: list[int] = []

    def note(number: int, _: object) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, note)
    signal.signal(signal.SIGTERM, note)
    return lambda: bool(seen)
