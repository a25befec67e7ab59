"""The signatures of archived days held against the keys of the registry, for `evenhand verify`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from checks.around import Surroundings, ends_of
from checks.in_day import CONTEXT_COLUMNS
from checks.record.columns import check_record
from events.archive.reader import Archive
from events.registry import TableRegistry
from replay.answer import Finding

_KINDS = frozenset({"unsigned", "wrong_signature"})


def signature_findings(
    archive: Archive, days: Iterable[date], registry: TableRegistry | None
) -> Iterator[tuple[date, Finding]]:
    """What the night says of these days' signatures; nothing without a registry that has keys."""
    signing = set() if registry is None else {n for n, t in registry.tables.items() if t.keys}
    for day in days if signing else ():
        surroundings = Surroundings(archive, day, registry=registry)
        for table in archive.tables_of(day):
            if table not in signing:
                continue
            events = archive.read_tables(day, [table], CONTEXT_COLUMNS)
            around = surroundings.of(table, ends_of(events))
            if around.signatures.keys.keys:
                found = check_record(day, events, around).findings
                yield from ((day, finding) for finding in found if finding.kind in _KINDS)
