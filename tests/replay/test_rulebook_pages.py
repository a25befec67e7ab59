"""docs/rulebooks/ says what the rulebooks say now."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.rulebook_pages import pages

DOCS = Path(__file__).parents[2] / "docs" / "rulebooks"


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_is_current(name: str) -> None:
    found = (DOCS / name).read_text("utf-8")
    assert found == pages()[name], "run: uv run python -m pipelines.rulebook_pages"


def test_no_page_is_left_over() -> None:
    assert {path.name for path in DOCS.iterdir()} == set(pages())
