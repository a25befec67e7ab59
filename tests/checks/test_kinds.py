"""Every kind of finding in every rulebook: a round that raises it, and a near miss that does not.

They come from the golden rounds (`findings` and `near`), from the cases of the comparison
(test_compare.py), and, for what is wrong with a record, from two rounds of each game that are
spoilt here. A pair of kind and rulebook that can't be has its reason in CANNOT_BE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest

from checks.around import Around
from checks.golden.load import load
from checks.golden.opening import opening
from checks.quality.suite import load_suite
from checks.record.links import RecordLink
from checks.table_day import audit_table_day
from events import codec
from events.archive.quarantine import Quarantined
from replay.answer import SEVERITY
from replay.registry import IDS
from tests.checks.contract import KINDS, SEVERITY_OF
from tests.checks.kit import CARDS_OF_A_DECK, DAY, PlayedRecord, audit, columns, kinds
from tests.checks.test_compare import CASES, GAMES, ComparedGame, right
from tests.checks.test_meter import LinkedTables
from tests.golden import load_all

PLUS, BLACKJACK = "pontoon-plus-rws-v5", "blackjack-rws-v5"
PANDEMONIUM, MBS = "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5"
POKER = "three-card-poker-rws-v3"
TWENTY_ONE = (PLUS, BLACKJACK, PANDEMONIUM, MBS)
SHORT = (PANDEMONIUM, MBS)  # texts with a short section 5

CANNOT_BE: dict[tuple[str, str], str] = {
    ("missed_bonus", BLACKJACK): "the text has no payment without a stake",
    ("dealer_draw", POKER): "every hand has three cards and nobody draws",
    ("under_limit", PANDEMONIUM): "no paragraph on a bet under the minimum",
    ("rulebook_not_in_force", BLACKJACK): "our copy of the text has no date",
    ("round_not_concluded", MBS): "no paragraph on an interruption, and no button to press",
    **{("over_limit", book): "no paragraph on a bet over the maximum" for book in SHORT},
    **{("missing_option", book): "no choice is due after a dealing error" for book in SHORT},
    **{("illegal_examination", book): "no paragraph says who may look" for book in TWENTY_ONE},
    **{("meter_mismatch", book): "the game has no progressive meter" for book in TWENTY_ONE},
    **{("unreconciled", book): "a fault of ours gives it: test_unreconciled.py" for book in IDS},
    **{("silent_table", book): "a whole day gives it: test_silence.py" for book in IDS},
    **{("unknown_table", book): "the registry gives it: test_silence.py" for book in IDS},
    **{
        (kind, book): "the registry's keys give it: test_signed.py"
        for kind in ("unsigned", "wrong_signature")
        for book in IDS
    },
}

IN_FORCE_FROM = {  # the first page of each text; Singapore is eight hours ahead
    PLUS: datetime(2020, 12, 1, 0, 0, tzinfo=UTC),
    PANDEMONIUM: datetime(2017, 7, 20, 0, 0, tzinfo=UTC),
    MBS: datetime(2016, 11, 3, 16, 0, tzinfo=UTC),
    POKER: datetime(2020, 3, 17, 0, 0, tzinfo=UTC),
}

# what is wrong with a record: two rounds of a game, spoilt and not quite spoilt


def two_rounds(
    game: ComparedGame,
    *,
    more: tuple[str, ...] = (),
    says: str | None = None,
    close: bool = True,
    missing: int = 0,
    start: datetime | None = None,
) -> PlayedRecord:
    """Two rounds, each from a shoe of its own, settled as they should be.

    more: steps before the first bet. says: what the first round calls its rulebook. close: whether
    it is closed. missing: how many cards its shoe lacks in the end. start: when it opens.
    """
    record = PlayedRecord("T-1", game.rulebook)
    if start is not None:
        record.at = start - timedelta(seconds=2)  # the shoe comes a second before the round
    for number, name in enumerate("AB"):
        first = number == 0
        opened = opening(game.rulebook, {}) | {"shoe": f"S{number}"}
        if first and says is not None:
            opened["rulebook"] = says
        record.shoe(f"S{number}", opened["decks"])
        record.add("RoundOpened", name, **opened)
        record.play(name, *(more if first else ()), *game.play, right(game), *game.rest)
        if close or not first:
            record.add("RoundClosed", name)
        left = opened["decks"] * CARDS_OF_A_DECK[game.rulebook] - record.draw
        record.end_shoe(left - (missing if first else 0), f"S{number}")
    return record


def place(sent: list[bytes], kind: str) -> int:
    return next(n for n, value in enumerate(sent) if codec.decode(value).type == kind)


def head(sent: list[bytes], number: int) -> bytes:
    return codec.hash_body(codec.body_of(sent[number]))


def told(sent: list[bytes], **around: Any) -> set[str]:
    return {kind for kind, _, _ in kinds(audit(sent, Around(**around)))}


Spoilt = tuple[set[str], set[str]]
"""The kinds that a spoilt record raises, and those that one raises which is not quite spoilt."""


def sequence_gap(game: ComparedGame) -> Spoilt:
    """Missed: the number is there, but its event went into another day."""
    sent = two_rounds(game).sent
    at = place(sent, "BetsClosed")
    elsewhere = RecordLink(at + 1, None, "A", None, head(sent, at))
    del sent[at]
    return told(sent), told(sent, others=(elsewhere,))


def duplicate_event(game: ComparedGame) -> Spoilt:
    """Missed: two events alike, each with a number of its own."""
    sent = two_rounds(game).sent
    refused = f"refuse 1 P1 {game.main} 5.00"
    return told([*sent, sent[4]]), told(two_rounds(game, more=(refused, refused)).sent)


def out_of_order(game: ComparedGame) -> Spoilt:
    """Missed: the numbers are in order, but the clock of one event is late."""
    sent = two_rounds(game).sent
    swapped = [*sent[:4], sent[5], sent[4], *sent[6:]]
    return told(swapped), told(_clock_back(game, 3).sent)


def broken_chain(game: ComparedGame) -> Spoilt:
    """Missed: a day goes on from the last event of the day before."""
    sent = two_rounds(game).sent
    other = two_rounds(game, more=(f"refuse 1 P1 {game.main} 7.00",)).sent
    half = len(sent) // 2
    before = RecordLink(half, None, None, None, head(sent, half - 1))
    return told([*sent[:3], other[3], *sent[4:]]), told(sent[half:], others=(before,))


def _clock_back(game: ComparedGame, seconds: int) -> PlayedRecord:
    """The first round, and then an event that is that much earlier than it should be."""
    record = two_rounds(game)
    record.at -= timedelta(seconds=seconds)
    record.add("TableClosed")
    return record


def clock_backwards(game: ComparedGame) -> Spoilt:
    """Missed: two events at the same moment."""
    return told(_clock_back(game, 3).sent), told(_clock_back(game, 1).sent)


def truncated(game: ComparedGame) -> Spoilt:
    """Missed: the checkpoint knows just the last event that is there."""
    sent = two_rounds(game).sent
    known = {len(sent): head(sent, -1)}
    return told(sent[:-1], known=known), told(sent, known=known)


def undecodable(game: ComparedGame) -> Spoilt:
    """Missed: what can't be read came on another day."""
    sent = two_rounds(game).sent
    bad = {"source": "file:test", "partition": 0, "offset": 99, "key": b"T-1", "raw": b"rubbish"}
    some = [
        Quarantined(**bad, reason="no Avro", kind="undecodable", day=day, table="T-1")  # type: ignore[arg-type]
        for day in (DAY, DAY - timedelta(days=1))
    ]
    return told(sent, quarantined=(some[0],)), told(sent, quarantined=(some[1],))


def incomplete_round(game: ComparedGame) -> Spoilt:
    """Missed: the close is the last event before the next shoe."""
    return told(two_rounds(game, close=False).sent), told(two_rounds(game).sent)


def unknown_rulebook(game: ComparedGame) -> Spoilt:
    """Missed: the id to the letter."""
    other = two_rounds(game, says=game.rulebook.upper())
    return told(other.sent), told(two_rounds(game, says=game.rulebook).sent)


def rulebook_not_in_force(game: ComparedGame) -> Spoilt:
    """Missed: opened at the very moment."""
    begins = IN_FORCE_FROM[game.rulebook]
    early = two_rounds(game, start=begins - timedelta(seconds=1))
    return told(early.sent), told(two_rounds(game, start=begins).sent)


def implausible_time(game: ComparedGame) -> Spoilt:
    """Missed: 400 days before its arrival to the second."""
    sent = two_rounds(game).sent
    late = codec.decode(sent[0]).at + timedelta(days=400)  # type: ignore[operator]

    def found(arrived: datetime) -> set[str]:
        return {kind for kind, _, _ in kinds(audit_table_day(DAY, columns(sent, arrived)))}

    return found(late + timedelta(seconds=1)), found(late)


def shoe_mismatch(game: ComparedGame) -> Spoilt:
    """Missed: the count at the end is right."""
    return told(two_rounds(game, missing=1).sent), told(two_rounds(game).sent)


def meter_mismatch(game: ComparedGame) -> Spoilt:
    """Missed: just what three bets add."""

    def read(cents: int) -> set[str]:
        link = LinkedTables()
        link.round("T-1", "A", 2, 6_000_000)
        link.round("T-2", "B", 3, cents)
        link.round("T-1", "C", 1, 6_000_400)
        return {kind for kind, _ in link.found()}

    return read(6_000_200), read(6_000_300)


OF_THE_RECORD: Mapping[str, Callable[[ComparedGame], Spoilt]] = {
    spoil.__name__: spoil
    for spoil in (
        sequence_gap, duplicate_event, out_of_order, broken_chain, clock_backwards, truncated,
        undecodable, incomplete_round, unknown_rulebook, rulebook_not_in_force, shoe_mismatch,
        implausible_time, meter_mismatch,
    )
}  # fmt: skip

GAME = {game.rulebook: game for game in GAMES}
PAIRS = [(kind, book) for kind in SEVERITY_OF for book in IDS]
SPOILT = [(k, b) for k in OF_THE_RECORD for b in IDS if (k, b) not in CANNOT_BE]


@pytest.mark.parametrize(("kind", "book"), SPOILT)
def test_a_spoilt_record_is_told_and_a_near_miss_is_not(kind: str, book: str) -> None:
    raised, missed = OF_THE_RECORD[kind](GAME[book])
    assert kind in raised
    assert kind not in missed


@pytest.mark.parametrize("book", IDS)
def test_two_rounds_that_nobody_spoilt_raise_nothing(book: str) -> None:
    assert told(two_rounds(GAME[book]).sent) == set()


# the matrix


@cache
def raising() -> frozenset[tuple[str, str]]:
    golden = {(f.kind, g.rulebook) for g in load_all() for f in g.findings}
    cases = {(kind, g.rulebook) for g in GAMES for c in CASES for kind, _, _ in c.found(g)}
    return frozenset({*golden, *cases, *SPOILT})


@cache
def missing() -> frozenset[tuple[str, str]]:
    golden = {(kind, g.rulebook) for g in load_all() for kind in g.near}
    cases = {(kind, game.rulebook) for game in GAMES for case in CASES for kind in case.near}
    return frozenset({*golden, *cases, *SPOILT})


@pytest.mark.parametrize(("kind", "book"), PAIRS)
def test_each_kind_is_raised_and_just_missed_in_each_rulebook(kind: str, book: str) -> None:
    pair = (kind, book)
    if pair in CANNOT_BE:
        assert pair not in raising(), f"it can be after all: {CANNOT_BE[pair]}"
        assert pair not in missing()
        return
    assert pair in raising(), "no round raises it: a golden round in 7_kinds.yaml would do"
    assert pair in missing(), "no near miss: give a golden round the field `near`"


def test_the_kinds_are_those_of_the_contract_everywhere() -> None:
    assert SEVERITY == SEVERITY_OF
    suite = {e.name: e for e in load_suite("findings", DAY).expectations}
    assert set(suite["kind known"].kwargs["value_set"]) == set(SEVERITY_OF)
    assert set(suite["severity known"].kwargs["value_set"]) == set(KINDS)
    paired = suite["each kind has its severity"].rows or ""
    assert [kind for kind in SEVERITY_OF if f"'{kind}'" not in paired] == []


PLAY = ["bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QS", "stand 1 P1", "deal 0:KD"]


@pytest.mark.parametrize(
    ("near", "findings", "says"),
    [
        ("overlimit", [], "there is no kind overlimit"),
        ("over_limit", ["over_limit 1"], "over_limit is among the findings"),
        ("wrong_odds", [], "wrong_odds can only be missed by a round that was settled"),
    ],
)
def test_a_round_that_is_no_near_miss_is_refused(near: str, findings: list[str], says: str) -> None:
    case = {"name": "3.23 x", "near": near, "play": PLAY, "lines": [], "findings": findings}
    with pytest.raises(ValueError, match=says):
        load(case, BLACKJACK, "x.yaml")
