"""The signatures of archived days held against the keys of the registry, for `evenhand verify`; and
of two tails of a chain, which one counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from checks.around import Surroundings, ends_of
from checks.in_day import CONTEXT_COLUMNS
from checks.record.columns import check_record
from events.archive.reader import Archive
from events.trust.heads import GatewayKeys
from replay.answer import Finding

_KINDS = frozenset({"unsigned", "wrong_signature"})


class HeldTable(NamedTuple):
    """A table-day: what is wrong with its signatures, and of two tails which counts."""

    day: date
    table: str
    findings: list[Finding]
    tails: tuple[str, ...]


def held_tables(
    archive: Archive, days: Iterable[date], keys: GatewayKeys, doubled: Collection[str] = ()
) -> Iterator[HeldTable]:
    """What the night says of these days' signatures; nothing of tables without keys.

    doubled: tables of which some events came twice; those are looked at in any case.
    """
    registry = keys.registry
    signing = {name for name, table in registry.tables.items() if table.keys}
    wanted = signing | set(doubled)
    for day in days if wanted else ():
        around_day = Surroundings(archive, day, (), keys.gaming_day, registry=registry)
        for table in archive.tables_of(day):
            if table not in wanted:
                continue
            events = archive.read_tables(day, [table], CONTEXT_COLUMNS)
            around = around_day.of(table, ends_of(events))
            if around.signatures.keys.keys or table in doubled:
                seen = check_record(day, events, around)
                found = [f for f in seen.findings if f.kind in _KINDS]
                yield HeldTable(day, table, found, seen.tails)
