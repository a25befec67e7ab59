"""Files that are no code and that a command needs: beside the code in an installed wheel, at their
own place in a checkout."""

from __future__ import annotations

from pathlib import Path

_CHECKOUT = Path(__file__).parents[2]


def shipped(beside: str, in_checkout: str) -> Path:
    """Where a file or folder lies: `beside` in the wheel (pyproject's force-include puts it
    there), else where developers edit it."""
    installed = _CHECKOUT / beside
    return installed if installed.exists() else _CHECKOUT / in_checkout
