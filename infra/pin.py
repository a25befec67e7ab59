"""Write the exact versions of the whole closure into pyproject.toml, without any host.

uv.lock names the registry it was made with, so it stays out of the repository; instead every
package of every supported Python is pinned by name and version as a constraint. Run it after
changing a dependency:  uv run python infra/pin.py [--upgrade]
"""

from __future__ import annotations

import re
import subprocess
import sys
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


def block(pins: list[str]) -> str:
    """The table as it stands in pyproject.toml."""
    lines = "".join(f'    "{pin.replace(chr(34), chr(39))}",\n' for pin in pins)
    return f"{BEGIN}[tool.uv]\nconstraint-dependencies = [\n{lines}]\n{END}"


def main() -> None:
    text = PYPROJECT.read_text("utf-8")
    without = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), "", text, flags=re.DOTALL)
    if "--upgrade" in sys.argv:
        PYPROJECT.write_text(without, "utf-8")
    pins = closure(upgrade="--upgrade" in sys.argv)
    PYPROJECT.write_text(without.rstrip("\n") + "\n\n" + block(pins), "utf-8")
    print(f"{len(pins)} packages pinned")  # noqa: T201 - a tool for developers


if __name__ == "__main__":
    main()
