"""What follows from the given part: schema, rulebook, answer, findings, page and README."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources
from typing import Any
from zoneinfo import ZoneInfo

from checks.context import RoundContext, ShoeStart
from events.codec import decode, schema_of, schemas
from events.model import RoundOpened, ShoeStarted
from pipelines.evidence.material import Material, given_members, read_event, spans, to_json
from pipelines.evidence.readme import readme
from pipelines.investigate.case import Investigation, investigate
from pipelines.investigate.locate import Located
from pipelines.investigate.page.html import page

SUMS = "SHA256SUMS"


def case_of(m: Material) -> Investigation:
    """The round replayed from the bytes that are in the evidence, and nothing else."""
    events = tuple(decode(message.value) for message in m.messages)
    located = Located(
        round=m.round,
        events=events,
        where=_where(m),
        table=m.table,
        messages=m.messages,
        context=RoundContext(
            shoe=_shoe(m),
            next_round=m.next_round,
            record=m.also_known,
            meter=m.meter,
            opened_us=_opened_us(m),
        ),
    )
    return investigate(located, m.turned)


def _where(m: Material) -> str:
    """What the page says it was found in."""
    left = m.open_events()
    if left:
        return f"evidence in which no checkpoint vouches for {spans(left)}"
    return "evidence that a checkpoint sealed"


def _opened_us(m: Material) -> int | None:
    """When the round opened, where that is its arrival: by the maker's word."""
    for message in m.messages:
        if isinstance(decode(message.value).event, RoundOpened):
            return message.arrived if message.wrong_clock else None
    return None


def _shoe(m: Material) -> ShoeStart | None:
    for message in m.beside:
        envelope = read_event(message.value)
        if envelope is None or envelope.seq != m.shoe_seq:
            continue
        if isinstance(envelope.event, ShoeStarted):
            return ShoeStart(envelope.event.shuffled, envelope.seq)
    return None


def all_members(m: Material) -> dict[str, bytes]:
    """Every member of the zip, the list of checksums last."""
    case = case_of(m)
    out = {"README.txt": readme(m, case).encode(), **given_members(m)}
    signed = () if m.gateway is None else m.gateway.messages
    for version in sorted({schema_of(message.value).version for message in (*m.messages, *signed)}):
        out[f"schema.v{version}.avsc"] = schemas()[version].source.encode()
    out["rulebook.json"] = to_json(_rulebook(case))
    out["answer.json"] = to_json(case.to_json())
    also_known = (*m.also_known, *(() if m.meter is None else m.meter.findings))
    out["findings.json"] = to_json(
        {
            "findings": [finding.to_json() for finding in case.answer.findings],
            "also_known": [finding.to_json() for finding in also_known],
        }
    )
    out["round.html"] = page(case, ZoneInfo(m.zone)).encode()
    out[SUMS] = sums(out)
    return out


def sums(members: dict[str, bytes]) -> bytes:
    """A checksum per member, in the form that sha256sum -c reads."""
    lines = (
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in members.items()
        if name != SUMS
    )
    return "".join(lines).encode()


def _rulebook(case: Investigation) -> dict[str, Any]:
    """Which rules made the answer, and the clauses that they applied."""
    book = case.book
    if book is None:
        return {"id": case.answer.rulebook, "fingerprint": None, "clauses": []}
    applied = {number for line in case.answer.lines for number in line.clauses}
    applied |= {number for finding in case.answer.findings for number in finding.clauses}
    applied |= {
        number
        for steps in (case.answer.traces or {}).values()
        for step in steps
        for number in step["clauses"]
    }
    begins = book.in_force_from
    return {
        "id": book.id,
        "title": book.title,
        "version": book.version,
        "in_force_from": None if begins is None else f"{begins:%Y-%m-%dT%H:%M:%SZ}",
        "fingerprint": case.fingerprint,
        "clauses": [
            {"number": clause.number, "gist": clause.gist, "held": clause.held}
            for clause in book.clauses
            if clause.number in applied
        ],
    }


_CODE = ("events", "replay", "checks", "pipelines.investigate", "pipelines.evidence")
_SUFFIXES = (".py", ".css", ".js", ".avsc")


@cache
def software_fingerprint() -> str:
    """A hash over the code that an answer and a page are made by."""
    digest = hashlib.sha256()
    for package in _CODE:
        for name, content in sorted(_files(resources.files(package), package)):
            digest.update(f"{name}\n".encode() + content.replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _files(folder: Any, prefix: str) -> list[tuple[str, bytes]]:
    out: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                out += _files(entry, f"{prefix}/{entry.name}")
        elif entry.name.endswith(_SUFFIXES):
            out.append((f"{prefix}/{entry.name}", entry.read_bytes()))
    return out


def software_version() -> str:
    return metadata.version("evenhand")
