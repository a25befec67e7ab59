"""The compiled rules answer as the sources do, and a build that is not of these sources never does.

One wheel is built with the switch on, from a copy of the repository, and every test runs what it
holds, in processes of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from events.runtime.compiled import LIBRARY, SUFFIX, folder_of
from infra.compiled import lacking, module_of, sources
from pipelines.engines.code import pack_code
from tests.command import COMMAND, ROOT

pytestmark = pytest.mark.timeout(1800)  # gcc's minutes on a busy machine are no hang

COPIED = (*"events replay checks pipelines infra docs".split(), "tests/replay/golden")
ROUNDS = """\
from replay.fingerprint import fingerprint
from replay.registry import IDS
import events.runtime.compiled, replay.engine
print(events.runtime.compiled.in_use(), replay.engine.__file__.endswith(".py"))
print([fingerprint(name) for name in IDS])
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel with compiled rules installs, and the benches beside it."""
    missing = lacking() or (None if shutil.which("uv") else "needs uv to build the wheel")
    if missing is not None:
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("compiled")
    copy = folder / "copy"
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("_compiled"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy / name)
    done = subprocess.run(
        ["uv", "build", "--wheel", "--out-dir", str(folder)],
        cwd=copy,
        env=_environment(REPLAY_COMPILED="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (wheel,) = folder.glob("*.whl")
    assert not wheel.name.endswith("-none-any.whl"), "it is one for this system and Python"
    assert not folder_of(copy).exists(), "a wheel's build leaves nothing in the sources"
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder / "installed")
    shutil.copytree(ROOT / "bench", folder / "installed" / "bench")
    golden = folder / "installed" / "tests" / "replay" / "golden"
    shutil.copytree(ROOT / "tests" / "replay" / "golden", golden)
    return folder / "installed"


@pytest.fixture
def own(built: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    place = tmp_path / "own"
    for name in ("events", "replay", "checks", "pipelines"):
        shutil.copytree(built / name, place / name)
    return place


def _environment(**more: str) -> dict[str, str]:
    left_out = ("EVENHAND_", "PYTHON", "REPLAY_COMPILED")
    return {k: v for k, v in os.environ.items() if not k.startswith(left_out)} | more


def python(place: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=place,
        env=_environment(**env),
        capture_output=True,
        text=True,
        check=False,
    )


def both(place: Path, *words: str) -> tuple[str, str]:
    """What the compiled rules print, and what the sources do."""
    out = []
    for switch in ("1", "0"):
        done = python(place, *words, REPLAY_COMPILED=switch)
        assert done.returncode == 0, done.stderr
        out.append(done.stdout)
    return out[0], out[1]


def test_all_golden_rounds_and_simulated_ones_have_the_same_answers(
    built: Path, tmp_path: Path
) -> None:
    """Every answer, explanation, turned reading and row, byte for byte (bench/answers.py)."""
    events = tmp_path / "events.jsonl"
    words = "simulate --tables 20 --rounds 30 --faults 0.3 --irregularities 0.3 --seed 20".split()
    done = python(built, "-c", COMMAND, *words, "--day=2026-11-15", f"--jsonl={events}")
    assert done.returncode == 0, done.stderr
    compiled, pure = both(built, "-m", "bench.answers", "--events", str(events))
    assert compiled == pure
    counts = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) answers", compiled)]
    assert counts[0] > 2_500
    assert counts[1] > 2_000


def test_the_fingerprints_are_those_of_the_sources(built: Path) -> None:
    compiled, pure = (text.splitlines() for text in both(built, "-c", ROUNDS))
    assert (compiled[0], pure[0]) == ("True False", "False True")
    assert compiled[1] == pure[1]
    assert "None" not in pure[1]


def test_everything_that_settles_is_compiled_but_data() -> None:
    names = set(sources(ROOT))
    assert {"replay/fold.py", "replay/twentyone/settler.py", "checks/audit.py"} <= names
    assert not {n for n in names if n.endswith(("clauses.py", "__init__.py"))}
    assert all((ROOT / name).is_file() for name in names)


def refused(place: Path, *says: str, **env: str) -> None:
    """One sentence that says what is wrong and what to do; nothing is answered."""
    done = python(place, "-c", COMMAND, "rulebooks", "--json", **env)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    for word in (*says, "infra/compiled.py", "REPLAY_COMPILED=0"):
        assert word in done.stderr


def test_a_stale_build_never_answers(own: Path) -> None:
    """One source of many is other than the one that was compiled, and be it by a comment."""
    assert python(own, "-c", COMMAND, "rulebooks").returncode == 0
    source = own / "replay" / "twentyone" / "pay.py"
    before = source.read_bytes()
    source.write_bytes(before + b"# one word more\n")
    refused(own, "replay/twentyone/pay.py")
    refused(own, "replay/twentyone/pay.py", REPLAY_COMPILED="1")
    alone = python(own, "-c", "import checks.audit")
    assert "CompiledError" in alone.stderr, "whichever of its modules is imported first"
    assert python(own, "-c", COMMAND, "rulebooks", REPLAY_COMPILED="0").returncode == 0
    source.write_bytes(before.replace(b"\n", b"\r\n"))
    assert python(own, "-c", COMMAND, "rulebooks").returncode == 0, "line ends are git's"
    source.unlink()
    refused(own, "pay.py is gone")


def test_a_build_that_is_not_whole_never_answers(own: Path) -> None:
    folder = folder_of(own)
    module = folder / f"{module_of('replay/fold.py')}{SUFFIX}"
    kept = module.rename(own / "kept")
    refused(own, "lacks replay.fold")
    kept.rename(module)
    library = folder / f"{LIBRARY}{SUFFIX}"
    kept = library.rename(own / "kept")
    refused(own, LIBRARY, "another Python")
    library.write_bytes(b"no library")
    refused(own, "damaged")
    kept.rename(library)
    assert python(own, "-c", COMMAND, "rulebooks").returncode == 0


def test_without_a_build_the_sources_answer(own: Path) -> None:
    shutil.rmtree(folder_of(own))
    assert python(own, "-c", COMMAND, "rulebooks").returncode == 0
    refused(own, "there is no compiled build", REPLAY_COMPILED="1")
    done = python(own, "-c", COMMAND, "rulebooks", REPLAY_COMPILED="yes")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'yes', expected 0 or 1" in done.stderr


def test_data_may_change_without_a_build(own: Path) -> None:
    """Clauses are not compiled: a changed gist is told, and changes the fingerprint."""
    before = python(own, "-c", ROUNDS).stdout
    clauses = own / "replay" / "rulebooks" / "pontoon_mbs_v5" / "clauses.py"
    clauses.write_bytes(clauses.read_bytes() + b"# one word more\n")
    after = python(own, "-c", ROUNDS).stdout
    assert after.startswith("True")
    assert before != after


def test_executors_get_sources_alone(built: Path, tmp_path: Path) -> None:
    """The code travels as a zip, out of which no extension can be read."""
    target = tmp_path / "code.zip"
    done = python(
        built,
        "-c",
        f"from pathlib import Path; from {pack_code.__module__} import pack_code; "
        f"pack_code(Path({str(target)!r}))",
    )
    assert done.returncode == 0, done.stderr
    names = zipfile.ZipFile(target).namelist()
    assert "replay/fold.py" in names
    assert not [name for name in names if name.endswith(SUFFIX)]
