"""A period of gaming days as it is given on a command line."""

from __future__ import annotations

from datetime import date, timedelta

import click

_LONGEST = 3700


def parse_period(first: str, last: str) -> list[date]:
    """`--from D --to D`, both included; the wrong way round or endless is refused."""
    from events.days import parse_day

    begin, end = parse_day(first), parse_day(last)
    if end < begin:
        raise click.UsageError(f"--from {first} is after --to {last}: turn them round")
    if (end - begin).days > _LONGEST:
        raise click.UsageError(f"--from {first} --to {last}: more than ten years at once")
    return [begin + timedelta(days=n) for n in range((end - begin).days + 1)]
