"""What lies in quarantine judged again: a wider bound or a newer schema may read it now."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from itertools import groupby

from events.archive.ingest import Completed
from events.archive.quarantine import Quarantined
from events.archive.writer import ArchiveWriter
from events.log.base import Message

MOST = 500
"""Messages judged at a time; noise of megabytes may be among them."""


@dataclass(slots=True)
class Retried:
    """What came of it."""

    judged: int = 0
    released: int = 0
    days: set[date] = field(default_factory=set)


def judge_again(archive: ArchiveWriter, completed: Completed = lambda _: None) -> Retried:
    """Put into the archive what is an event by now; the rest stays, with its reason.

    Each message is an event or in quarantine at any moment, whoever dies in between.
    """
    done, after = Retried(), 0
    while found := archive.judged_again(after, MOST):
        after = found[-1][0]
        done.judged += len(found)
        for source, some in groupby((q for _, q in found), key=lambda q: q.source):
            batch = archive.intake(source).take_again(map(_message, some))
            if batch.released:
                archive.commit(batch)
                done.released += len(batch.released)
                done.days |= batch.days.keys()
    archive.flush()
    for day in archive.complete_days(following=False):
        completed(day)
    return done


def _message(q: Quarantined) -> Message:
    return Message(q.partition, q.offset, q.key, q.raw, arrived_us=q.arrived)
