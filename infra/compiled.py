"""Compile the rules: `replay/` and the hot part of `checks/` as extension modules, by mypyc.

    uv run python infra/compiled.py [--into FOLDER] [--quick]

The same sources give the same answers, about twice as fast; pure Python stays the default. The
build goes to replay/_compiled, where events/runtime/compiled.py finds it and holds it against the
sources at every start. Clauses and readings are data and stay as they are, so that the build is
short. A C compiler and Python's headers are needed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from events.runtime.compiled import GROUP, STAMP, SUFFIX, folder_of, hash_of  # noqa: E402

DATA = frozenset({"clauses.py", "readings.py"})
ASIDE = frozenset({"fingerprint.py", "registry.py", "sources.py"})
"""Which rulebook is asked, and by which sources: asked once, and drafts are added at run time."""

CHECKS = (
    "checks/audit.py",
    "checks/compare/elsewhere.py",
    "checks/compare/kinds.py",
    "checks/compare/recorded.py",
    "checks/compare/sides.py",
    "checks/compare/walk.py",
    "checks/context.py",
    "checks/in_day.py",
    "checks/late.py",
    "checks/table_day.py",
    "checks/unreconciled.py",
)
"""What every round passes in `checks`."""


_NO_SOURCES = shutil.ignore_patterns("_compiled", ".compiled-*", "__pycache__", "golden")


class CannotCompile(Exception):  # noqa: N818 - what is missing here, as one sentence
    """A tool is missing, or the sources do not compile."""


def sources(root: Path) -> Iterator[str]:
    """The sources that are compiled, by their path from the root."""
    for path in sorted((root / "replay").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name == "replay/readings.py" or path.name not in {"__init__.py", *DATA, *ASIDE}:
            yield name
    yield from CHECKS


def module_of(source: str) -> str:
    return source.removesuffix(".py").replace("/", ".")


def lacking() -> str | None:
    """What is missing here to compile anything, or None."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"needs the C compiler {compiler}"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "needs Python's headers (Python.h)"
    return None


def build(root: Path, into: Path, *, quick: bool = False) -> int:
    """Compile the rules of a source tree into a folder, whole or not at all; how many modules.

    quick: optimised less, for a test of the answers.
    """
    why = lacking()
    if why is not None:
        raise CannotCompile(f"{why} to compile the rules")
    with tempfile.TemporaryDirectory(prefix="evenhand-compiled-") as folder:
        work = Path(folder)
        copy = work / "sources"  # what is hashed is what is compiled, whoever edits meanwhile
        for package in ("events", "replay", "checks"):
            shutil.copytree(root / package, copy / package, ignore=_NO_SOURCES)
        names = list(sources(copy))
        made_from = {module_of(name): (name, hash_of(copy / name)) for name in names}
        stamp = f"SOURCES: dict[str, tuple[str, str]] = {made_from!r}\n"
        (copy / f"{STAMP}.py").write_text(stamp, "utf-8")
        _compile(copy, work, [*names, f"{STAMP}.py"], quick)
        made = sorted((work / "lib").rglob(f"*{SUFFIX}"))
        into.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=".compiled-", dir=into.parent))
        fresh.chmod(0o755)
        for file in made:
            shutil.copy2(file, fresh / ".".join(file.relative_to(work / "lib").parts))
        shutil.rmtree(into, ignore_errors=True)
        fresh.rename(into)
    return len(names)


def _compile(root: Path, work: Path, names: list[str], quick: bool) -> None:
    try:
        from mypyc.build import mypycify
        from setuptools import Distribution
        from setuptools.errors import BaseError
    except ImportError as error:
        raise CannotCompile(f"needs mypy and setuptools to compile the rules: {error}") from error
    config = work / "mypy.ini"  # types are checked elsewhere, against all libraries
    config.write_text("[mypy]\nignore_missing_imports = True\n", "utf-8")
    options = ["--config-file", str(config), "--cache-dir", str(work / "cache")]
    before = Path.cwd()
    os.chdir(root)  # mypyc names modules by their path from here
    try:
        extensions = mypycify(
            [*options, *names],
            opt_level="1" if quick else "3",
            debug_level="0",
            multi_file=True,
            target_dir=str(work / "c"),
            group_name=GROUP,
        )
        made = Distribution({"name": GROUP, "ext_modules": extensions})
        command = made.get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(work / "lib"), str(work / "temp")
        command.ensure_finalized()
        command.run()
    except (SystemExit, BaseError) as error:
        raise CannotCompile(f"the rules do not compile: {error}; mypyc says why above") from error
    finally:
        os.chdir(before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--into", type=Path, default=folder_of(ROOT))
    parser.add_argument("--quick", action="store_true", help="compile faster, run slower")
    options = parser.parse_args()
    try:
        count = build(ROOT, options.into.absolute(), quick=options.quick)
    except CannotCompile as error:
        sys.exit(str(error))
    print(f"{count} modules compiled into {options.into}")  # noqa: T201 - a tool for developers


if __name__ == "__main__":
    main()
