"""The wheel is whole: installed alone, without a checkout, every command works."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from infra.version import FALLBACK, of_tag, version
from pipelines.cli.main import LazyGroup
from tests.command import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has our libraries and, of us, nothing but the wheel."""
    if shutil.which("uv") is None:
        pytest.skip("uv builds the wheel, and it is not here")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        ["uv", "build", "--quiet", "--wheel", "--out-dir", str(folder)], cwd=ROOT, check=True
    )
    (wheel,) = folder.glob("*.whl")
    place = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(packages)
    # a path in a .pth file brings the libraries, but not the .pth that names this checkout
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return place


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    base = {k: v for k, v in os.environ.items() if not k.startswith(("EVENHAND_", "PYTHON"))}
    code = "from pipelines.cli.main import main; main()"
    done = subprocess.run(
        [str(installed / "bin" / "python"), "-c", code, *words],
        cwd=folder,
        env=base,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_the_code_is_that_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import pipelines, replay, checks, events; print(pipelines.__file__, events.__file__)"
    done = subprocess.run(
        [str(installed / "bin" / "python"), "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count(str(installed)) == 2


def test_every_command_tells_its_use(installed: Path, tmp_path: Path) -> None:
    """In one process: all of them are imported, and none needs the checkout for it."""
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom pipelines.cli.main import cli\n"
        "for name in sys.argv[1:]:\n"
        "    done = CliRunner().invoke(cli, [name, '--help'])\n"
        "    assert done.exit_code == 0 and 'Usage' in done.output, (name, done.output)\n"
        "print('all')"
    )
    done = subprocess.run(
        [str(installed / "bin" / "python"), "-c", code, *LazyGroup.lazy],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all\n", done.stderr


def test_the_whole_line_works_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    words = ("simulate", "--tables", "5", "--rounds", "6", "--faults", "0.2", "--day", "2026-03-10")
    assert run(installed, tmp_path, *words).returncode == 0
    assert run(installed, tmp_path, "ingest").returncode == 0
    night = run(installed, tmp_path, "nightly", "--json")
    assert night.returncode in (0, 1), night.stderr
    asked = run(installed, tmp_path, "sql", "--query", "money-by-kind")
    assert asked.returncode == 0, asked.stderr
    found = run(installed, tmp_path, "sql", "SELECT min(round) FROM rounds", "--format", "json")
    ((_, name),) = json.loads(found.stdout)[0].items()
    page = run(installed, tmp_path, "show", name, "--html", "round.html")
    assert page.returncode == 0, page.stderr
    assert (tmp_path / "round.html").stat().st_size > 10_000
    covered = run(installed, tmp_path, "rulebooks", "--coverage", "2026-03-10..2026-03-10")
    assert covered.returncode == 0, covered.stderr
    assert run(installed, tmp_path, "evidence", name, "-o", "round.zip").returncode == 0
    assert run(installed, tmp_path, "evidence", "--verify", "round.zip").returncode == 0


def test_the_broker_finds_its_pom(installed: Path, tmp_path: Path) -> None:
    code = "from pipelines.broker.jars import POM, _cache; print(POM.is_file(), _cache(POM))"
    done = subprocess.run(
        [str(installed / "bin" / "python"), "-c", code],
        cwd=tmp_path,
        env=os.environ | {"XDG_CACHE_HOME": "/caches"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True /caches/evenhand/kafka\n"


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ("v1.4.0-0-g1a2b3c4", "1.4.0"),
        ("v1.4.0-3-g1a2b3c4", "1.4.0.post3+g1a2b3c4"),
        ("1.4.0", "1.4.0"),
        ("nightly-3-g1a2b3c4", FALLBACK),
        ("", FALLBACK),
    ],
)
def test_the_version_is_the_tags(described: str, expected: str) -> None:
    assert of_tag(described) == expected


def test_without_git_there_is_a_version_all_the_same(tmp_path: Path) -> None:
    assert version(tmp_path) == FALLBACK
