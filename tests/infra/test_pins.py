"""Everything that is installed is pinned, to the version that is installed."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def name_of(text: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s=<>!~;\[]", text, maxsplit=1)[0]).lower()


def pins() -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for pin in PROJECT["tool"]["uv"]["constraint-dependencies"]:
        version = pin.split("==")[1].split(";")[0].strip()
        out.setdefault(name_of(pin), set()).add(version)
    return out


def test_what_is_installed_is_what_is_pinned() -> None:
    ours = {"evenhand", "pip", "uv", "setuptools", "wheel"}
    known = pins()
    for found in metadata.distributions():
        name = name_of(found.metadata["Name"])
        if name not in ours:
            assert found.version in known.get(name, set()), f"{name}: run infra/pin.py"


def test_every_direct_dependency_is_pinned() -> None:
    direct = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    assert {name_of(d) for d in direct} <= set(pins())


def test_no_registry_is_named() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert "://" not in text
    assert "index" not in PROJECT["tool"]["uv"]
