"""Write the exact versions of the whole closure down, without any host.

uv.lock names the registry it was made with, so it stays out of the repository; instead every
package of every supported Python, of every extra and every group, is pinned by name and version as
a constraint in pyproject.toml, and what a production machine installs is listed with checksums in
infra/requirements*.txt. Run it after changing a dependency:
uv run python infra/pin.py [--upgrade]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BEGIN = "# begin of the pinned closure: infra/pin.py writes it\n"
END = "# end of the pinned closure\n"
CACHE_KEYS = 'cache-keys = [{ file = "pyproject.toml" }, { env = "REPLAY_COMPILED" }]\n'
"""When uv builds the project again: the switch of infra/compiled_hook.py is part of the build."""

HEAD = """\
# What a production machine installs{what}, with the checksum of every file; infra/pin.py writes it.
# No host is named: take the packages from whichever index the house trusts.
#     pip install --require-hashes --no-deps -r {name}
"""


def _uv(root: Path, *words: str, given: str | None = None) -> str:
    done = subprocess.run(
        ["uv", *words], check=True, cwd=root, input=given, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def _project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


def lock(root: Path, *, upgrade: bool = False) -> None:
    """Let uv choose the versions."""
    _uv(root, "lock", "--quiet", *(["--upgrade"] if upgrade else []))


def _export(root: Path, *words: str) -> str:
    return _uv(
        root, "export", "--quiet", "--frozen", "--no-emit-project", "--no-annotate", "--no-header",
        *words,
    )  # fmt: skip


def _pins(text: str) -> list[str]:
    return sorted(line.strip() for line in text.splitlines() if re.match(r"[\w.-]+==", line))


def closure(root: Path) -> list[str]:
    """Name, version and marker of every package that the project, its extras and tools need."""
    return _pins(_export(root, "--all-groups", "--all-extras", "--no-hashes"))


def build_closure(root: Path, *words: str) -> str:
    """The same for what builds the project, and what compiles its rules where that is wanted."""
    project = _project(root)
    wanted = "\n".join([*project["build-system"]["requires"], *_hook_tools(project)])
    return _uv(
        root, "pip", "compile", "-", "--quiet", "--universal", "--no-header", "--no-annotate",
        "--python-version", "3.11", *words, given=wanted,
    )  # fmt: skip


def _hook_tools(project: dict[str, Any]) -> list[str]:
    """What hooks of the wheel ask for when they are switched on (infra/compiled_hook.py)."""
    place: Any = project.get("tool", {})
    for name in ("hatch", "build", "targets", "wheel", "hooks"):
        place = place.get(name, {})
    return [tool for hook in place.values() for tool in hook.get("tools", ())]


def requirements(root: Path) -> dict[str, str]:
    """For each file of requirements its content: the project's own, one per extra, and what
    builds it."""
    out = {"requirements.txt": ("", _export(root, "--no-default-groups"))}
    for extra in sorted(_project(root)["project"].get("optional-dependencies", {})):
        text = _export(root, "--no-default-groups", "--extra", extra)
        out[f"requirements-{extra}.txt"] = (f" with the extra {extra}", text)
    out["requirements-build.txt"] = (" to build it", build_closure(root, "--generate-hashes"))
    return {n: HEAD.format(what=what, name=f"infra/{n}") + text for n, (what, text) in out.items()}


def _list(name: str, pins: list[str]) -> str:
    lines = "".join(f'    "{pin.replace(chr(34), chr(39))}",\n' for pin in pins)
    return f"{name} = [\n{lines}]\n"


def block(pins: list[str], build: list[str]) -> str:
    """The table as it stands in pyproject.toml."""
    lists = _list("constraint-dependencies", pins) + _list("build-constraint-dependencies", build)
    return f"{BEGIN}[tool.uv]\n{CACHE_KEYS}{lists}{END}"


def pin(root: Path, *, upgrade: bool = False) -> list[str]:
    """Write all of it; the pins of the closure."""
    path = root / "pyproject.toml"
    text = path.read_text("utf-8")
    without = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), "", text, flags=re.DOTALL)
    if upgrade:
        path.write_text(without, "utf-8")
    lock(root, upgrade=upgrade)
    pins = closure(root)
    written = without.rstrip("\n") + "\n\n" + block(pins, _pins(build_closure(root)))
    path.write_text(written, "utf-8")
    lock(root)  # the constraints are part of what the lock was made from
    for name, content in requirements(root).items():
        (root / "infra" / name).write_text(content, "utf-8")
    return pins


def main() -> None:
    pins = pin(ROOT, upgrade="--upgrade" in sys.argv)
    print(f"{len(pins)} packages pinned")  # noqa: T201 - a tool for developers


if __name__ == "__main__":
    main()
