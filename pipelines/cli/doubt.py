"""What a reader is told before he reads: that the catalogue is not the one that was published."""

from __future__ import annotations

from pathlib import Path

from pipelines.safe_text import say


def warn_of_catalogue(home: Path) -> None:
    """One sentence on stderr, where there is reason for it."""
    from pipelines.warehouse.chain import catalogue_doubt

    doubt = catalogue_doubt(home)
    if doubt is not None:
        say(f"evenhand: {doubt}", err=True)
