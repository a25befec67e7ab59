"""What has to stand on top of a report: data that is missing, and days nobody audited."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from events.archive.reader import Archive
from pipelines.night.context import Night
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.chain import catalogue_doubt

_MISSING = ("sequence_gap", "truncated")
_SHOWN = 5


def warnings_of(night: Night, found: pa.Table) -> list[str]:
    """Sentences for a reader who reads nothing else."""
    pinned = night.state()["pinned"]
    out = _unreconciled(found)
    if (doubt := catalogue_doubt(night.settings.home)) is not None:
        out.append(f"What was published before is not as it was signed: {doubt}.")
    out += night.state().get("witnessed", {}).get("missing", [])
    if not pinned["known"]:
        out.append("The archive has nothing of this day: no table sent an event.")
    elif not pinned["complete"]:
        out.append(
            "The day was not complete when this ran: more events may come, and then it runs again."
        )
    out += pinned["notes"]
    out += _gaps(found)
    held = sum(pinned["quarantined"].values())
    if held:
        out.append(
            f"{held:,} {'message' if held == 1 else 'messages'} could not be read and lie in "
            f"quarantine."
        )
    if pinned["reopened"]:
        last = pinned["reopened"][-1]
        out.append(f"The day was reopened {len(pinned['reopened'])} times, last: {last['why']}.")
    return out + _around(night, set(pinned["tables"]))


def _unreconciled(found: pa.Table) -> list[str]:
    """First of all: rounds of which this audit itself does not come out."""
    kinds, rounds = found["kind"].to_pylist(), found["round"].to_pylist()
    odd = {str(r) for k, r in zip(kinds, rounds, strict=True) if k == "unreconciled"}
    if not odd:
        return []
    return [
        f"The audit does not come out for {_some(sorted(odd), 'round')}: their `unreconciled` "
        f"findings say why. Everything else was audited."
    ]


def _gaps(found: pa.Table) -> list[str]:
    kinds, tables = found["kind"].to_pylist(), found["table_id"].to_pylist()
    gaps = Counter(str(t) for k, t in zip(kinds, tables, strict=True) if k in _MISSING)
    if not gaps:
        return []
    return [f"Events are missing from the record of {_some(sorted(gaps), 'table')}."]


def _around(night: Night, here: set[str]) -> list[str]:
    """Tables that fell silent, and days of the archive that no run has looked at."""
    audited = {p.day for p in published(night.warehouse)} | {night.day}
    out = []
    with Archive(night.archive) as archive:
        days = archive.days(complete=True)
        earlier = [d for d in days if d < night.day]
        if earlier and here and (night.day - earlier[-1]).days == 1:
            silent = sorted(set(archive.tables_of(earlier[-1])) - here)
            if silent:
                out.append(
                    f"Nothing came from {_some(silent, 'table')} that played the day before."
                )
    left = [d.isoformat() for d in days if d not in audited]
    if left:
        out.append(
            f"No run has audited {_some(left, 'day')} of the archive yet: evenhand nightly --due"
        )
    return out


def _some(names: list[str], what: str) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    listed = ", ".join(names[:_SHOWN])
    return f"{len(names)} {what}{'' if len(names) == 1 else 's'} ({listed}{more})"
