"""A view of the catalogue that people read: what it is for, its columns told, its query."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditView:
    """A view: what it is for, its columns and its query."""

    about: str
    columns: dict[str, str]
    sql: str
