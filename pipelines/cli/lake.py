"""`evenhand lake`: the published files of days named in an Iceberg catalogue."""

from __future__ import annotations

import click

from pipelines.safe_text import say


@click.command(name="lake")
@click.argument("catalogue")
@click.argument("warehouse")
@click.option("--day", metavar="DAY", help="Only this gaming day; else every published one.")
def command(catalogue: str, warehouse: str, day: str | None) -> None:
    """Name the published files of days in an Iceberg catalogue, so that a lakehouse reads them.

    CATALOGUE is its address (sqlite:///..., postgresql://..., http://... or thrift://...),
    WAREHOUSE where Iceberg keeps its own metadata. No row is copied; with the setting object_store
    the files are put there, and named there. A day that is there already
    adds nothing; one that was published again takes the place of its former files. Needs the extra
    evenhand[lake].
    """
    from events.days import parse_day
    from events.objects import ObjectStore
    from events.settings import load_settings
    from pipelines.lake.register import NAMESPACE, register

    wanted, settings = None if day is None else parse_day(day), load_settings()
    store = ObjectStore(settings.object_store) if settings.object_store else None
    for one in register(settings.home, catalogue, warehouse, wanted, store):
        new = {name: n for name, n in one.files.items() if n}
        told = ", ".join(f"{NAMESPACE}.{name} {n:,}" for name, n in new.items())
        say(f"{one.day}: {f'files registered: {told}' if new else 'is there already'}")
