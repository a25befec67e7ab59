"""What every ready question must answer on the known day (known_plan.py), row by row.

The rows here are worked out by hand from the golden rounds of that day: their lines, their
findings and what was paid. Amounts are in cents; 20_00 is 20.00. Where a question sums up the whole
day, the sum is made here from the golden rounds' own lines. No row is copied from an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from tests.investigate.known_facts import Known, Money
from tests.investigate.known_plan import BJ, MB, PA, PP, TC, TD

WAIVED_UNTIL = date.today() + timedelta(days=60)

PLUS, BLACKJACK = "pontoon-plus-rws-v5", "blackjack-rws-v5"
PANDEMONIUM, MBS = "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5"
POKER = "three-card-poker-rws-v3"

Row = tuple[Any, ...]
Answer = Callable[[Known], list[Row]]


def r(table: str, number: int) -> str:
    """The id of a table's round."""
    return f"{table}-{number:06d}"


@dataclass(frozen=True)
class Among:
    """A list of paragraphs that has this one."""

    clause: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and self.clause in other

    __hash__ = None  # type: ignore[assignment]


class Told:
    """A sentence that names its round, or at least its table."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.startswith(("round ", "table "))

    __hash__ = None  # type: ignore[assignment]


TOLD = Told()
ANSWERS: dict[str, tuple[list[str], Answer]] = {}


def answers(columns: str) -> Callable[[Answer], Answer]:
    """The known answer to the question of the function's name, in these columns."""

    def register(answer: Answer) -> Answer:
        ANSWERS[answer.__name__.replace("_", "-")] = (columns.split(), answer)
        return answer

    return register


# winnings and bonuses


@answers("table_id round player bet stake odds due paid clause")
def biggest_payouts(known: Known) -> list[Row]:
    whole = (0, None, 1000_00, 1000_00)
    return [
        (TD, r(TD, 2), "P-41", "progressive", 5_00, None, 123456_78, 123456_78, "4.4"),
        (TD, r(TD, 3), "P-41", "progressive", 5_00, None, 60000_00, 60000_00, "4.4"),
        (PP, r(PP, 2), "P-01", "super_bonus", 0, None, 5000_00, 5000_00, "4.1.2"),
        (TD, r(TD, 1), "P-41", "progressive", 5_00, None, 1250_00, 1250_00, "4.4"),
        (MB, r(MB, 1), "P-31", "super_bonus", *whole, "4.1.1.1"),
        (MB, r(MB, 2), "P-31", "super_bonus", *whole, "4.1.1.1"),
        (MB, r(MB, 3), "P-31", "super_bonus", 0, None, None, 1000_00, None),  # split sevens
        (PA, r(PA, 1), "P-21", "super_bonus", *whole, "4.2"),
        (PA, r(PA, 2), "P-21", "super_bonus", 0, None, None, 1000_00, None),  # doubled sevens
        (PA, r(PA, 3), "P-21", "super_bonus", *whole, "4.2"),
        (PA, r(PA, 4), "P-21", "super_bonus", *whole, "4.2"),
        (PP, r(PP, 1), "P-01", "super_bonus", *whole, "4.1.2"),
        (PP, r(PP, 3), "P-01", "super_bonus", *whole, "4.1.2"),
        (PP, r(PP, 4), "P-01", "super_bonus", 0, None, 1000_00, None, "4.1.2"),
        (PP, r(PP, 5), "P-01", "super_bonus", *whole, "4.1.2"),
        (PP, r(PP, 6), "P-01", "super_bonus", *whole, "4.1.2"),
        (PP, r(PP, 8), "P-01", "super_bonus", 0, None, 1000_00, None, "4.1.2"),
        (PP, r(PP, 2), "P-01", "initial", 100_00, "3:1", 300_00, 300_00, "4.1.1"),
        (TD, r(TD, 3), "P-52", "envy_bonus", 0, None, 250_00, 250_00, "4.7"),
        (TD, r(TD, 3), "P-53", "envy_bonus", 0, None, 250_00, 250_00, "4.7"),
    ]


@answers("table_id round box player bet due paid clause")
def super_bonuses(known: Known) -> list[Row]:
    bonus, share = "super_bonus", "super_bonus_share"
    paid, fifty = (1000_00, 1000_00), (50_00, 50_00)
    return [
        (MB, r(MB, 1), 1, "P-31", bonus, *paid, "4.1.1.1"),
        (MB, r(MB, 1), 2, "P-32", share, *fifty, "4.1.1.2"),
        (MB, r(MB, 1), 2, "P-33", share, *fifty, "4.1.1.2"),  # here standing players too
        (MB, r(MB, 1), 3, "P-34", share, *fifty, "4.1.1.2"),
        (MB, r(MB, 2), 1, "P-31", bonus, *paid, "4.1.1.1"),
        (MB, r(MB, 2), 2, "P-32", share, 50_00, None, "4.1.1.2"),
        (MB, r(MB, 3), 1, "P-31", bonus, None, 1000_00, None),
        (PA, r(PA, 1), 1, "P-21", bonus, *paid, "4.2"),
        (PA, r(PA, 1), 2, "P-22", share, *fifty, "4.2"),
        (PA, r(PA, 2), 1, "P-21", bonus, None, 1000_00, None),
        (PA, r(PA, 3), 1, "P-21", bonus, *paid, "4.2"),
        (PA, r(PA, 3), 2, "P-22", share, 50_00, None, "4.2"),
        (PA, r(PA, 4), 1, "P-21", bonus, *paid, "4.2"),
        (PA, r(PA, 4), 2, "P-22", share, *fifty, "4.2"),
        (PA, r(PA, 4), 2, "P-33", share, None, 50_00, None),
        (PP, r(PP, 1), 1, "P-01", bonus, *paid, "4.1.2"),
        (PP, r(PP, 2), 1, "P-01", bonus, 5000_00, 5000_00, "4.1.2"),
        (PP, r(PP, 3), 1, "P-01", bonus, *paid, "4.1.2"),
        (PP, r(PP, 3), 2, "P-02", share, *fifty, "4.1.2"),
        (PP, r(PP, 3), 3, "P-04", share, *fifty, "4.1.2"),
        (PP, r(PP, 4), 1, "P-01", bonus, 1000_00, None, "4.1.2"),
        (PP, r(PP, 5), 1, "P-01", bonus, *paid, "4.1.2"),
        (PP, r(PP, 5), 2, "P-02", share, 50_00, None, "4.1.2"),
        (PP, r(PP, 6), 1, "P-01", bonus, *paid, "4.1.2"),
        (PP, r(PP, 6), 2, "P-02", share, *fifty, "4.1.2"),
        (PP, r(PP, 7), 2, "P-02", share, None, 50_00, None),
        (PP, r(PP, 8), 1, "P-01", bonus, 1000_00, None, "4.1.2"),
    ]


@answers("rulebook bet clause odds wins paid_otherwise odds_paid due paid")
def odds_paid_otherwise(known: Known) -> list[Row]:
    """The paragraph is the one that makes the bet a win; section 5 may change what counts of it."""
    return [
        # BJ 5 nothing for 20.00, BJ 6 nothing for 10.00, BJ 9 30.00 for 20.00; rightly seven times
        # 20.00: BJ 6, 14, 15, 16, 17, 19, 24
        (BLACKJACK, "initial", "3.23.2", "1:1", 10, 3, 0.8947, 190_00, 170_00),
        # TC 1 to 6: a straight of 10.00 each; paid 50, 60, 50, 25 (on half), 0 (never), 50
        (POKER, "pair_plus", "4.2", "5:1", 6, 3, 3.9167, 300_00, 235_00),
        # BJ 2: 24.00 for 30.00, beside two paid rightly (15.00 in BJ 1, 30.00 in BJ 20)
        (BLACKJACK, "initial", "3.15", "3:2", 3, 1, 1.38, 75_00, 69_00),
        (BLACKJACK, "player_pair", "3.13.1", "11:1", 2, 1, 11.5, 110_00, 115_00),  # BJ 1 and 3
        # MB 4: 20.00 for 10.00, beside MB 1 (20 and 5), 2, 5, 8, 9 (twice) and 11
        (MBS, "initial", "4.2.2", "1:1", 9, 1, 1.1053, 95_00, 105_00),
        (MBS, "player_pair", "3.5.1", "11:1", 1, 1, 0.0, 55_00, 0),  # MB 5
        (MBS, "split", "4.2.2", "1:1", 1, 1, 0.0, 10_00, 0),  # MB 6
        (PANDEMONIUM, "initial", "4.1", "3:2", 1, 1, 2.0, 30_00, 40_00),  # PA 13
        (PANDEMONIUM, "pandemonium", "3.8.1", "20:1", 1, 1, 25.0, 100_00, 125_00),  # PA 9
        (PLUS, "initial", "3.16", "3:2", 2, 1, 1.25, 60_00, 50_00),  # PP 22 and 23
        # PP 12: 120.00 for 100.00, beside 100.00 (PP 13), 49.99 (PP 15), 50.00 (PP 3) and ten of
        # 20.00: PP 3, 5, 6, 7, 10, 11, 21, 26 and both of 30
        (PLUS, "initial", "3.27.2", "1:1", 14, 1, 1.04, 499_99, 519_99),
        # TC 8: 150.00 for 100.00, beside fourteen of 20.00: TC 1 to 6, 11, 13, 14, TD 1, 2 and
        # three in TD 3 (the fourth lost)
        (POKER, "ante", "3.15.1", "1:1", 15, 1, 1.1316, 380_00, 430_00),
        (POKER, "ante_bonus", "4.3", "1:1", 6, 1, 0.8333, 120_00, 100_00),  # TC 3 of TC 1 to 6
    ]


@answers("rulebook bet bets stake due paid due_percent kept_percent")
def hold_by_bet(known: Known) -> list[Row]:
    ended = {p.id for p in known.rounds if p.status in {"settled", "void"}}
    ended -= {r(BJ, 26)}  # of a rulebook that nobody knows

    def of(some: list[Money], group: tuple[str, str]) -> list[Money]:
        return [m for m in some if m.round in ended and (m.rulebook, m.key[3]) == group]

    rows = []
    groups = {(m.rulebook, m.key[3]) for m in known.due + known.paid if m.round in ended}
    for group in sorted(groups):
        due, paid = of(known.due, group), of(known.paid, group)
        stake, owed = sum(m.stake for m in due), sum(m.total for m in due)
        given = sum(m.total for m in paid)
        percents = [None if not stake else round(100 - 100 * x / stake, 2) for x in (owed, given)]
        rows.append((*group, len(due), stake, owed, given, *percents))
    # worked out by hand: the bonus is paid where it is not due (MB 3) and never costs a stake
    assert (MBS, "super_bonus", 2, 0, 2000_00, 3000_00, None, None) in rows
    assert (BLACKJACK, "over_13", 1, 5_00, 5_00, 5_00, 0.0, 0.0) in rows  # BJ 19 goes back
    return rows


# tables, dealers, players


@answers("table_id rulebook rounds overpaid underpaid net")
def tables_that_overpay(known: Known) -> list[Row]:
    return [
        # PA 2 1000.00, PA 9 25.00, PA 13 10.00; PA 3 50.00, PA 5 20.00
        (PA, PANDEMONIUM, 13, 1035_00, 70_00, 965_00),
        # MB 3 1000.00, MB 4 20.00; MB 2 50.00, MB 5 60.00
        (MB, MBS, 13, 1020_00, 110_00, 910_00),
        # TC 2 10.00, TC 8 50.00, TC 10 20.00; TC 3 20.00, TC 4 30.00, TC 5 60.00, TC 9 10.00
        (TC, POKER, 16, 80_00, 120_00, -40_00),
        # PP 7 50.00, PP 12 20.00; PP 5 50.00, PP 8 1000.00, PP 17 20.00, PP 23 10.00, PP 28 20.00
        (PP, PLUS, 30, 70_00, 1100_00, -1030_00),
        # BJ 3 5.00, BJ 4 40.00; BJ 2 6.00, BJ 5 40.00, BJ 6 20.00
        (BJ, BLACKJACK, 25, 45_00, 66_00, -21_00),
    ]


@answers("dealer rounds errors money_errors per_100_rounds money")
def dealers_by_errors(known: Known) -> list[Row]:
    return [
        # MB 2 to 5, 13; MB 8 to 11
        ("D-4", 13, 9, 5, 69.23, 910_00),
        # TC 2 to 5, 8, 9, 10; TC 8, 11, 12, 14
        ("D-5", 16, 11, 7, 68.75, -40_00),
        # PA 2, 3, 5, 9, 13; PA 8, 10, 11
        ("D-3", 13, 8, 5, 61.54, 965_00),
        # PP 17, 18, 23, 28, BJ 2 to 7, 12; PP 21, 26, 30, BJ 5, 9, 13
        ("D-2", 28, 17, 11, 60.71, -71_00),
        # PP 5, 7, 8, 12; PP 9, 10, 12 to 15, BJ 14, 18, 19
        ("D-1", 28, 13, 4, 46.43, -980_00),
        ("D-6", 3, 0, 0, 0.0, 0),
    ]


@answers("hour rounds errors per_100_rounds")
def errors_by_hour(known: Known) -> list[Row]:
    """Rounds open five minutes apart; at TC the seventh after 50 minutes."""
    return [
        (datetime(2026, 3, 9, 22), 4 * 11 + 8 + 3, 5 + 8 + 7 + 8 + 6, 61.82),
        (datetime(2026, 3, 9, 23), 2 * 12 + 2 * 2 + 8, 9 + 5 + 1 + 1 + 5, 58.33),
        (datetime(2026, 3, 10, 0), 7 + 3, 3, 30.0),
    ]


@answers("dealer player findings money")
def player_and_dealer(known: Known) -> list[Row]:
    return [
        ("D-2", "P-01", 5, -10_00 - 6_00 + 5_00 + 40_00 - 40_00),  # PP 23, BJ 2 to 5
        ("D-5", "P-41", 5, 10_00 - 20_00 - 30_00 - 60_00 + 50_00),  # TC 2 to 5, 8
        ("D-3", "P-21", 3, 1000_00 + 25_00 + 10_00),  # PA 2, 9, 13
        ("D-4", "P-31", 2, 1000_00 + 20_00),  # MB 3, 4
        ("D-1", "P-02", 2, -50_00 + 50_00),  # PP 5, 7
        ("D-2", "P-12", 2, -20_00),  # BJ 6, 7
        ("D-4", "P-32", 2, -50_00 - 60_00),  # MB 2, 5
        ("D-1", "P-01", 2, -1000_00 + 20_00),  # PP 8, 12
    ]


@answers("player tables rounds too_much")
def players_overpaid(known: Known) -> list[Row]:
    """P-01 was paid 20.00 in a round that nobody can replay (PP 24): nobody knows what was due."""
    return [
        ("P-31", 1, 13, 1000_00 + 20_00),  # MB 3, 4
        ("P-21", 1, 13, 1000_00 + 25_00 + 10_00 - 20_00),  # PA 2, 9, 13 and 5
        ("P-33", 1, 3, 50_00),  # PA 4; at MB, where he played one round, he was paid rightly
    ]


# findings


@answers("table_id round kind box player bet money message")
def worst_findings(known: Known) -> list[Row]:
    bonus, share = "super_bonus", "super_bonus_share"
    return [
        (MB, r(MB, 3), "unowed_payment", 1, "P-31", bonus, 1000_00, TOLD),
        (PA, r(PA, 2), "unowed_payment", 1, "P-21", bonus, 1000_00, TOLD),
        (PP, r(PP, 4), "reading_conflict", 1, "P-01", bonus, -1000_00, TOLD),
        (PP, r(PP, 8), "missed_bonus", 1, "P-01", bonus, -1000_00, TOLD),
        (MB, r(MB, 5), "unsettled_bet", 1, "P-32", "player_pair", -60_00, TOLD),
        (TC, r(TC, 5), "unsettled_bet", 1, "P-41", "pair_plus", -60_00, TOLD),
        (MB, r(MB, 2), "missed_bonus", 2, "P-32", share, -50_00, TOLD),
        (PA, r(PA, 3), "missed_bonus", 2, "P-22", share, -50_00, TOLD),
        (PA, r(PA, 4), "reading_conflict", 2, "P-33", share, 50_00, TOLD),
        (PP, r(PP, 5), "missed_bonus", 2, "P-02", share, -50_00, TOLD),
        (PP, r(PP, 7), "unowed_payment", 2, "P-02", share, 50_00, TOLD),
        (TC, r(TC, 8), "wrong_stake", 1, "P-41", "ante", 50_00, TOLD),
        (BJ, r(BJ, 4), "wrong_outcome", 1, "P-01", "initial", 40_00, TOLD),
        (BJ, r(BJ, 5), "wrong_outcome", 1, "P-01", "initial", -40_00, TOLD),
        (TC, r(TC, 4), "wrong_stake", 1, "P-41", "pair_plus", -30_00, TOLD),
        (PA, r(PA, 9), "wrong_odds", 1, "P-21", "pandemonium", 25_00, TOLD),
        # ten of 20.00; the first four by table
        (MB, r(MB, 4), "wrong_stake", 1, "P-31", "initial", 20_00, TOLD),
        (BJ, r(BJ, 6), "unsettled_bet", 1, "P-12", "initial", -20_00, TOLD),
        (BJ, r(BJ, 8), "reading_conflict", 1, "P-01", "split", -20_00, TOLD),
        (PA, r(PA, 5), "missed_void", None, None, None, -20_00, TOLD),
    ]


@answers("severity kind findings tables too_much too_little")
def money_by_kind(known: Known) -> list[Row]:
    """BJ 3, a pair paid 5.00 too much, is waived."""
    return [
        ("money", "unowed_payment", 3, 3, 50_00 + 1000_00 + 1000_00, 0),
        ("money", "missed_bonus", 5, 4, 0, 3 * 50_00 + 1000_00 + 20_00),
        ("judgement", "reading_conflict", 5, 4, 10_00 + 50_00 + 20_00, 1000_00 + 20_00),
        ("money", "unsettled_bet", 4, 3, 0, 20_00 + 0 + 60_00 + 60_00),
        ("money", "wrong_stake", 4, 3, 20_00 + 20_00 + 50_00, 30_00),
        ("money", "wrong_outcome", 2, 1, 40_00, 40_00),
        ("money", "missed_void", 4, 3, 0, 3 * 20_00 + 10_00),
        ("money", "wrong_odds", 5, 4, 25_00 + 10_00 + 10_00, 10_00 + 6_00),
        ("money", "wrong_void", 4, 4, 20_00, 0),
        ("integrity", "broken_chain", 1, 1, 0, 0),
        ("integrity", "clock_backwards", 1, 1, 0, 0),
        ("integrity", "duplicate_event", 2, 1, 0, 0),
        ("integrity", "impossible_card", 1, 1, 0, 0),
        ("integrity", "incomplete_round", 2, 2, 0, 0),
        ("integrity", "meter_mismatch", 1, 1, 0, 0),
        ("integrity", "out_of_order", 1, 1, 0, 0),
        ("integrity", "sequence_gap", 1, 1, 0, 0),
        ("integrity", "shoe_mismatch", 1, 1, 0, 0),
        ("integrity", "undecodable", 2, 2, 0, 0),
        ("integrity", "unknown_rulebook", 1, 1, 0, 0),
        # PP 19, 21, 26, 30, BJ 16, 17, PA 7, 12, MB 7, TC 13, 15
        ("judgement", "discretion", 11, 5, 0, 0),
        ("note", "allocation", 1, 1, 0, 0),
        ("note", "corrected", 3, 3, 0, 0),
        ("procedure", "dealer_draw", 1, 1, 0, 0),
        ("procedure", "illegal_bet", 1, 1, 0, 0),
        # PP 9, 10, BJ 13, 14, 18, PA 8, MB 8, TC 11, 12
        ("procedure", "illegal_decision", 9, 5, 0, 0),
        ("procedure", "illegal_reconstruction", 1, 1, 0, 0),
        ("procedure", "late_bet", 4, 4, 0, 0),
        ("procedure", "missing_option", 2, 1, 0, 0),
        ("procedure", "over_limit", 3, 2, 0, 0),
        ("procedure", "side_bet_alone", 3, 3, 0, 0),
        ("procedure", "under_limit", 2, 2, 0, 0),
    ]


@answers("table_id round box hand player bet kind owed message")
def unsettled_bets(known: Known) -> list[Row]:
    bet, bonus = "unsettled_bet", "missed_bonus"
    return [
        (PP, r(PP, 8), 1, 1, "P-01", "super_bonus", bonus, 1000_00, TOLD),
        (MB, r(MB, 5), 1, 1, "P-32", "player_pair", bet, 60_00, TOLD),
        (TC, r(TC, 5), 1, 1, "P-41", "pair_plus", bet, 60_00, TOLD),
        (MB, r(MB, 2), 2, 1, "P-32", "super_bonus_share", bonus, 50_00, TOLD),
        (PA, r(PA, 3), 2, 1, "P-22", "super_bonus_share", bonus, 50_00, TOLD),
        (PP, r(PP, 5), 2, 1, "P-02", "super_bonus_share", bonus, 50_00, TOLD),
        (BJ, r(BJ, 6), 1, 1, "P-12", "initial", bet, 20_00, TOLD),
        (TC, r(TC, 3), 1, 1, "P-41", "ante_bonus", bonus, 20_00, TOLD),
        (BJ, r(BJ, 7), 1, 1, "P-12", "initial", bet, 0, TOLD),  # lost, and nobody collected it
    ]


@answers("table_id round box hand player bet now_paid due is_right")
def corrections(known: Known) -> list[Row]:
    return [
        (MB, r(MB, 12), 1, 1, "P-31", "initial", 30_00, 30_00, True),
        (PA, r(PA, 13), 1, 1, "P-21", "initial", 40_00, 30_00, False),
        (PP, r(PP, 22), 1, 1, "P-01", "initial", 30_00, 30_00, True),
        (PP, r(PP, 23), 1, 1, "P-01", "initial", 20_00, 30_00, False),
        (TC, r(TC, 6), 1, 1, "P-41", "pair_plus", 50_00, 50_00, True),
    ]


@answers("table_id round kind money who reason expires")
def waived_findings(known: Known) -> list[Row]:
    waived = ("A. Tan", "paid as an old layout said", WAIVED_UNTIL)
    return [(BJ, r(BJ, 3), "wrong_odds", 5_00, *waived)]


# readings


@answers("table_id round box hand player bet money clauses message")
def reading_conflicts(known: Known) -> list[Row]:
    return [
        (PP, r(PP, 4), 1, 1, "P-01", "super_bonus", -1000_00, Among("4.1.2"), TOLD),
        (PA, r(PA, 4), 2, 1, "P-33", "super_bonus_share", 50_00, Among("4.2"), TOLD),
        (BJ, r(BJ, 8), 1, 2, "P-01", "split", -20_00, Among("3.21.3"), TOLD),
        (TC, r(TC, 7), 1, 1, "P-41", "ante_bonus", 20_00, Among("3.16"), TOLD),
        (BJ, r(BJ, 9), 1, 1, "P-01", "initial", 10_00, Among("5.8"), TOLD),
    ]


@answers("reading rulebook rounds lines stake due")
def readings_at_stake(known: Known) -> list[Row]:
    return [
        # TC 1 to 6 15.00 each, TD 1 to 3
        ("jackpot-stake", POKER, 9, 9, 45_00, 90_00 + 1250_00 + 123456_78 + 60000_00),
        ("super-bonus-99-to-100", PLUS, 1, 1, 0, 1000_00),
        # PP 1, 3, 5, 6, 8 with 20.00 at 2 to 1, PP 4 with 99.50 at 2 to 1, PP 2 at 3 to 1
        ("super-bonus-and-odds", PLUS, 7, 7, 299_50, 5 * 60_00 + 298_50 + 400_00),
        ("play-on-over-limit-ante", POKER, 1, 1, 150_00, 250_00),
        ("super-bonus-and-odds", PANDEMONIUM, 3, 3, 30_00, 90_00),
        ("after-illegal-reconstruction", PLUS, 1, 2, 40_00, 60_00),
        ("reconstruction-in-the-subsequent-deal", BLACKJACK, 1, 2, 40_00, 60_00),
        ("late-bet", BLACKJACK, 1, 1, 30_00, 50_00),
        ("super-bonus-share-mbs", MBS, 1, 1, 0, 50_00),
        ("play-below-ante", POKER, 1, 1, 20_00, 40_00),
        ("late-withdrawal", PANDEMONIUM, 1, 1, 15_00, 30_00),
        ("split-hand-odds", MBS, 1, 1, 10_00, 30_00),
        ("late-bet", MBS, 1, 1, 15_00, 25_00),
        ("fold-by-pair-plus", POKER, 1, 1, 10_00, 20_00),
        ("interruption-without-a-clause", PANDEMONIUM, 1, 1, 10_00, 20_00),
        ("split-vs-dealer-blackjack", BLACKJACK, 1, 1, 20_00, 20_00),
        ("late-bet", PLUS, 1, 1, 30_00, 10_00),
        ("side-bet-without-own-initial", PANDEMONIUM, 1, 1, 5_00, 5_00),
        ("undecided-ante", POKER, 1, 2, 30_00, 0),
    ]


# play


@answers("rulebook decision clause times dealers")
def decisions_against_the_rules(known: Known) -> list[Row]:
    """The decision in BJ 18 came twice over the line, and counts once."""
    return [
        (BLACKJACK, "surrender", "3.16", 2, 2),
        (PLUS, "surrender", "3.18", 2, 1),
        (BLACKJACK, "stand", "3.19", 1, 1),
        (MBS, "surrender", "3.10", 1, 1),
        (PANDEMONIUM, "surrender", "3.10", 1, 1),
        (POKER, "fold", "3.12", 1, 1),
        (POKER, None, "3.12", 1, 1),  # TC 11: neither folded nor played
    ]


@answers("table_id round box hand player dealer clauses message")
def surrenders_against_the_rules(known: Known) -> list[Row]:
    return [
        (MB, r(MB, 8), 2, 1, "P-32", "D-4", Among("3.10"), TOLD),
        (BJ, r(BJ, 13), 1, 1, "P-01", "D-2", Among("3.16"), TOLD),
        (BJ, r(BJ, 14), 2, 1, "P-12", "D-1", Among("3.16"), TOLD),
        (PA, r(PA, 8), 1, 1, "P-21", "D-3", Among("3.10"), TOLD),
        (PP, r(PP, 9), 1, 1, "P-01", "D-1", Among("3.18"), TOLD),
        (PP, r(PP, 10), 2, 1, "P-02", "D-1", Among("3.18"), TOLD),
    ]


@answers("kind rulebook clause findings dealers money")
def late_and_oversized_bets(known: Known) -> list[Row]:
    return [
        ("over_limit", PLUS, "5.1.1", 2, 1, 20_00),  # PP 12 paid on all of it, PP 13 not
        ("illegal_bet", POKER, "5.3.2", 1, 1, 0),
        ("late_bet", BLACKJACK, "5.8", 1, 1, 10_00),  # BJ 9 settled as if in time
        ("late_bet", MBS, "5.3", 1, 1, 0),
        ("late_bet", PANDEMONIUM, "5.2", 1, 1, 0),
        ("late_bet", PLUS, "5.8", 1, 1, 0),
        ("over_limit", POKER, "5.1.1", 1, 1, 50_00),  # TC 8
        ("side_bet_alone", BLACKJACK, "5.15", 1, 1, 0),
        ("side_bet_alone", MBS, "3.5.2", 1, 1, 0),
        ("side_bet_alone", PANDEMONIUM, "3.3", 1, 1, 0),
        ("under_limit", MBS, "3.11", 1, 1, 0),
        ("under_limit", PLUS, "5.2.1", 1, 1, 0),
    ]


@answers("kind rulebook times rounds void")
def irregularities_by_kind(known: Known) -> list[Row]:
    return [
        ("dealing_error", PLUS, 2, 2, 0),  # PP 21, 26
        ("foreign_card", PLUS, 2, 2, 2),  # PP 16, 20
        ("card_shortage", BLACKJACK, 1, 1, 1),  # BJ 11
        ("card_shortage", PLUS, 1, 1, 1),  # PP 29
        ("dealing_error", BLACKJACK, 1, 1, 0),  # BJ 17
        ("dealing_error", MBS, 1, 1, 1),  # MB 7
        ("dealing_error", PANDEMONIUM, 1, 1, 1),  # PA 7
        ("extra_hand_examined", POKER, 1, 1, 0),  # TC 13
        ("foreign_card", PANDEMONIUM, 1, 1, 1),  # PA 6
        ("jackpot_malfunction", POKER, 1, 1, 0),  # TC 10
        ("missing_burn", POKER, 1, 1, 1),  # TC 15
        ("simultaneous_cards", BLACKJACK, 1, 1, 0),  # BJ 16
        ("simultaneous_cards", PLUS, 1, 1, 0),  # PP 30
        ("technical_interruption", BLACKJACK, 1, 1, 1),  # BJ 10
        ("technical_interruption", PANDEMONIUM, 1, 1, 0),  # PA 12
        ("technical_interruption", PLUS, 1, 1, 1),  # PP 27
    ]


@answers("noted_by ruling rulebook clause rulings")
def rulings_by_rank(known: Known) -> list[Row]:
    """The ruling in BJ 17 came twice over the line, and counts once."""
    manager, supervisor = "pit_manager", "pit_supervisor"
    return [
        (manager, "not_reconstructable", PLUS, "5.9", 1),  # PP 21
        (manager, "reconstructable", PLUS, "5.9", 1),  # PP 26
        (supervisor, "card_order", BLACKJACK, "5.12", 1),  # BJ 16
        (supervisor, "card_order", PLUS, "5.12", 1),  # PP 30
        (supervisor, "intentional_examination", POKER, "5.18", 1),  # TC 13
        (supervisor, "not_reconstructable", MBS, "5.2", 1),  # MB 7
        (supervisor, "not_reconstructable", PANDEMONIUM, "5.1.2", 1),  # PA 7
        (supervisor, "not_reconstructable", POKER, "5.9", 1),  # TC 15
        (supervisor, "reconstructable", BLACKJACK, "5.9", 1),  # BJ 17
    ]


@answers("rulebook clause verdict rounds gist")
def voids_by_clause(known: Known) -> list[Row]:
    declared, missed, groundless = "as declared", "missed", "without ground"
    return [
        (BLACKJACK, "5.4.2", declared, 1, GIST),  # BJ 10
        (BLACKJACK, "5.4.2", groundless, 1, GIST),  # BJ 12
        (BLACKJACK, "5.5.2", declared, 1, GIST),  # BJ 11
        (MBS, "5.2", declared, 1, GIST),  # MB 7
        (MBS, "5.3", groundless, 1, GIST),  # MB 13
        (PANDEMONIUM, "5.1.1", declared, 1, GIST),  # PA 6
        (PANDEMONIUM, "5.1.1", missed, 1, GIST),  # PA 5
        (PANDEMONIUM, "5.1.2", declared, 1, GIST),  # PA 7
        (PLUS, "5.19", declared, 1, GIST),  # PP 19
        (PLUS, "5.19", groundless, 1, GIST),  # PP 18
        (PLUS, "5.4.2", declared, 1, GIST),  # PP 27
        (PLUS, "5.5.1", declared, 2, GIST),  # PP 16, 20
        (PLUS, "5.5.2", declared, 1, GIST),  # PP 29
        (PLUS, "5.5.2", missed, 1, GIST),  # PP 28
        (PLUS, "5.5.4", missed, 1, GIST),  # PP 17
        (POKER, "5.16", groundless, 1, GIST),  # TC 10
        (POKER, "5.8.1", missed, 1, GIST),  # TC 9
        (POKER, "5.9", declared, 1, GIST),  # TC 15
    ]


class Gist:
    """What a paragraph says, in some words."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and len(other) > 10

    __hash__ = None  # type: ignore[assignment]


GIST = Gist()


@answers("table_id round verdict void_clause declared_void declared_by reason money")
def voids_in_dispute(known: Known) -> list[Row]:
    missed, groundless = "missed", "without ground"
    return [
        (MB, r(MB, 13), groundless, None, "5.3", "pit_manager", "late chips", 0),
        (BJ, r(BJ, 12), groundless, None, "5.4.2", "pit_supervisor", "power failure", 0),
        (PA, r(PA, 5), missed, "5.1.1", None, None, None, -20_00),
        (PP, r(PP, 17), missed, "5.5.4", None, None, None, -20_00),
        (PP, r(PP, 18), groundless, None, "5.19", "pit_supervisor", "dispute", 0),
        (PP, r(PP, 28), missed, "5.5.2", None, None, None, -20_00),
        (TC, r(TC, 9), missed, "5.8.1", None, None, None, -10_00),
        (TC, r(TC, 10), groundless, None, "5.16", "pit_manager", "void", 20_00),
    ]


# meter, shoes and record


@answers("jackpot seen_at table_id round amount change won won_at won_in")
def meter_falls(known: Known) -> list[Row]:
    """Each meter is read after the bets are closed, which is the event before it."""

    def read(round_: str) -> datetime:
        (played,) = [p for p in known.rounds if p.id == round_]
        place = [type(e).__name__ for e in played.events].index("JackpotRead")
        return played.opened.replace(second=played.opened.second + place)

    won, fell = (123456_78, TD, r(TD, 2)), 60000_00 - 123456_78
    then = (60000_00, TD, r(TD, 3))
    return [
        ("main", read(r(TD, 3)), TD, r(TD, 3), 60000_00, fell, *won),
        ("main", read(r(TC, 7)), TC, r(TC, 7), 48210_50, 48210_50 - 60000_00, *then),
        ("main", read(r(TC, 9)), TC, r(TC, 9), 40000_00, 40000_00 - 48210_50, None, None, None),
    ]


@answers("table_id shoe decks rounds cards_drawn cards_left mismatches")
def shoes_that_do_not_add_up(known: Known) -> list[Row]:
    """The shoe of BJ 24 ends with two cards fewer than it must have."""
    shoe = next(s for s in known.shoes if s.table == BJ and s.left == 6 * 52 - s.drawn - 2)
    assert shoe.rounds > 1
    return [(BJ, shoe.name, 6, shoe.rounds, shoe.drawn, shoe.left, 1)]


@answers("kind table_id round seq message")
def record_broken(known: Known) -> list[Row]:
    found = [f for f in known.found if f.severity == "integrity"]
    found.sort(key=lambda f: (f.table, f.seq is None, f.seq or 0))
    assert [(f.kind, f.round) for f in found] == [
        ("undecodable", None),
        ("duplicate_event", r(BJ, 17)),
        ("duplicate_event", r(BJ, 18)),
        ("sequence_gap", r(BJ, 20)),
        ("out_of_order", r(BJ, 21)),
        ("broken_chain", r(BJ, 22)),
        ("undecodable", r(BJ, 23)),
        ("shoe_mismatch", r(BJ, 24)),
        ("clock_backwards", r(BJ, 25)),
        ("unknown_rulebook", r(BJ, 26)),
        ("impossible_card", r(PP, 24)),
        ("incomplete_round", r(PP, 25)),
        ("meter_mismatch", r(TC, 9)),
        ("incomplete_round", r(TC, 16)),
    ]
    return [(f.kind, f.table, f.round, f.seq, TOLD) for f in found]


@answers("table_id round rulebook status first_seq last_seq events")
def rounds_without_an_end(known: Known) -> list[Row]:
    wanted = {
        r(BJ, 26): ("blackjack-rws-v9", "unreplayable"),
        r(PP, 24): (PLUS, "unreplayable"),
        r(PP, 25): (PLUS, "incomplete"),
        r(TC, 16): (POKER, "incomplete"),
    }
    played = {p.id: p for p in known.rounds}
    rows = []
    for name, (book, status) in wanted.items():
        first, count = played[name].first_seq, len(played[name].events)
        rows.append((played[name].table, name, book, status, first, first + count - 1, count))
    return rows


@answers("suite check_name blocking observed failed_rows examples")
def quality_failures(known: Known) -> list[Row]:
    return []


# the runs


@answers("current revision complete")
def where_a_day_comes_from(known: Known) -> list[Row]:
    """The first night was superseded by the one after the waiver."""
    return [(False, 1, True), (True, 1, True)]
