"""The walk along the doubtful stretches of a record says what the walk along all of it says.

The oracle is the whole walk, whose own sentences tests/checks/test_record.py and test_signed.py
hold; here records are damaged by chance, at several places at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from checks.around import Around
from checks.record.columns import check_record
from checks.record.doubts import walk_all, walk_doubts
from events.archive.quarantine import Quarantined
from events.chain import QuarantinedLink
from events.codec import body_of, decode, hash_body
from tests.checks.kit import DAY, columns
from tests.checks.test_signed import KEY, STRANGER, Signed, keys

Damage = Callable[[Random, list[bytes], list[Quarantined]], None]


def _lost(rng: Random, sent: list[bytes], bad: list[Quarantined]) -> None:
    at = rng.randrange(len(sent) - 1)
    del sent[at : at + rng.choice((1, 1, 3))]


def _twice(rng: Random, sent: list[bytes], bad: list[Quarantined]) -> None:
    at, more = rng.randrange(len(sent)), rng.choice((1, 1, 4))
    later = at + rng.choice((1, 1, 30))
    sent[later:later] = sent[at : at + more]


def _swapped(rng: Random, sent: list[bytes], bad: list[Quarantined]) -> None:
    at = rng.randrange(len(sent) - 2)
    to = min(len(sent) - 2, at + rng.choice((1, 1, 7)))
    sent[at], sent[to] = sent[to], sent[at]


def _unreadable(rng: Random, sent: list[bytes], bad: list[Quarantined]) -> None:
    at = rng.randrange(len(sent) - 1)
    raw = sent.pop(at)
    bad.append(Quarantined("log", 0, 900 + at, b"T-1", raw, "why", "undecodable", DAY, "T-1"))


DAMAGES: tuple[Damage, ...] = (_lost, _twice, _swapped, _unreadable)


def played(rng: Random, rounds: int, broken: int, signed: bool) -> list[bytes]:
    """Rounds of a table whose chain is broken and whose clock goes back so many times."""
    record = Signed()
    record.shoe(decks=8)
    spoilt = rng.sample(range(rounds), broken)
    for n in range(rounds):
        if n in spoilt and n % 2:
            record.gateway.head = replace(record.gateway.head, hash=hash_body(b"another"))
        if n in spoilt and not n % 2:
            record.at -= timedelta(seconds=40)
        record.round(f"R{n:03}")
        if signed:
            record.sign()
    return record.sent


def told_the_same(sent: list[bytes], around: Around) -> bool:
    """Whether the stretches were enough; what they say is what the whole walk says."""
    events = columns(sent)
    bodies = QuarantinedLink(q.raw for q in around.quarantined)
    whole = walk_all(DAY, events, around, bodies)
    some = walk_doubts(DAY, events, around, bodies)
    if some is None:
        return False
    assert some.walk.problems == whole.walk.problems
    assert some.rows.tolist() == whole.rows.tolist()
    assert some.walk.tails == whole.walk.tails
    assert list(some.walk.unread.items()) == list(whole.walk.unread.items())
    return True


@pytest.mark.parametrize("signed", [True, False])
def test_damage_by_chance_is_told_as_the_whole_walk_tells_it(signed: bool) -> None:
    enough = 0
    for seed in range(60):
        rng = Random(seed)
        sent, bad = played(rng, 14, seed % 3, signed), list[Quarantined]()
        for damage in rng.choices(DAMAGES, k=rng.randrange(4)):
            damage(rng, sent, bad)
        around = keys() if signed else Around()
        enough += told_the_same(sent, Around(signatures=around.signatures, quarantined=tuple(bad)))
    assert enough > 30


def test_checkpoints_within_a_stretch_and_outside_are_met() -> None:
    sent = played(Random(1), 14, 0, signed=True)
    heads = {decode(value).seq or 0: hash_body(body_of(value)) for value in sent}
    del sent[70]
    met = {seq: heads[seq] for seq in (5, 70, 71, 72, len(heads))}
    signatures = keys().signatures
    assert told_the_same(sent, Around(signatures=signatures, known=met))
    within = met | {69: bytes(32)}
    assert told_the_same(sent, Around(signatures=signatures, known=within))
    for unmet in ({5: bytes(32)}, {len(heads) + 3: bytes(32)}):
        assert not told_the_same(sent, Around(signatures=signatures, known=met | unmet))


def test_where_a_signature_is_refused_the_whole_day_is_walked() -> None:
    record = Signed()
    record.shoe()
    for n in range(8):
        record.round(f"R{n}")
        record.sign(STRANGER if n == 3 else KEY)
    del record.sent[50 - 1]  # of R4, so that no later signature leads to the stranger's, event 45
    assert not told_the_same(record.sent, keys())
    kinds = {f.kind for f in check_record(DAY, columns(record.sent), keys()).findings}
    assert kinds == {"sequence_gap", "unsigned", "wrong_signature"}
