"""Making the evidence of one round."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.settings import Settings
from pipelines.evidence.collect import Chain, Tell, collect_chain
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
    sealed: bool = False,
    now: datetime | None = None,
    tell: Tell = lambda done: None,
) -> Made:
    """The evidence of a round in the archive."""
    with Archive(settings.home / "archive") as archive:
        located = in_archive(archive, round_id)
        shoe_seq = _shoe_seq(archive, located)
        known = load_checkpoints(settings.checkpoints_file)
        chain = collect_chain(archive, located, known, shoe_seq, sealed=sealed, tell=tell)
    at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    material = _material(settings, located, chain, shoe_seq, turned, at, sealed=sealed)
    return Made(material, pack(all_members(material)))


def _material(
    settings: Settings,
    located: Located,
    chain: Chain,
    shoe_seq: int | None,
    turned: frozenset[str],
    at: str,
    *,
    sealed: bool,
) -> Material:
    last = max(e.seq or 0 for e in located.events)
    following = located.next_round
    return Material(
        round=located.round,
        table=located.table or "",
        messages=located.messages,
        beside=chain.beside,
        chain=chain.lines,
        checkpoints=chain.checkpoints,
        begins=chain.begins,
        ends=chain.ends,
        sealed=sealed,
        shoe_seq=shoe_seq,
        next_round=following if following is not None and following[1] < last else None,
        turned=turned,
        zone=str(settings.timezone),
        made_at=at,
        also_known=tuple(finding.to_json() for finding in located.problems),
        software=software_fingerprint(),
        version=software_version(),
    )


def _shoe_seq(archive: Archive, located: Located) -> int | None:
    """The event with which the round's shoe began, on its day."""
    from events.model import RoundOpened

    shoe = next((e.event.shoe for e in located.events if isinstance(e.event, RoundOpened)), None)
    if located.day is None or located.table is None or shoe is None:
        return None
    columns = archive.read_tables(located.day, [located.table], COLUMNS)
    rows = columns.select(["seq", "type", "shoe", "shuffled"]).to_pylist()
    start = shoe_start(rows, shoe, min(e.seq or 0 for e in located.events))
    return None if start is None else int(start["seq"])
