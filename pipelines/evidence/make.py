"""Making the evidence of one round."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.model import RoundClosed, RoundOpened
from events.settings import Settings
from pipelines.evidence.collect import Collected, Shoe, collect
from pipelines.evidence.derive import all_members, software_fingerprint, software_version
from pipelines.evidence.material import Material
from pipelines.evidence.seal import pack
from pipelines.investigate.locate import Located, in_archive
from pipelines.investigate.neighbours import COLUMNS, shoe_start


@dataclass(frozen=True, slots=True)
class Made:
    """A piece of evidence, packed, and what is in it."""

    material: Material
    content: bytes


def make(
    settings: Settings,
    round_id: str,
    turned: frozenset[str],
    *,
    kept: Path | None = None,
    now: datetime | None = None,
) -> Made:
    """The evidence of a round in the archive. `kept`: use only checkpoints that this copy has."""
    with Archive(settings.home / "archive") as archive:
        located = in_archive(archive, round_id)
        tables = {located.table or ""}
        if kept is None:
            known = load_checkpoints(settings.checkpoints_file, tables=tables)
        else:
            known = load_checkpoints(kept, kept=True, tables=tables)
        shoe = _shoe(archive, located)
        found = collect(archive, located, known, shoe)
    at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    material = _material(settings, located, found, shoe, turned, at)
    return Made(material, pack(all_members(material)))


def _material(
    settings: Settings,
    located: Located,
    found: Collected,
    shoe: Shoe | None,
    turned: frozenset[str],
    at: str,
) -> Material:
    return Material(
        round=located.round,
        table=located.table or "",
        messages=located.messages,
        beside=found.beside,
        chain=found.chain,
        checkpoints=found.checkpoints,
        unsealed=found.unsealed,
        shoe_seq=None if shoe is None else shoe.seq,
        next_round=_next_round(located),
        turned=turned,
        zone=str(settings.timezone),
        made_at=at,
        also_known=tuple(finding.to_json() for finding in located.problems),
        software=software_fingerprint(),
        version=software_version(),
    )


def _next_round(located: Located) -> tuple[str, int] | None:
    """What began before this round's last event; named only where a finding will name it."""
    if located.next_round is None:
        return None
    name, began = located.next_round
    if began > max(e.seq or 0 for e in located.events):
        return None
    closed = next((e.seq or 0 for e in located.events if isinstance(e.event, RoundClosed)), 0)
    return (name if closed > began else ""), began


def _shoe(archive: Archive, located: Located) -> Shoe | None:
    """The event with which the round's shoe began, on its day."""
    opened = (e.event for e in located.events if isinstance(e.event, RoundOpened))
    name = next((event.shoe for event in opened), None)
    if located.day is None or located.table is None or name is None:
        return None
    columns = archive.read_tables(located.day, [located.table], COLUMNS)
    rows = columns.select(["seq", "type", "shoe", "hash"]).to_pylist()
    start = shoe_start(rows, name, min(e.seq or 0 for e in located.events))
    return None if start is None else Shoe(int(start["seq"]), start["hash"])
