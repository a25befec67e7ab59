"""A stream of typed events as rounds, in the order in which they opened."""

from __future__ import annotations

from collections.abc import Iterable

from events.model import Envelope, RoundOpened, ShoeStarted
from replay.facts import Round
from replay.fold import fold_round


def group(envelopes: Iterable[Envelope]) -> list[tuple[str, list[Envelope], bool | None]]:
    """Round id, its events in order, and whether its shoe was shuffled (where that is known)."""
    rounds: dict[str, list[Envelope]] = {}
    shoes: dict[tuple[str | None, str], bool] = {}
    shuffled: dict[str, bool | None] = {}
    opened: list[str] = []
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, ShoeStarted):
            shoes[envelope.table, event.shoe] = event.shuffled
        if envelope.round is None or isinstance(event, ShoeStarted):
            continue
        rounds.setdefault(envelope.round, []).append(envelope)
        if isinstance(event, RoundOpened) and envelope.round not in shuffled:
            opened.append(envelope.round)
            shuffled[envelope.round] = shoes.get((envelope.table, event.shoe))
    never_opened = [round_id for round_id in rounds if round_id not in shuffled]
    return [(r, rounds[r], shuffled.get(r)) for r in (*opened, *never_opened)]


def facts_of(envelopes: Iterable[Envelope]) -> list[Round]:
    """The facts of every round in a stream."""
    return [
        fold_round(events, round_id=round_id, shuffled=shuffled)
        for round_id, events, shuffled in group(envelopes)
    ]
