"""`evenhand golden` on YAML that was made to hurt it: exit 2 and a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.confined import confined, one_sentence

_HEAD = "rulebook: pontoon-plus-rws-v5\nrounds:\n"


def _laughs() -> str:
    """Nine words that stand for nine words each, and so on: 9^11 words in half a kilobyte."""
    lines = ["   - &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"   - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return _HEAD + " - name: laughs\n   play:\n" + "\n".join(lines) + "\n"


FILES = {
    "deep": (_HEAD + " - " + "[" * 100_000, "at most 32 levels"),
    "deep and whole": (_HEAD + " - " + "[" * 500 + "]" * 500, "at most 32 levels"),
    "deep by lines": (_HEAD + " - " + "- " * 50_000 + "x", "at most 32 levels"),
    "aliases of aliases": (_laughs(), "expected the words themselves, found an alias"),
    "a list in itself": (_HEAD + " - &r [*r]\n", "found an alias"),
}


@pytest.mark.parametrize("name", FILES)
def test_golden_rounds_that_are_made_to_hurt(name: str, tmp_path: Path) -> None:
    content, says = FILES[name]
    (tmp_path / "hostile.yaml").write_text(content)
    done = confined(tmp_path, "golden", "hostile.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in one_sentence(done)
