"""Hatchling's hook for the compiled build: off, unless REPLAY_COMPILED=1 when a wheel is built.

An editable install compiles in place, where a later install without the switch leaves it. A wheel
carries its build and is one for this system and Python.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledHook(BuildHookInterface[Any]):
    """Compiles the rules where the switch is on."""

    @property
    def on(self) -> bool:
        return os.environ.get("REPLAY_COMPILED") == "1"

    def dependencies(self) -> list[str]:
        """What compiling needs besides hatchling; the pins are in pyproject.toml."""
        return list(self.config["tools"]) if self.on else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self.on:
            return
        compiled = _compiled(Path(self.root))
        if version == "editable":
            compiled.build(Path(self.root), compiled.folder_of(Path(self.root)))
            return
        made = Path(tempfile.mkdtemp(prefix="evenhand-wheel-")) / "_compiled"
        compiled.build(Path(self.root), made)
        build_data["force_include"][str(made)] = "replay/_compiled"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _compiled(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("compiled", root / "infra" / "compiled.py")
    if spec is None or spec.loader is None:
        raise ImportError("infra/compiled.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
