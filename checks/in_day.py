"""The contexts of the rounds of a table's day in the archive, for the night and whoever looks at
one of its rounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pyarrow as pa

from checks.around import NOTHING, Around
from checks.context import ALONE, RoundContext, ShoeStart
from checks.late import first_openings, following
from checks.record.clock import openings_by_arrival
from checks.record.columns import check_record
from checks.rows import openings
from checks.shoes.columns import check_shoes
from checks.shoes.start import starts_in
from checks.shoes.walk import shoe_finding
from replay.answer import Finding
from replay.facts import Round

CONTEXT_COLUMNS = tuple(
    "table_id seq round type seen_at arrived_at wrong_clock prev hash source partition offset shoe "
    "shuffled decks rulebook draw card cards_left kind key signature".split()
)
"""What of a table's day the contexts of its rounds are made from."""

ByRound = dict[str | None, list[Finding]]


class DayContexts:
    """A table's day looked at once: which of its events count, and the context of each round.

    events: those that count, each number once.
    left_out: the rounds of those that do not.
    """

    def __init__(self, day: date, events: pa.Table, around: Around = NOTHING) -> None:
        """`events`: the table's events of the day with CONTEXT_COLUMNS at least, by seq.

        around: checks.around.Surroundings(...).of(table, ends_of(events)). Without it the first
        event and a shoe that is in play are taken as they are, and nothing is known of checkpoints
        and quarantine.
        """
        record = check_record(day, events, around)
        self.left_out = record.left_out
        self.events = events = record.events
        self._day, self._around = day, around
        table = str(events["table_id"][0].as_py()) if len(events) else None
        shoes = (shoe_finding(table, p) for p in check_shoes(events, around.shoes))
        self._record, self._shoes = _by_round(record.findings), _by_round(shoes)
        self._opened = first_openings([*openings(events), *around.openings])
        self._next = following(self._opened)
        self._arrived = openings_by_arrival(events)
        self._starts: dict[str, list[ShoeStart]] | None = None

    def of(self, round_: Round) -> RoundContext:
        """The context of one of the day's rounds. Most have nothing in it."""
        name = round_.id
        after = self._next.get(name)
        if after is not None and (not round_.seqs or (round_.seqs[-1] or 0) <= after.seq):
            after = None
        shoe = self._start(round_) if round_.shuffled is None else None
        record, shoes = self._record.get(name, ()), self._shoes.get(name, ())
        opened_us = self._arrived.get(name)
        if after is None and shoe is None and not record and not shoes and opened_us is None:
            return ALONE
        return RoundContext(
            shoe=shoe,
            next_round=after,
            record=tuple(record),
            shoe_problems=tuple(shoes),
            opened_us=opened_us,
        )

    def keep_little(self) -> None:
        """Let go of what no further round needs: of the events, which round and hash they have."""
        self._starts_today()
        self.events = pa.table(
            {name: self.events[name].combine_chunks() for name in ("round", "hash")}
        )

    def besides(self, rounds: Iterable[Round]) -> list[Finding]:
        """What was found and belongs to none of the day's rounds."""
        known = {round_.id for round_ in rounds}
        found = [*self._record.items(), *self._shoes.items()]
        return [finding for name, some in found if name not in known for finding in some]

    def _start(self, round_: Round) -> ShoeStart | None:
        """The last start of the round's shoe before it opened: of the day, or of one before."""
        opened = self._opened.get(round_.id)
        if round_.shoe is None or opened is None:
            return None
        today = [s for s in self._starts_today().get(round_.shoe, ()) if (s.seq or 0) < opened]
        return today[-1] if today else self._around.starts.get(round_.shoe)

    def _starts_today(self) -> dict[str, list[ShoeStart]]:
        if self._starts is None:
            found: dict[str, list[ShoeStart]] = {}
            for name, start in starts_in(self._day, self.events):
                found.setdefault(name, []).append(start)
            self._starts = found
        return self._starts


def _by_round(findings: Iterable[Finding]) -> ByRound:
    out: ByRound = {}
    for finding in findings:
        out.setdefault(finding.round, []).append(finding)
    return out
