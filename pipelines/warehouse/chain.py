"""The chain of runs: for each publication a statement that the house signs, each holding the hash
of the one before (`runs.jsonl` in the home folder, one DSSE envelope a line, only ever added to).

A statement is of the in-toto kind. Its subjects are the catalogue and every file of the run, by
their SHA-256; its predicate says what went in and what made it. The folder of a run goes when its
time is over, its statement stays.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from events.runtime.digest import file_sha256
from events.runtime.lines import append_lines, last_lines, read_lines
from events.trust.errors import TrustError
from pipelines.warehouse.layout import RunFolder, Warehouse

if TYPE_CHECKING:
    from events.trust.dsse import SignedStatement
    from pipelines.warehouse.record import RunRecord

FILE_NAME = "runs.jsonl"
PREDICATE = "urn:evenhand:run:v1"
CATALOGUE = "audit.duckdb"
NOTHING = "0" * 64
UNLISTED = frozenset({"run.json", "state.json"})
"""Of a run's files: the record, which can't list itself and is a subject all the same, and what
still learns after the publication who was told."""
_TRIES, _WAIT_S = 5, 0.1


@dataclass(frozen=True, slots=True)
class RunLink:
    """One publication as its statement tells it. Without a run: the catalogue was built anew."""

    number: int
    before: str
    at: str
    run: str | None
    day: date | None
    withdraws: int | None  # the publication before, which never came into place
    subjects: Mapping[str, str]
    sha256: str  # of its own line
    statement: SignedStatement

    @property
    def catalogue(self) -> str:
        return self.subjects[CATALOGUE]

    @property
    def name(self) -> str:
        return f"publication {self.number}" + (f" (run {self.run})" if self.run else "")


def chain_file(home: Path) -> Path:
    return home / FILE_NAME


def link_of(line: bytes) -> RunLink:
    """What a line says, or a TrustError; nothing is verified yet."""
    from events.trust.dsse import IN_TOTO, parse_envelope

    envelope = parse_envelope(line)
    try:
        plain: Any = json.loads(envelope.payload)
        told = plain["predicate"]
        subjects = {str(s["name"]): str(s["digest"]["sha256"]) for s in plain["subject"]}
        if (envelope.kind, plain["predicateType"]) != (IN_TOTO, PREDICATE):
            raise TrustError("expected a statement about a run")
        return RunLink(
            number=int(told["number"]),
            before=str(told["before"]),
            at=str(told["at"]),
            run=told["run"],
            day=None if told["day"] is None else date.fromisoformat(told["day"]),
            withdraws=told["withdraws"],
            subjects={CATALOGUE: "", **subjects},
            sha256=hashlib.sha256(line).hexdigest(),
            statement=envelope,
        )
    except (ValueError, KeyError, TypeError):
        raise TrustError("expected a statement about a run") from None


def links(home: Path) -> Iterator[tuple[int, RunLink | None]]:
    """Every line by its number; None for one that is no statement."""
    for number, line in enumerate(read_lines(chain_file(home)), start=1):
        try:
            yield number, link_of(line)
        except TrustError:
            yield number, None


def last_links(home: Path, count: int = 1) -> list[RunLink]:
    """The last publications, those that can be read."""
    out = []
    for line in last_lines(chain_file(home), count):
        try:
            out.append(link_of(line))
        except TrustError:
            continue
    return out


def last_states(home: Path) -> list[RunLink]:
    """The last publications back to one of another catalogue: runs that were published together
    share theirs."""
    count = 2
    while True:
        found = last_links(home, count)
        if len(found) < count or len({link.catalogue for link in found}) > 1:
            return found
        count *= 8


def head_of_chain(home: Path) -> str:
    """The hash that the next statement holds."""
    found = last_lines(chain_file(home), 1)
    return hashlib.sha256(found[0]).hexdigest() if found else NOTHING


def files_of(folder: RunFolder, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The SHA-256 of every file of a run that its record lists. `known`: those that were taken
    when the file was written and need not be read again."""
    return {
        path.name: known.get(path.name) or file_sha256(path).hex()
        for path in sorted(folder.path.iterdir())
        if path.is_file() and path.name not in UNLISTED
    }


def add_link(
    warehouse: Warehouse,
    catalogue: Path,
    made: tuple[RunFolder, RunRecord] | None = None,
    withdraws: int | None = None,
) -> None:
    """With the lock of publishing held: sign what is about to be put in place. `catalogue`: where
    it lies now."""
    from events.trust.dsse import IN_TOTO, in_toto, sign_envelope
    from events.trust.house import house_signer

    home = warehouse.root.parent
    before = last_lines(chain_file(home), 1)
    number = len(read_lines(chain_file(home))) + 1
    predicate: dict[str, Any] = {
        "number": number,
        "before": hashlib.sha256(before[0]).hexdigest() if before else NOTHING,
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "run": None,
        "day": None,
        "withdraws": withdraws,
    }
    subjects = {CATALOGUE: file_sha256(catalogue).hex()}
    if made is not None:
        folder, record = made
        inside = f"{folder.path.parent.name}/{folder.path.name}/"
        subjects |= {inside + name: digest for name, digest in record.files.items()}
        subjects[inside + folder.record.name] = file_sha256(folder.record).hex()
        predicate |= _told(record)
    payload = in_toto(PREDICATE, subjects, predicate)
    append_lines(chain_file(home), [sign_envelope(IN_TOTO, payload, house_signer(home)).line()])


def _told(record: RunRecord) -> dict[str, Any]:
    """What went into a run and what made it."""
    return {
        "run": record.run,
        "day": record.day,
        "code_version": record.code_version,
        "rulebooks": record.rulebooks,
        "readings": record.settings.get("readings", {}),
        "revision": record.revision,
        "inputs": record.inputs,
    }


def withdraw_unfinished(warehouse: Warehouse) -> None:
    """With the lock held: say so where a process was killed after signing, before the rename."""
    found = last_states(warehouse.root.parent)
    if not found or not warehouse.catalogue.exists():
        return
    now = file_sha256(warehouse.catalogue).hex()
    if now != found[-1].catalogue and now in _before(found):
        add_link(warehouse, warehouse.catalogue, withdraws=found[-1].number)


def _beside(warehouse: Warehouse) -> str | None:
    """DuckDB reads what it has not yet put into a file along with it."""
    wal = warehouse.catalogue.with_name(warehouse.catalogue.name + ".wal")
    return f"{wal}: a change that nobody published lies there; remove it" if wal.exists() else None


def _before(found: list[RunLink]) -> Iterable[str]:
    return [link.catalogue for link in found[:-1]]


def catalogue_doubt(home: Path) -> str | None:
    """Why the catalogue in place is not the one that was published last; None where it is, and
    where nothing was ever signed. Costs one hash of the file."""
    warehouse = Warehouse((home / "warehouse").absolute())
    for last_try in [False] * (_TRIES - 1) + [True]:
        found = last_states(home)
        if not found or not warehouse.catalogue.exists():
            return None
        now, last = file_sha256(warehouse.catalogue).hex(), found[-1]
        if beside := _beside(warehouse):
            return beside
        if now == last.catalogue:
            return None
        if not last_try:  # a night that publishes just now has signed and will rename
            time.sleep(_WAIT_S)
    if now in _before(found):
        return (
            f"{warehouse.catalogue}: {last.name} of {last.at} did not come into place, the one "
            f"before it stands here; run evenhand nightly again"
        )
    return (
        f"{warehouse.catalogue}: it was changed after {last.name} of {last.at}: the house signed "
        f"the SHA-256 {last.catalogue[:16]}, found {now[:16]}; move it away and run evenhand "
        f"nightly again: it is built anew from the days' files"
    )
