"""Which engine a text names."""

from __future__ import annotations

from pipelines.engines.base import LOCAL, Engine


def engine_of(text: str) -> Engine:
    """The engine of the setting, which has checked the text."""
    if text == LOCAL:
        from pipelines.engines.local import LocalEngine

        return LocalEngine()
    from pipelines.engines.spark import SparkEngine

    return SparkEngine(text)
