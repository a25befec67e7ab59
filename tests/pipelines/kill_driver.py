"""A night in a process of its own that a test kills: python -m tests.pipelines.kill_driver.

Arguments: home, day, then `after STAGE` (kill -9 itself when that stage has ended), `within US`
(when that many microseconds have passed) or `limit BYTES` (no file may grow past this, as on a full
disk).
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from datetime import date
from pathlib import Path

from events.errors import EvenhandError
from pipelines.night.context import Night
from pipelines.night.plain import run_day
from tests.pipelines.kit import settings_of


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_within(us: int) -> None:
    time.sleep(us / 1e6)
    _die()


def main() -> None:
    home, day, how, what = Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), *sys.argv[3:5]

    def after(stage: str, night: Night) -> None:
        if (how, what) == ("after", stage):
            _die()

    if how == "within":
        threading.Thread(target=_die_within, args=(int(what),), daemon=True).start()
    if how == "limit":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(what), int(what)))
    try:
        run_day(settings_of(home), day, with_suites=False, after=after)
    except EvenhandError as error:
        sys.exit(f"evenhand: {error}")


if __name__ == "__main__":
    main()
