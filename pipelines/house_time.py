"""An event's time on the house's clock."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo


def on_house_clock(at: datetime, zone: tzinfo) -> datetime:
    """A moment in the house's zone. A wrong clock may stand at the end of the calendar, where no
    zone reckons any further: that one stays UTC."""
    try:
        return at.astimezone(zone)
    except OverflowError:
        return at.astimezone(UTC)
