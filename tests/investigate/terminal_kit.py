"""A command in a real terminal of a given width, and what stands on the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.command import COMMAND, ROOT

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_screen(folder: Path, *args: str, columns: int = 80) -> str:
    """What the command writes to a terminal, without colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    env = {k: v for k, v in env.items() if k not in {"COLUMNS", "LINES"}}
    running = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *args],
        cwd=folder,
        env=env | {"PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # the other side has gone: that is how a terminal ends
        pass
    finally:
        os.close(ours)
        running.wait(timeout=60)
    return _STYLE.sub("", seen.decode()).replace("\r\n", "\n")
