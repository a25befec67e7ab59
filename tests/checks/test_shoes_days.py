"""A shoe that is in play when the gaming day ends at 06:00 in Singapore, which is 22:00 UTC.

Blackjack from four decks of 52 cards, four cards a round. The record goes through the real archive,
and each day is audited by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.around import Surroundings, ends_of
from checks.shoes.columns import SHOE_COLUMNS, adds_up, amid_shoes, check_shoes, since_start
from checks.shoes.walk import ShoeStep, shoe_problems
from checks.table_day import audit_table_day
from events.archive.columns import ARROW_SCHEMA
from events.archive.ingest import ingest
from events.archive.reader import Archive
from events.archive.writer import ArchiveWriter
from events.days import GamingDay
from events.log.base import Outgoing
from events.log.files.log import FileLog
from tests.checks.kit import PlayedRecord, findings

FIRST, SECOND = date(2026, 11, 14), date(2026, 11, 15)
TURN = datetime(2026, 11, 14, 22, tzinfo=UTC)
"""The second day begins."""
SECONDS = ("QS", "QH", "QD", "QC", "JS", "JH", "JD", "JC")

Found = list[tuple[str, str | None]]


class Home:
    """One table's record, and its archive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = PlayedRecord()
        self.record.at = TURN - timedelta(minutes=30)
        self.rounds = 0

    def start(self, *, shuffled: bool = True) -> None:
        self.record.shoe(decks=4, shuffled=shuffled)

    def next_day(self) -> None:
        self.record.at = TURN + timedelta(minutes=5)

    def play(self, first: str = "KS", decks: int = 4) -> str:
        """A round in which P1 has `first` and wins with 20 against 19."""
        name, number = "ABCDEFGH"[self.rounds], self.rounds
        self.rounds += 1
        self.record.open(name, decks=decks)
        self.record.play(
            name,
            "bet 1 P1 initial 10.00",
            "close",
            f"deal 1:{first} 0:9{'SHDC'[number % 4]} 1:{SECONDS[number]}",
            "stand 1 P1",
            f"deal 0:K{'DC'[number % 2]}",
            "settle 1 P1 initial 10.00 10.00 10.00",
            "end",
        )
        return name

    def deliver(self, sent: Sequence[bytes] | None = None) -> None:
        values = self.record.sent if sent is None else sent
        log = FileLog(self.folder / "log", write=True)
        try:
            log.append([Outgoing(b"T-1", value) for value in values])
            with ArchiveWriter(self.folder / "archive", GamingDay()) as archive:
                ingest(log, archive)
        finally:
            log.close()

    def findings(self, day: date) -> list[dict[str, object]]:
        with Archive(self.folder / "archive") as archive:
            events = archive.read_table_day(day, "T-1")
            around = Surroundings(archive, day).of("T-1", ends_of(events))
            return findings(audit_table_day(day, events, around=around))

    def found(self, day: date) -> Found:
        return [(str(f["kind"]), f["round"]) for f in self.findings(day)]  # type: ignore[misc]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def two_days(home: Home, first: int, second: int) -> None:
    """So many rounds of one shoe on each of the days."""
    home.start()
    for _ in range(first):
        home.play()
    home.next_day()
    for _ in range(second):
        home.play()


def test_a_card_that_comes_too_often_only_over_both_days(home: Home) -> None:
    two_days(home, 3, 2)  # the king of spades five times
    home.deliver()
    assert home.found(FIRST) == []
    (found,) = home.findings(SECOND)
    assert (found["kind"], found["round"]) == ("shoe_mismatch", "E")
    assert "KS came out of shoe S1 5 times, of 4 decks" in str(found["message"])


def test_a_card_as_often_as_the_decks_have_it_over_both_days(home: Home) -> None:
    two_days(home, 3, 1)
    home.play("KH")
    home.deliver()
    assert home.found(FIRST) == home.found(SECOND) == []


def test_a_new_shoe_on_the_second_day_begins_anew(home: Home) -> None:
    two_days(home, 3, 0)
    home.record.end_shoe(4 * 52 - 12)
    home.record.shoe("S1", decks=4)  # by the same name
    for _ in range(4):
        home.play()
    home.deliver()
    assert home.found(FIRST) == home.found(SECOND) == []


def test_what_the_first_day_tells_the_second_does_not_tell_again(home: Home) -> None:
    two_days(home, 5, 1)
    home.record.draw += 1
    home.play("KH")
    home.deliver()
    assert home.found(FIRST) == [("shoe_mismatch", "E")]  # the fifth king of spades; F's is no news
    (found,) = home.findings(SECOND)
    assert found["round"] == "G"
    assert "draw 25 of shoe S1 never came" in str(found["message"])


def test_a_draw_that_is_skipped_between_the_days(home: Home) -> None:
    two_days(home, 2, 0)
    home.record.draw += 1
    home.play()
    home.deliver()
    assert home.found(FIRST) == []
    (found,) = home.findings(SECOND)
    assert (found["kind"], found["round"]) == ("shoe_mismatch", "C")
    assert "draw 9 of shoe S1 never came, the next is 10" in str(found["message"])


def test_a_draw_that_comes_again_on_the_second_day(home: Home) -> None:
    two_days(home, 2, 0)
    home.record.draw -= 1
    home.play()
    home.deliver()
    (found,) = home.findings(SECOND)
    assert "draw 8 of shoe S1 came again" in str(found["message"])


def test_a_skip_between_the_days_is_explained_by_an_event_that_is_missing(home: Home) -> None:
    two_days(home, 2, 1)
    cards = [n for n, value in enumerate(home.record.sent) if b"KC" in value]  # B's last
    home.deliver([v for n, v in enumerate(home.record.sent) if n != cards[0]])
    assert home.found(SECOND) == []


@pytest.mark.parametrize(("off", "kinds"), [(0, []), (1, ["shoe_mismatch"])])
def test_a_shoe_that_ends_before_the_second_day_s_first_round(
    home: Home, off: int, kinds: list[str]
) -> None:
    """Its count is right only with the cards of the day before; no round of the day is to blame."""
    two_days(home, 3, 0)
    home.record.end_shoe(4 * 52 - 12 + off)
    home.deliver()
    assert home.found(FIRST) == []
    found = home.findings(SECOND)
    assert [(f["kind"], f["round"]) for f in found] == [(kind, None) for kind in kinds]
    if off:
        assert str(found[0]["message"]).startswith("table T-1: shoe S1 ended with 197 cards left")


def test_a_count_that_was_known_to_be_off_the_day_before_is_no_news(home: Home) -> None:
    two_days(home, 2, 0)
    home.record.at = TURN - timedelta(minutes=5)
    home.record.open("X", decks=4)
    home.record.play("X", "bet 1 P1 initial 10.00", "close", "note card_shortage", "void 5.5.2")
    home.record.play("X", "settle 1 P1 initial 10.00 10.00 0", "end")
    home.next_day()
    home.record.end_shoe(4 * 52 - 8 - 1)
    home.deliver()
    assert home.found(SECOND) == []


def test_a_round_of_the_second_day_says_another_number_of_decks(home: Home) -> None:
    two_days(home, 1, 0)
    home.play(decks=6)
    home.deliver()
    assert home.found(SECOND) == [("shoe_mismatch", "B")]


def test_a_shoe_that_was_not_shuffled_voids_the_second_day_s_rounds_too(home: Home) -> None:
    home.start(shuffled=False)
    home.play()
    home.next_day()
    home.play()
    home.deliver()
    assert home.found(FIRST) == [("missed_void", "A")]
    assert home.found(SECOND) == [("missed_void", "B")]


@pytest.mark.parametrize(("skipped", "kinds"), [(0, []), (1, [("shoe_mismatch", "C")])])
def test_a_round_that_runs_over_the_turn_of_the_day(
    home: Home, skipped: int, kinds: list[tuple[str, str]]
) -> None:
    """It is whole on the first day; an event of no round, numbered within it, is the second's."""
    home.start()
    home.play()
    home.record.at = TURN - timedelta(seconds=5)
    home.record.open("X", decks=4)
    home.record.play("X", "bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QH")
    home.record.add("IrregularityNoted", kind="technical_interruption", by="dealer")
    home.record.play("X", "stand 1 P1", "deal 0:KC", "settle 1 P1 initial 10.00 10.00 10.00", "end")
    home.rounds = 2
    home.record.draw += skipped
    home.play()
    home.deliver()
    with Archive(home.folder / "archive") as archive:
        last = max(archive.read_table_day(FIRST, "T-1")["seq"].to_pylist())
        assert last > min(archive.read_table_day(SECOND, "T-1")["seq"].to_pylist())
    shoes = [f for day in (FIRST, SECOND) for f in home.found(day) if f[0] == "shoe_mismatch"]
    assert shoes == kinds


def test_a_shoe_over_three_days(home: Home) -> None:
    home.record.at -= timedelta(days=1)
    two_days(home, 2, 0)
    home.record.at = TURN - timedelta(hours=2)
    home.play()
    home.next_day()
    home.play()
    home.play()
    home.deliver()
    assert home.found(FIRST) == []
    assert home.found(SECOND) == [("shoe_mismatch", "E")]


def test_an_event_that_came_twice_on_the_first_day_counts_once(home: Home) -> None:
    two_days(home, 3, 1)
    sent = home.record.sent
    card = next(n for n, value in enumerate(sent) if value.endswith(b"\x04KS\x01"))
    home.deliver([*sent[: card + 1], *sent[card:]])
    assert home.found(FIRST) == [("duplicate_event", "A")]
    assert home.found(SECOND) == []


def test_where_two_claim_one_number_the_second_day_takes_the_shoe_as_it_is(home: Home) -> None:
    two_days(home, 3, 0)
    other = PlayedRecord()
    other.at = home.record.at - timedelta(minutes=20)
    other.shoe("S9", decks=8)
    home.record.draw += 1
    home.play()
    home.deliver([*home.record.sent, other.sent[0]])
    assert "shoe_mismatch" not in {kind for kind, _ in home.found(SECOND)}


def test_late_events_of_the_first_day_count_when_the_second_is_audited_again(home: Home) -> None:
    two_days(home, 3, 2)
    sent = home.record.sent
    third = [n for n, value in enumerate(sent) if b"KS" in value][2]
    home.deliver([*sent[:third], *sent[third + 1 :]])
    assert home.found(SECOND) == []  # four kings of spades, and one event is missing
    home.deliver([sent[third]])
    assert home.found(SECOND) == [("shoe_mismatch", "E")]


def test_a_day_that_begins_with_a_new_shoe_asks_for_nothing(home: Home) -> None:
    two_days(home, 1, 0)
    home.record.shoe("S2", decks=4)
    home.record.open("X", shoe="S2", decks=4)
    home.deliver()
    with Archive(home.folder / "archive") as archive:
        events = archive.read_table_day(SECOND, "T-1")
        assert amid_shoes(events) == []
        assert Surroundings(archive, SECOND).of("T-1", ends_of(events)).shoes is None
        assert amid_shoes(archive.read_table_day(FIRST, "T-1")) == []


@st.composite
def shoes(draw: st.DrawFn) -> tuple[list[ShoeStep], int]:
    """Shoes of one deck, nearly in order, and where the day turns: before a round or an end."""
    steps: list[ShoeStep] = []
    opened: list[int] = [0]

    def add(kind: str, round_: str | None = None, **own: object) -> None:
        steps.append(ShoeStep(kind, len(steps) + 1, round_, **own))  # type: ignore[arg-type]

    slip = st.sampled_from([0] * 12 + [1, -1])
    for shoe in draw(st.lists(st.sampled_from(["S1", "S2", "S3"]), min_size=1, max_size=4)):
        add("ShoeStarted", shoe=shoe, decks=1)
        drawn = 0
        for _ in range(draw(st.integers(1, 3))):
            opened.append(len(steps))
            name = f"R{len(opened)}"
            own = {"shoe": shoe, "decks": 1 + max(0, draw(slip)), "rulebook": "blackjack-rws-v5"}
            add("RoundOpened", name, **own)
            for card in draw(st.lists(st.sampled_from(DECK), max_size=4)):
                drawn += 1 + draw(slip)
                add("CardDealt", name, draw=drawn, card=card)
        if draw(st.booleans()):
            opened.append(len(steps))
            add("ShoeEnded", shoe=shoe, cards_left=52 - drawn + draw(slip))
    return steps, draw(st.sampled_from(opened))


DECK = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def as_columns(steps: Sequence[ShoeStep]) -> pa.Table:
    kinds = {name: ARROW_SCHEMA.field(name).type for name in SHOE_COLUMNS}
    values = zip(*steps, strict=True) if steps else [()] * len(ShoeStep._fields)
    columns = dict(zip(ShoeStep._fields, values, strict=True))
    columns["shuffled"] = (None,) * len(steps)
    return pa.table({name: pa.array(columns[name], kinds[name]) for name in SHOE_COLUMNS})


@given(shoes())
def test_two_days_find_what_one_long_day_finds(made: tuple[list[ShoeStep], int]) -> None:
    """And the quick look never calls in order what the walk does not."""
    steps, turn = made
    found = shoe_problems(steps)
    if adds_up(as_columns(steps)):
        assert found == []
    first, second = as_columns(steps[:turn]), as_columns(steps[turn:])
    amid = amid_shoes(second)
    before = since_start(first, amid)[0] if amid else None
    told = [*check_shoes(first), *check_shoes(second, before)]
    assert [(p.link.seq, p.says) for p in told] == [(p.link.seq, p.says) for p in found]
