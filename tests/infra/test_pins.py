"""Everything that is installed is pinned, to the version that is installed; no host is named."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"].get("optional-dependencies", {})


def name_of(text: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s=<>!~;\[]", text, maxsplit=1)[0]).lower()


def pins(lines: list[str] | None = None) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for pin in PROJECT["tool"]["uv"]["constraint-dependencies"] if lines is None else lines:
        version = pin.split("==")[1].split(";")[0].split("\\")[0].strip()
        out.setdefault(name_of(pin), set()).add(version)
    return out


def direct() -> Iterator[str]:
    """What the project, its extras and its groups ask for by name."""
    yield from PROJECT["project"]["dependencies"]
    for wanted in EXTRAS.values():
        yield from wanted
    for group in PROJECT["dependency-groups"].values():
        yield from (d for d in group if isinstance(d, str))


def test_what_is_installed_is_what_is_pinned() -> None:
    ours = {"evenhand", "pip", "uv", "setuptools", "wheel"}
    known = pins()
    for found in metadata.distributions():
        name = name_of(found.metadata["Name"])
        if name not in ours:
            assert found.version in known.get(name, set()), f"{name}: run infra/pin.py"


def test_every_direct_dependency_is_pinned() -> None:
    assert {name_of(d) for d in direct()} <= set(pins())


def test_no_registry_is_named() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert "://" not in text
    assert "index" not in PROJECT["tool"]["uv"]


# --- requirements with checksums ----------------------------------------------------------------

FILES = ["requirements.txt", *(f"requirements-{extra}.txt" for extra in sorted(EXTRAS))]


def packages(name: str) -> dict[str, list[str]]:
    """Each requirement of a file with its checksums."""
    out: dict[str, list[str]] = {}
    last = ""
    for line in (ROOT / "infra" / name).read_text("utf-8").splitlines():
        if re.match(r"[\w.-]+==", line):
            last = line.rstrip("\\ ")
            out[last] = []
        elif line.startswith("    --hash="):
            out[last].append(line.strip("\\ "))
        else:
            assert line.startswith("#"), line
    return out


@pytest.mark.parametrize("name", [*FILES, "requirements-build.txt"])
def test_requirements_have_checksums_and_name_no_host(name: str) -> None:
    found = packages(name)
    assert found
    for pin, sums in found.items():
        assert sums, f"{pin}: expected at least one checksum"
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in sums)
    text = (ROOT / "infra" / name).read_text("utf-8")
    assert not re.search(r"://|index-url|find-links|@ |\bfile:", text)


@pytest.mark.parametrize("name", FILES)
def test_requirements_fit_the_pins(name: str) -> None:
    known = pins()
    for package, versions in pins(list(packages(name))).items():
        assert versions <= known[package], f"{package}: run infra/pin.py"
    extra = name.removeprefix("requirements").removeprefix("-").removesuffix(".txt")
    wanted = [*PROJECT["project"]["dependencies"], *EXTRAS.get(extra, ())]
    assert {name_of(d) for d in wanted} <= set(pins(list(packages(name))))
    tools = {name_of(d) for d in PROJECT["dependency-groups"]["dev"] if isinstance(d, str)}
    assert "pytest" in tools
    assert "pytest" not in pins(list(packages(name))), "tools of development are not for production"


def test_what_builds_the_project_fits_its_pins() -> None:
    known = pins(PROJECT["tool"]["uv"]["build-constraint-dependencies"])
    assert pins(list(packages("requirements-build.txt"))) == known


def test_every_requirement_of_production_is_there() -> None:
    """What a package of the list asks for in turn is in the list: --no-deps would miss it."""
    from packaging.requirements import Requirement

    listed = pins(list(packages("requirements.txt")))
    for package in listed:
        try:
            asks = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue  # for another system or Python
        for text in asks:
            wanted = Requirement(text)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                assert name_of(wanted.name) in listed, f"{package} asks for {wanted.name}"


def _pin_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pin_script", ROOT / "infra" / "pin.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SMALL = """\
[project]
name = "small"
version = "1"
requires-python = ">=3.11,<3.14"
dependencies = ["click"]

[project.optional-dependencies]
colour = ["pygments"]

[dependency-groups]
dev = ["iniconfig"]
more = ["toposort"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""


def test_extras_and_groups_are_pinned(tmp_path: Path) -> None:
    """uv itself resolves a small project that has one of each."""
    if shutil.which("uv") is None:
        pytest.skip("needs uv")
    (tmp_path / "pyproject.toml").write_text(SMALL)
    (tmp_path / "infra").mkdir()
    try:
        subprocess.run(["uv", "lock", "--quiet"], cwd=tmp_path, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"uv reaches no index here: {error.stderr[-200:]!r}")
    found = _pin_script().pin(tmp_path)
    assert {"click", "pygments", "iniconfig", "toposort"} <= set(pins(found))
    text = (tmp_path / "pyproject.toml").read_text()
    assert all(
        name in text.split("constraint-dependencies")[1] for name in ("pygments", "toposort")
    )
    base = (tmp_path / "infra" / "requirements.txt").read_text()
    with_extra = (tmp_path / "infra" / "requirements-colour.txt").read_text()
    assert "click==" in base
    assert "pygments==" not in base
    assert "pygments==" in with_extra
    assert "toposort" not in with_extra
    assert "--hash=sha256:" in (tmp_path / "infra" / "requirements-build.txt").read_text()
    assert _pin_script().pin(tmp_path) == found, "a second time gives the same"
