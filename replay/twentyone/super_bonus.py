"""The super bonus: 7-7-7 of one suit against a dealer's first 7, and the $50 for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from replay.answer import Key, Line
from replay.cards import SUITS
from replay.lines import payment
from replay.readings import Readings
from replay.twentyone.case import TwentyOneCase, counts_as_doubled
from replay.twentyone.hands import Box, Hand
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import Dealer

_SEVENS = frozenset((f"7{suit}",) * 3 for suit in SUITS)
LOWEST, HIGHER = 10_00, 100_00
SMALL, LARGE, SHARE = 1_000_00, 5_000_00, 50_00


class SuperBonus(NamedTuple):
    """A rulebook's paragraphs on the super bonus."""

    pays: tuple[str, ...]
    shares: tuple[str, ...]
    every_wager: bool  # the text gives the $50 to every other original wager
    bars: str | None = None  # a paragraph that keeps the wagers it decides from the $50
    limits: bool = True  # the text has limits over which a bet counts only in part


def three_sevens(faces: tuple[str, ...]) -> bool:
    """7-7-7 of one suit."""
    return faces in _SEVENS


def is_super(hand: Hand, faces: tuple[str, ...], dealer_first: str) -> bool:
    """The hand itself, as it counts when it is not doubled: not split, against a 7."""
    return dealer_first[:1] == "7" and not hand.split and three_sevens(faces)


def row(basis: int, readings: Readings) -> int:
    """What a bet of this size gets; nothing under $10."""
    if basis < LOWEST:
        return 0
    if basis >= HIGHER:
        return LARGE
    if basis > 99_00 and readings.other("super-bonus-99-to-100"):
        return 0
    return SMALL


def due_to(case: TwentyOneCase) -> bool:
    """Whether this bet is paid a super bonus: asked where it may replace the odds."""
    if case.doubled or not is_super(case.hand, case.view.faces, case.dealer.first):
        return False
    return bool(_winners(case.table, case.box, {case.player: case.stake.basis}, case.readings))


def _winners(
    table: TwentyOneTable, box: Box, initials: Mapping[str, int], readings: Readings
) -> dict[str, int]:
    """Player -> super bonus on one winning box."""
    due = {player: row(basis, readings) for player, basis in initials.items()}
    due = {player: cents for player, cents in due.items() if cents}
    if len(box.initials) > 1 and readings.other("super-bonus-per-player"):
        due = {player: cents for player, cents in due.items() if player == box.seated}
    return due


def payments(
    book: SuperBonus,
    table: TwentyOneTable,
    dealer: Dealer,
    lines: Mapping[Key, Line],
    readings: Readings,
) -> list[Line]:
    """The super bonuses of a round and the shares of the others."""
    if dealer.first[:1] != "7":
        return []
    supers: dict[int, dict[str, int]] = {}
    small: dict[int, dict[str, int]] = {}  # the hand is there, but no bet on it gets a row
    for box in table.boxes.values():
        hand = box.hands[1]
        view = hand.views.get(False)
        if view is None or not is_super(hand, view.faces, dealer.first):
            continue
        plain = (p for p in box.initials if not counts_as_doubled(table, hand, p))
        decided = (lines.get((box.no, 1, player, "initial")) for player in plain)
        initials = {
            line.player: _counts(book, line, readings)
            for line in decided
            if line is not None and line.outcome == "win"
        }
        due = _winners(table, box, initials, readings)
        if due:
            supers[box.no] = due
        elif initials:
            small[box.no] = initials
    out = [
        payment(box_no, player, "super_bonus", cents, book.pays)
        for box_no, due in supers.items()
        for player, cents in due.items()
    ]
    if not supers and small and readings.other("super-bonus-under-10"):
        supers = small  # the $50 is due all the same, and these are not the others
    if supers:
        out += _shares(book, table, lines, supers, readings)
    return out


def _counts(book: SuperBonus, line: Line, readings: Readings) -> int:
    """The amount by which the row is chosen, where a bet counts only in part."""
    if book.limits and line.basis != line.stake and readings.other("over-limit-and-later-bets"):
        return line.stake
    return line.basis


def _shares(
    book: SuperBonus,
    table: TwentyOneTable,
    lines: Mapping[Key, Line],
    supers: Mapping[int, Mapping[str, int]],
    readings: Readings,
) -> list[Line]:
    count = len(supers)
    each = count > 1 and readings.other("several-super-bonuses")
    out = []
    for box in table.boxes.values():
        for player in _takers(book, box, supers, readings, each=each):
            line = lines.get((box.no, 1, player, "initial"))
            if line is None or line.outcome == "returned":
                continue
            if book.bars in line.clauses and not readings.other("super-bonus-share-of-a-double"):
                continue
            bonuses = (count - (box.no in supers)) if each else 1
            out.append(payment(box.no, player, "super_bonus_share", SHARE * bonuses, book.shares))
    return out


def _takers(
    book: SuperBonus,
    box: Box,
    supers: Mapping[int, Mapping[str, int]],
    readings: Readings,
    *,
    each: bool,
) -> list[str]:
    """Who gets the $50 on a box."""
    winners = supers.get(box.no)
    seated = [player for player in box.initials if player == box.seated]
    if book.every_wager:
        if readings.other("super-bonus-share-mbs"):
            return seated if winners is None or each else []
        return [p for p in box.initials if winners is None or each or p not in winners]
    if winners is not None and not each:
        return []
    if box.initials.keys() - {box.seated} and readings.other("super-bonus-share"):
        return list(box.initials)
    return seated
