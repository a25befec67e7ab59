"""The log of a command that runs on as a service: words on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

    from events.settings import Settings


def service_log(settings: Settings, name: str) -> BoundLogger:
    """From now on this process tells its log on stderr."""
    from events.runtime import logs

    chosen = settings.log_form
    text = chosen == "text" or (chosen == "auto" and sys.stderr.isatty())
    form: logs.Form = "text" if text else "json"
    people = chosen == "auto" and text and settings.log_level == "info"
    level = "warning" if people else settings.log_level  # who sits there sees what it does
    logs.tell(logs.Telling(name, form, level, settings.log_house or None))
    return logs.logger(name)


def night_log(settings: Settings) -> None:
    """A night tells its log on stderr where the settings ask for it; in its run's log always."""
    if settings.log_form != "auto":
        service_log(settings, "night")
