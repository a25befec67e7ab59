"""Making the evidence of one round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.handed import bounds
from events.house_log import HouseLog
from events.registry import TableRegistry, load_registry
from events.settings import Settings
from pipelines.evidence.collect import Collected, EvidenceError, collect
from pipelines.evidence.derive import all_members, software_fingerprint, software_version
from pipelines.evidence.inclusion import find_proof
from pipelines.evidence.log_proof import LogProof
from pipelines.evidence.material import Material
from pipelines.evidence.seal import pack
from pipelines.evidence.signing import gateway_word
from pipelines.investigate.locate import Located, in_archive
from pipelines.investigate.neighbours import premises_of


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
        located = in_archive(premises_of(settings, archive), round_id)
        if len(located.messages) > bounds.ROUND_MESSAGES:
            raise EvidenceError(
                f"round {round_id} has {len(located.messages):,} messages; evidence holds "
                f"{bounds.ROUND_MESSAGES:,} of a round at most"
            )
        tables = {located.table or ""}
        if kept is None:
            known = load_checkpoints(settings.checkpoints_file, tables=tables)
        else:
            known = load_checkpoints(kept, kept=True, tables=tables)
        found = collect(archive, located, known)
        registry = load_registry(settings.tables_file) or TableRegistry()
        named = registry.tables.get(located.table or "")
        keys = () if named is None else named.keys
        gateway = gateway_word(archive, located, keys, settings.gaming_day_start)
    log = find_proof(HouseLog(settings.home, settings.checkpoints_file), found.checkpoints)
    at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    material = replace(_material(settings, located, found, turned, at, log), gateway=gateway)
    return Made(material, pack(all_members(material)))


def _material(
    settings: Settings,
    located: Located,
    found: Collected,
    turned: frozenset[str],
    at: str,
    log: LogProof | None,
) -> Material:
    context = located.context
    return Material(
        round=located.round,
        table=located.table or "",
        messages=located.messages,
        beside=found.beside,
        chain=found.chain,
        checkpoints=found.checkpoints,
        unsealed=found.unsealed,
        shoe_seq=None if context.shoe is None else context.shoe.seq,
        next_round=context.next_round,
        turned=turned,
        zone=str(settings.timezone),
        made_at=at,
        also_known=context.beside,
        meter=context.meter,
        software=software_fingerprint(),
        version=software_version(),
        log=log,
    )
