"""The compiled build of the rules: used where it lies, and never one that is stale.

infra/compiled.py may turn `replay/` and the hot part of `checks/` into extension modules, in the
folder `replay/_compiled` (docs/performance.md, ADR 21). They lie apart from the sources, so that no
extension goes before a source by accident. What the build was made from, the hash of every source,
is compiled into it; `use` holds it against the sources before the first of them is imported.
Compiled modules call each other directly, so that one changed source makes the whole build stale.

The variable REPLAY_COMPILED: `0` leaves a build aside, `1` refuses to work without one; without it
a build is used where there is one.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from events.errors import EvenhandError

SWITCH = "REPLAY_COMPILED"
GROUP = "evenhand"
LIBRARY = f"{GROUP}__mypyc"
"""All compiled modules in one library; the modules themselves are shells that call into it."""

STAMP = "evenhand_stamp"
"""The module of the build that knows what it was made from."""

SUFFIX = EXTENSION_SUFFIXES[0]


class CompiledError(EvenhandError):
    """A compiled build that does not belong to the sources beside it."""


def folder_of(root: Path) -> Path:
    """Where the build of a source tree, or of what a wheel installed, lies."""
    return root / "replay" / "_compiled"


def hash_of(source: Path) -> str:
    """Of a source, with the line ends that git keeps."""
    return hashlib.sha256(source.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


class CompiledFinder:
    """Finds the modules of a build by name; for every other name Python looks as always."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.files = {name: str(folder / f"{name}{SUFFIX}") for name in names}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        file = self.files.get(name)
        if file is None:
            return None
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, file))


def use(root: Path = Path(__file__).parents[2]) -> None:
    """Have the compiled modules imported from now on, where there is a build of these sources."""
    wanted = os.environ.get(SWITCH, "")
    if wanted not in {"", "0", "1"}:
        raise CompiledError(f"environment: {SWITCH} is {wanted!r}, expected 0 or 1")
    if wanted == "0" or in_use():
        return
    folder = folder_of(root)
    if not folder.is_dir():
        if wanted == "1":
            raise CompiledError(f"{SWITCH} is 1, and there is no compiled build in {folder}; {_DO}")
        return
    finder = CompiledFinder(folder, [LIBRARY, STAMP])
    sys.meta_path.insert(0, finder)
    try:
        made_from = _made_from(folder, finder)
        _check(root, folder, made_from)
    except BaseException:
        sys.meta_path.remove(finder)
        raise
    finder.files |= CompiledFinder(folder, [*made_from]).files


def in_use() -> bool:
    """Whether this process runs the compiled build."""
    return any(isinstance(finder, CompiledFinder) for finder in sys.meta_path)


_DO = (
    "build it (uv run python infra/compiled.py), or run without one: remove the folder, "
    f"or set {SWITCH}=0"
)


def _made_from(folder: Path, finder: CompiledFinder) -> Mapping[str, tuple[str, str]]:
    """By module the source and its hash, as they are compiled into the build."""
    missing = [file for file in finder.files.values() if not Path(file).is_file()]
    if missing:
        raise CompiledError(
            f"the compiled build in {folder} has no {Path(missing[0]).name}: it is not whole, or "
            f"for another Python than this one; {_DO}"
        )
    try:
        stamp = _load(finder, STAMP)
    except ImportError as error:
        raise CompiledError(f"the compiled build in {folder} is damaged: {error}; {_DO}") from error
    made_from: dict[str, tuple[str, str]] = stamp.SOURCES
    return made_from


def _load(finder: CompiledFinder, name: str) -> ModuleType:
    spec = finder.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"no {name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(root: Path, folder: Path, made_from: Mapping[str, tuple[str, str]]) -> None:
    for module, (source, expected) in made_from.items():
        if not (folder / f"{module}{SUFFIX}").is_file():
            raise CompiledError(f"the compiled build in {folder} lacks {module}; {_DO}")
        file = root / source
        if not file.is_file():
            raise CompiledError(
                f"the compiled build in {folder} has {module}, whose source {file} is gone; {_DO}"
            )
        if hash_of(file) != expected:
            raise CompiledError(
                f"the compiled build in {folder} was made from another {source} than the one "
                f"that is there now; {_DO}"
            )
