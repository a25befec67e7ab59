"""The command in this process: the same entry point, output and exit code, without a new start.

For the many small cases; each command is also run as a process of its own (tests/command.py).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from pipelines.cli.main import main


def evenhand_here(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `evenhand` in a folder; EVENHAND_* variables of this process do not reach it."""
    out, err = io.StringIO(), io.StringIO()
    before, argv, cwd = dict(os.environ), sys.argv, Path.cwd()
    code = 0
    try:
        for name in [name for name in os.environ if name.startswith("EVENHAND_")]:
            del os.environ[name]
        os.environ.update(env)
        os.chdir(folder)
        sys.argv = ["evenhand", *args]
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else int(done.code is not None)
    finally:
        sys.argv = argv
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(before)
    return subprocess.CompletedProcess(list(args), code, out.getvalue(), err.getvalue())
