"""The report's files, written into the run's folder."""

from __future__ import annotations

from pipelines.night.context import Night
from pipelines.warehouse.changes import Changes


def make_report(night: Night, changes: Changes) -> None:
    """Page, table and summary."""
    night.folder.report("html").write_text("<!doctype html>", "utf-8")
