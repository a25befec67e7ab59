"""The two drivers of the fold agree: typed events and Arrow columns give the same answers."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta

from checks.audit import audit
from events.archive.columns import in_order, records_to_table
from events.archive.evidence import StoredMessage
from events.codec import current_schema, decode_body, encode_body, hash_body
from events.model import EVENT_TYPES, Envelope
from replay.columns import rounds_of
from replay.fold import HANDED
from replay.rounds import facts_of
from tests.golden import load_all
from tests.replay.made_up import wild_round

NOON = datetime(2026, 11, 15, 4, tzinfo=UTC)


def sent(rounds: list[list[Envelope]]) -> list[Envelope]:
    """Hand-written rounds as one table would have sent them, one after the other."""
    out: list[Envelope] = []
    for number, events in enumerate(rounds):
        for event in events:
            at = NOON + timedelta(seconds=len(out))
            # each round has a shoe of its own, so that the first one's shuffle is not the last's
            name = None if event.round is None else f"R{number:04d}"
            out.append(
                replace(
                    event,
                    table="T1",
                    seq=len(out) + 1,
                    at=at,
                    device="console",
                    prev=bytes(32),
                    round=name,
                )
            )
    return out


def both_ways(events: list[Envelope]) -> tuple[list[str], list[str]]:
    bodies = [encode_body(event) for event in events]
    records = [decode_body(body, current_schema()) for body in bodies]
    messages = [StoredMessage("test", 0, n, None, body) for n, body in enumerate(bodies)]
    hashes = [hash_body(body) for body in bodies]
    table = in_order(records_to_table(date(2026, 11, 15), records, hashes, messages))
    typed = [repr(audit(round_).to_json()) for round_ in facts_of(events)]
    columns = [repr(audit(round_).to_json()) for round_ in rounds_of(table)]
    return typed, columns


def test_golden_rounds_through_both_drivers() -> None:
    rounds = [golden.events for golden in load_all() if golden.events[0].round is not None]
    typed, columns = both_ways(sent(rounds))
    assert len(typed) > 1000
    assert typed == columns


def test_wild_rounds_through_both_drivers() -> None:
    books = ["pontoon-plus-rws-v5", "blackjack-rws-v5", "three-card-poker-rws-v3"]
    rounds = [wild_round(books[seed % 3], seed, closed=seed % 2 == 0) for seed in range(300)]
    typed, columns = both_ways(sent(rounds))
    assert typed == columns


def test_a_shoe_that_was_not_shuffled_is_known_to_both() -> None:
    golden = next(g for g in load_all() if g.events[0].round is None and g.status == "void")
    typed, columns = both_ways(sent([golden.events]))
    assert typed == columns
    assert "'status': 'void'" in columns[0]


NOTHING_ON_THE_TABLE = frozenset({"BetRefused"})
"""Events of a round from which the fold takes nothing."""
NOT_OF_PLAY = {
    "RulingMade": frozenset({"detail", "player"}),
}
"""Fields that no rule looks at."""


def test_the_fold_takes_every_event_of_a_round_with_every_field() -> None:
    between = {"TableOpened", "TableClosed", "ShoeStarted", "ShoeEnded", "HeadSigned"}
    taken = set(HANDED)
    assert set(EVENT_TYPES) - taken == (between & set(EVENT_TYPES)) | NOTHING_ON_THE_TABLE
    for kind, (_, names) in HANDED.items():
        declared = {field.name for field in fields(EVENT_TYPES[kind])}
        left = declared - set(names) - NOT_OF_PLAY.get(kind, frozenset())
        assert left == set(), f"{kind}: the fold passes over {left}"
