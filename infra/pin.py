"""Write the exact versions of the whole closure into pyproject.toml, without any host.

uv.lock names the registry it was made with, so it stays out of the repository; instead every
package of every supported Python is pinned by name and version as a constraint. Run it after
changing a dependency:  uv run python infra/pin.py [--upgrade]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
BEGIN = "# begin of the pinned closure: infra/pin.py writes it\n"
END = "# end of the pinned closure\n"


def closure(*, upgrade: bool) -> list[str]:
    """Name, version and marker of every package that the project and its tools need."""
    lock = ["uv", "lock", "--quiet"] + (["--upgrade"] if upgrade else [])
    subprocess.run(lock, check=True, cwd=PYPROJECT.parent)
    export = ["uv", "export", "--quiet", "--all-groups", "--no-hashes", "--no-emit-project"]
    out = subprocess.run(
        [*export, "--no-annotate", "--no-header"],
        check=True,
        cwd=PYPROJECT.parent,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(line.strip() for line in out.splitlines() if re.match(r"[\w.-]+==", line))


def build_closure() -> list[str]:
    """The same for what builds the project."""
    wanted = tomllib.loads(PYPROJECT.read_text("utf-8"))["build-system"]["requires"]
    command = ["uv", "pip", "compile", "-", "--quiet", "--universal", "--no-header"]
    out = subprocess.run(
        [*command, "--no-annotate", "--python-version", "3.11"],
        check=True,
        cwd=PYPROJECT.parent,
        input="\n".join(wanted),
        capture_output=True,
        text=True,
    ).stdout
    return sorted(line.strip() for line in out.splitlines() if re.match(r"[\w.-]+==", line))


def _list(name: str, pins: list[str]) -> str:
    lines = "".join(f'    "{pin.replace(chr(34), chr(39))}",\n' for pin in pins)
    return f"{name} = [\n{lines}]\n"


def block(pins: list[str], build: list[str]) -> str:
    """The table as it stands in pyproject.toml."""
    lists = _list("constraint-dependencies", pins) + _list("build-constraint-dependencies", build)
    return f"{BEGIN}[tool.uv]\n{lists}{END}"


def main() -> None:
    text = PYPROJECT.read_text("utf-8")
    without = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), "", text, flags=re.DOTALL)
    if "--upgrade" in sys.argv:
        PYPROJECT.write_text(without, "utf-8")
    pins = closure(upgrade="--upgrade" in sys.argv)
    PYPROJECT.write_text(without.rstrip("\n") + "\n\n" + block(pins, build_closure()), "utf-8")
    print(f"{len(pins)} packages pinned")  # noqa: T201 - a tool for developers


if __name__ == "__main__":
    main()
