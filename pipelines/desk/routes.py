"""The rooms of the desk. A room is a module with `ROUTES`; a new one is added here."""

from __future__ import annotations

from importlib import import_module

from starlette.routing import BaseRoute

ROOMS = (
    "day",
    "findings",
    "rounds",
    "subjects",
    "ask",
    "rulebooks",
    "verify",
    "runs",
    "live",
    "decisions",
    "sign_in",
    "health",
)
"""Modules of pipelines.desk.rooms, in the order in which their addresses are tried."""


def routes() -> list[BaseRoute]:
    """Every address of every room."""
    found: list[BaseRoute] = []
    for name in ROOMS:
        found += import_module(f"pipelines.desk.rooms.{name}").ROUTES
    return found
