"""The progressive meter across two linked tables: growth 1.00 a bet, reset 50,000.00.

Expected values are worked out from 3 Card Poker 1.15 (grows with each accepted bet, starts again
when won), 4.9.1 (who is paid first) and 5.17.2 (no bets after a malfunction).
"""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from checks.meter import model as meter_model
from checks.meter.end import DayEnd, MeterStanding
from events.settings import Jackpot
from replay.fold import micros
from tests.checks.meter_kit import MINOR, TOP, LinkedTables, stood, two_winners


def test_it_grows_with_the_bets_of_both_tables() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 2, 6_000_000)
    link.round("T-2", "B", 3, 6_000_300)
    link.round("T-1", "C", 0, 6_000_300)
    link.round("T-2", "D", 1, 6_000_400)
    assert link.own() == []
    assert link.found() == []
    assert link.audit().end == stood(6_000_400)


@pytest.mark.parametrize("shown", [6_000_200, 6_000_400, 6_000_000])
def test_a_reading_that_the_bets_do_not_give(shown: int) -> None:
    link = LinkedTables()
    link.round("T-1", "A", 2, 6_000_000)
    link.round("T-2", "B", 3, shown)
    link.round("T-1", "C", 1, 6_000_400)
    assert link.found() == [("meter_mismatch", "B")]


def test_a_jump_that_stays_is_told_once_and_goes_into_the_next_day() -> None:
    link = LinkedTables()
    for number in range(5):
        link.round("T-2", f"Z{number}", 1, 5_999_500 + number * 100)
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_000_900)  # 6,000,100 by the bets
    link.round("T-2", "C", 1, 6_001_000)
    link.round("T-1", "D", 1, 6_001_100)
    assert link.found() == [("meter_mismatch", "B")]
    assert link.audit().end == stood(6_001_100)


def test_two_slips_in_a_row_are_two_and_no_jump() -> None:
    link = LinkedTables()
    for number in range(5):
        link.round("T-2", f"Z{number}", 1, 5_999_500 + number * 100)
    link.round("T-1", "A", 1, 5_950_000)  # 6,000,000 by the bets
    link.round("T-2", "B", 1, 5_950_100)
    for number in range(5):
        link.round("T-1", f"Y{number}", 1, 6_000_200 + number * 100)
    assert link.found() == [("meter_mismatch", "A"), ("meter_mismatch", "B")]
    assert link.audit().end == stood(6_000_600)


def test_a_meter_about_which_nothing_fits_is_not_told_reading_by_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The settings say 1.00 a bet and it grows by 0.70: after three, one sentence says the rest."""
    monkeypatch.setattr(meter_model, "_MOST_WRONG", 3)
    link = LinkedTables()
    for number in range(8):
        link.round("T-1", f"A{number}", 1, 6_000_070 + number * 70)
    found = link.audit(before=stood(6_000_000))
    assert [f.round for f in found.findings] == ["A0", "A1", "A2"]
    assert ["not looked at" in f.message for f in found.findings] == [False, False, True]
    assert found.end == DayEnd()


# clocks


def close_together(shown: int, seconds: float) -> LinkedTables:
    """T-1's bet of round C closes so long before T-2's meter is read; T-2 has none of its own."""
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 0, 6_000_000)
    one, two = link.later("T-1", minutes=1), link.later("T-2", minutes=1)
    one.bets("C", 1)
    two.bets("D", 0)
    two.at = one.at + timedelta(seconds=seconds - 1)  # an event comes a second after the last
    two.read("D", shown)
    return link


@pytest.mark.parametrize("seconds", [-0.5, 0.0, 0.5])
def test_a_bet_of_another_table_within_half_a_second_may_be_in_a_reading_or_not(
    seconds: float,
) -> None:
    assert close_together(6_000_000, seconds).found() == []
    assert close_together(6_000_100, seconds).found() == []
    assert close_together(6_000_200, seconds).found() == [("meter_mismatch", "D")]
    assert close_together(6_000_050, seconds).found() == [("meter_mismatch", "D")]


def test_a_bet_of_another_table_well_before_a_reading_is_in_it_and_one_after_it_is_not() -> None:
    assert close_together(6_000_100, 0.51).found() == []
    assert close_together(6_000_000, 0.51).found() == [("meter_mismatch", "D")]
    assert close_together(6_000_000, -0.51).found() == []
    assert close_together(6_000_100, -0.51).found() == [("meter_mismatch", "D")]


def test_a_bet_of_the_same_table_is_never_in_doubt() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_000_100)
    one = link.later("T-1", minutes=1)
    one.bets("C", 1)
    one.at -= timedelta(seconds=0.9)  # read a tenth of a second after the close
    one.read("C", 6_000_100)
    assert link.found() == [("meter_mismatch", "C")]


def test_one_event_whose_clock_is_off_does_not_move_a_bet() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 1, 6_000_100)
    one = link.later("T-1", minutes=1)
    one.bets("C", 1, close=False)
    one.at -= timedelta(minutes=5)
    one.play("C", "close")  # by its clock before everything
    one.at += timedelta(minutes=5)
    one.read("C", 6_000_200)
    assert link.own() == [("clock_backwards", "C"), ("incomplete_round", "C")]
    assert link.found(before=stood(5_999_900)) == []


def wrong_clock(shown: int, bets: int = 2) -> LinkedTables:
    """T-2's clock stands three years back while it plays round B; its day arrives in one piece,
    when T-1 has played round C and read `shown`."""
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    now, two = link.now, link["T-2"]
    two.at = now - timedelta(days=3 * 365)
    for step in (two.bets, two.deal):
        step("B", bets)
        if step == two.bets:
            two.read("B", 6_000_200)
    two.folds("B", bets)
    two.end("B")
    link.round("T-1", "C", 1, shown)
    link.arrived["T-2"] = link.now + timedelta(hours=1)
    return link


@pytest.mark.parametrize("shown", [6_000_300, 6_000_200, 6_000_100])
def test_a_bet_of_a_table_with_a_wrong_clock_may_be_in_a_reading_or_not(shown: int) -> None:
    link = wrong_clock(shown)
    assert ("implausible_time", "B") in link.own()
    assert link.found(before=stood(5_999_900)) == []


def test_more_than_the_bets_of_a_table_with_a_wrong_clock_explains_nothing() -> None:
    assert wrong_clock(6_000_400).found(before=stood(5_999_900)) == [("meter_mismatch", "C")]
    assert wrong_clock(6_000_350).found(before=stood(5_999_900)) == [("meter_mismatch", "C")]


def test_where_a_meter_stands_after_a_wrong_clock_is_known_once_its_bets_were_seen() -> None:
    seen = wrong_clock(6_000_300).audit(before=stood(5_999_900))
    assert seen.end == stood(6_000_300)
    assert wrong_clock(6_000_100).audit(before=stood(5_999_900)).end == DayEnd()


# which bets


def test_a_bet_taken_back_in_time_was_not_accepted() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    one.bets("B", 2, "takeback 2 P2 progressive 5.00")
    one.read("B", 6_000_100)
    assert link.found() == []


def test_chips_put_down_and_partly_taken_back_are_one_bet() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    more = ("bet 1 P1 progressive 5.00", "takeback 1 P1 progressive 5.00")
    one.bets("B", 1, *more)
    one.read("B", 6_000_100)
    assert link.found() == []


def test_a_bet_after_the_close_was_not_accepted() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    one.bets("B", 1)
    one.play("B", "bet 2 P2 ante 10.00", "bet 2 P2 progressive 5.00")
    one.read("B", 6_000_100)
    assert link.found() == []


def test_an_event_that_came_twice_counts_once() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_000_100)
    one = link["T-1"]
    bet = next(n for n, value in enumerate(one.sent) if b"progressive" in value)
    one.sent.insert(bet + 1, one.sent[bet])
    assert link.own() == [("duplicate_event", "A")]
    assert link.found(before=stood(5_999_900)) == []


def test_a_bet_that_may_be_among_missing_events_explains_the_meter() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 2, 6_000_200)
    link.round("T-2", "C", 1, 6_000_300)
    before = stood(5_999_900)
    assert link.found(before=before) == []
    bets = [n for n, value in enumerate(link["T-1"].sent) if b"progressive" in value]
    del link["T-1"].sent[bets[2]]  # A has a bet and its settlement; this is B's first bet
    assert ("sequence_gap", "B") in link.own()
    assert link.found(before=before) == []
    assert link.audit(before=before).end == stood(6_000_300)


def test_one_missing_event_explains_one_bet_and_no_more() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 2, 6_000_300)  # 6,000,200 by the bets
    link.round("T-2", "C", 1, 6_000_400)
    bets = [n for n, value in enumerate(link["T-1"].sent) if b"progressive" in value]
    del link["T-1"].sent[bets[2]]
    assert link.found(before=stood(5_999_900)) == [("meter_mismatch", "B")]


def test_a_close_that_is_missing_is_told_by_the_reading() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 3, 6_000_300)
    link.round("T-2", "C", 1, 6_000_400)
    one = link["T-1"]
    read = [n for n, value in enumerate(one.sent) if value.endswith(b"\x02\x02J")]
    assert len(read) == 2
    del one.sent[read[1] - 1]
    assert ("sequence_gap", "B") in link.own()
    assert link.found(before=stood(5_999_900)) == []


# major wins


def test_it_starts_again_after_a_major_win() -> None:
    link = LinkedTables()
    link.win("T-1", "A", 6_000_000)
    link.round("T-2", "B", 2, 5_000_200)
    assert link.own() == []
    assert link.found() == []


def test_a_meter_that_was_won_and_did_not_start_again() -> None:
    link = LinkedTables()
    link.win("T-1", "A", 6_000_000)
    link.round("T-2", "B", 2, 6_000_200)
    assert link.found() == [("meter_mismatch", "B")]


def test_a_minor_win_does_not_start_it_again() -> None:
    link = LinkedTables()
    link.win("T-1", "A", 6_000_000, MINOR, "1250.00")
    link.round("T-2", "B", 1, 6_000_100)
    assert link.own() == []
    assert link.found() == []


def test_a_win_that_was_first_settled_wrongly_starts_it_again_when_it_is_paid() -> None:
    link = LinkedTables()
    one = link.later("T-1", minutes=1)
    one.bets("A", 1)
    one.read("A", 6_000_000)
    one.deal("A", 1, TOP)
    one.wins("A")
    one.pays("A", "0")
    link.round("T-2", "B", 1, 6_000_100)  # nobody has paid it yet
    one = link.later("T-1", seconds=5)
    one.play("A", "correct 1 P1 progressive 5.00 0 60000.00 overlooked")
    one.end("A")
    link.round("T-2", "C", 1, 5_000_100)
    assert link.own() == [("corrected", "A")]
    assert link.found() == []


def near_a_win(shown: int, seconds: float) -> LinkedTables:
    """T-2, whose bet closed long before, reads so long after T-1's winner was paid."""
    link = LinkedTables()
    two = link.later("T-2", minutes=1)
    two.bets("B", 1)
    link.win("T-1", "A", 6_000_000)
    two.at = link["T-1"].at + timedelta(seconds=seconds - 2)  # A's end is one second after it
    two.read("B", shown)
    return link


def test_a_reading_within_half_a_second_of_a_win_may_have_either() -> None:
    for seconds in (-0.5, 0.5):
        for shown in (6_000_000, 5_000_000):
            assert near_a_win(shown, seconds).found(before=stood(5_999_800)) == []
    wrong = [("meter_mismatch", "B")]
    assert near_a_win(6_000_000, 0.51).found(before=stood(5_999_800)) == wrong
    assert near_a_win(5_000_000, -0.51).found(before=stood(5_999_800)) == wrong


# the day before, the day after


def test_the_day_before_says_where_it_stood() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_100)
    assert link.found(before=stood(6_000_000)) == []
    assert link.found(before=stood(5_000_000)) == [("meter_mismatch", "A")]


def test_a_meter_that_nobody_played_goes_on_to_the_next_day() -> None:
    assert LinkedTables().audit(before=stood(6_000_000)).end == stood(6_000_000)


def test_the_end_of_a_day_is_kept_as_json() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000, "note jackpot_malfunction by system")
    until_us = (micros(link.now) or 0) - 10_000_000
    end = link.audit(until_us=until_us).end
    assert end.failed.keys() == {"T-1"}
    assert DayEnd.from_json(end.to_json()) == end


def test_rounds_that_run_over_the_end_of_the_day() -> None:
    """The day ends while T-1 plays B; T-2's round C belongs to the next day, and its bet closes
    between B's close and B's reading."""
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    one.bets("B", 1)
    ends = one.at - timedelta(seconds=2)
    two = link.later("T-2", seconds=0)
    one.at += timedelta(seconds=5)
    one.read("B", 6_000_200)  # A, B and C
    end = link.audit(until_us=micros(ends) or 0)
    assert end.findings == []
    closed = (micros(ends) or 0) + 2_000_000
    assert end.end == DayEnd({"J": MeterStanding(6_000_000, ((closed, "T-1", 1),))})
    following = LinkedTables()
    following.tables["T-2"] = two
    two.at = ends - timedelta(seconds=1.5)
    two.bets("C", 1)
    assert micros(two.at) == closed + 1_500_000
    two.read("C", 6_000_200)
    following.round("T-2", "D", 1, 6_000_300)
    assert following.found(before=end.end) == []
    late = dataclasses.replace(end.end.meters["J"], cents=5_999_900)
    assert following.found(before=DayEnd({"J": late})) == [("meter_mismatch", "C")]


def test_a_reading_after_the_day_s_end_has_at_least_what_the_day_knows() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    one.bets("B", 1)
    one.read("B", 6_000_000)  # its own bet is not in it
    until_us = micros(one.at - timedelta(seconds=5)) or 0
    assert link.found(before=stood(5_999_900), until_us=until_us) == [("meter_mismatch", "B")]


# a meter that is not configured


def test_without_configuration_only_a_fall_without_a_win_can_be_told() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_777_777)
    link.round("T-2", "C", 1, 6_000_000)
    link.round("T-2", "D", 1, 6_000_100)  # goes on from there
    link.win("T-1", "E", 6_000_200)
    link.round("T-2", "F", 1, 5_000_100)
    assert link.found(jackpots={}) == [("meter_mismatch", "C")]


def test_two_meters_do_not_mix() -> None:
    link = LinkedTables()
    for name, at, meter, jackpot in (
        ("A", "T-1", 6_000_000, "J"),
        ("B", "T-2", 7_000_000, "K"),
        ("C", "T-1", 6_000_100, "J"),
        ("D", "T-2", 7_000_050, "K"),
    ):
        table = link.later(at, minutes=1)
        table.bets(name, 1)
        table.read(name, meter, jackpot)
    both = {"J": Jackpot(5_000_000, 100), "K": Jackpot(5_000_000, 50)}
    assert link.found(jackpots=both) == []
    assert {n: s.cents for n, s in link.audit(both).end.meters.items()} == {
        "J": 6_000_100,
        "K": 7_000_050,
    }


# several winners


def test_4_9_1_the_second_winner_is_paid_what_is_displayed_afterwards() -> None:
    """By its own reading B is due 60,001.00; A took that meter, and 50,000.00 was displayed then.
    The order is the house's to determine, so that a person looks at it."""
    link = two_winners()
    assert link.own() == [("wrong_odds", "B")]
    found = link.audit(before=stood(5_999_900))
    assert [(f.kind, f.round, f.box, f.money, f.clauses) for f in found.findings] == [
        ("discretion", "B", 1, 5_000_000 - 6_000_100, ("4.9.1",))
    ]
    assert found.explained == {("T-2", "B", 1)}
    assert found.end == stood(5_000_000)


def test_4_9_1_the_second_winner_is_paid_the_meter_that_the_first_has_taken() -> None:
    link = two_winners(pays="60001.00")
    assert link.own() == []
    found = link.audit(before=stood(5_999_900))
    assert [(f.kind, f.round, f.money) for f in found.findings] == [
        ("meter_mismatch", "B", 1_000_100)
    ]
    assert found.findings[0].clauses == ("4.9.1",)
    assert not found.explained


def test_4_9_1_the_second_winner_is_paid_too_little() -> None:
    found = two_winners(pays="49999.00").audit(before=stood(5_999_900))
    assert [(f.kind, f.round, f.money) for f in found.findings] == [("meter_mismatch", "B", -100)]
    assert not found.explained


def test_4_9_1_the_second_winner_is_paid_before_the_first() -> None:
    link = two_winners(pays="60001.00", first="T-2")
    assert link.found(before=stood(5_999_900)) == [("meter_mismatch", "B")]


def test_4_9_1_where_the_clocks_can_t_tell_the_house_decides_who_is_first() -> None:
    """Half a second apart: B may be paid first, and then A gets what is displayed after that."""
    link = two_winners(pays="60001.00", first="T-2", seconds_apart=0.5)
    assert link.found(before=stood(5_999_900)) == [("meter_mismatch", "A")]
    link = two_winners(seconds_apart=0.5)
    assert link.found(before=stood(5_999_900)) == [("discretion", "B")]


def test_4_9_1_winners_one_after_the_other_each_take_their_own_meter() -> None:
    link = two_winners(read=5_000_000)
    assert link.own() == []
    assert link.found(before=stood(5_999_900)) == []


def test_4_9_1_without_configuration_only_a_meter_paid_twice_is_told() -> None:
    assert two_winners(pays="60001.00").found(jackpots={}) == [("meter_mismatch", "B")]
    assert two_winners().found(jackpots={}) == []


# after a malfunction


FAILED = "note jackpot_malfunction by system"


def test_5_17_2_no_progressive_bet_while_the_system_is_down() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 1, None)
    assert link.found() == [("illegal_bet", "B")]


def test_5_17_2_play_goes_on_without_progressive_bets() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 0, None)
    link.round("T-2", "C", 1, 6_000_100)  # the other table works
    assert link.found() == []


def test_5_17_2_once_the_meter_is_read_again_bets_are_taken() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 1, 6_000_100)
    link.round("T-1", "C", 1, 6_000_200)
    assert link.found() == []


def test_5_17_2_a_malfunction_between_two_rounds() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    link["T-1"].add("IrregularityNoted", kind="jackpot_malfunction", by="system")
    link.round("T-1", "B", 1, None)
    assert link.found() == [("illegal_bet", "B")]


def test_5_17_2_is_about_later_rounds() -> None:
    """A malfunction before the first bet: 5.16 makes that round void."""
    link = LinkedTables()
    link.round("T-1", "A", 1, 6_000_000)
    one = link.later("T-1", minutes=1)
    one.bets("B", 0, FAILED, "bet 1 P1 progressive 5.00")
    one.play("B", "void 5.16", "settle 1 P1 ante 10.00 10.00 0")
    one.play("B", "settle 1 P1 progressive 5.00 5.00 0", "end")
    assert link.own() == []
    assert link.found() == []
    link.round("T-1", "C", 1, None)
    assert link.found() == [("illegal_bet", "C")]


def test_5_17_2_where_the_device_of_one_box_failed_the_others_may_bet() -> None:
    link = LinkedTables()
    link.round("T-1", "A", 2, 6_000_000, f"{FAILED} box 2")
    link.round("T-1", "B", 1, None)
    assert link.found() == []
    link.round("T-1", "C", 2, None)
    assert link.found() == [("illegal_bet", "C")]
    assert link.audit().findings[0].box == 2


def test_5_17_2_the_notice_stands_on_the_next_day() -> None:
    first = LinkedTables()
    first.round("T-1", "A", 1, 6_000_000, FAILED)
    end = first.audit().end
    link = LinkedTables()
    link.round("T-2", "B", 1, 6_000_100)
    link.round("T-1", "C", 0, None)
    assert link.found(before=end) == []
    assert link.audit(before=end).end.failed == end.failed
    link.round("T-1", "D", 1, None)
    assert link.found(before=end) == [("illegal_bet", "D")]
    link.round("T-1", "E", 1, 6_000_300)
    assert link.found(before=end) == [("illegal_bet", "D")]
    assert not link.audit(before=end).end.failed
