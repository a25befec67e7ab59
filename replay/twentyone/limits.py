"""Limits as Pontoon Plus and Blackjack have them (5.1 and 5.2, the same in both texts)."""

from __future__ import annotations

from replay.answer import Key
from replay.facts import LATER_BETS
from replay.findings import Findings, dollars
from replay.readings import Readings
from replay.stakes import Stake
from replay.twentyone.table import TwentyOneTable


def by_box(table: TwentyOneTable, stakes: dict[Key, Stake], findings: Findings) -> None:
    """What counts of each stake."""
    _pro_rata(table, stakes, findings)
    _later_bets(stakes, table.readings)


def _pro_rata(table: TwentyOneTable, stakes: dict[Key, Stake], findings: Findings) -> None:
    """Each bet name on each box against its limits; what is over counts only in proportion."""
    groups: dict[tuple[int, str], list[Key]] = {}
    limits = table.round.limits
    for key, stake in stakes.items():
        if key[3] in limits and key[3] not in LATER_BETS and stake.basis:
            groups.setdefault((key[0], key[3]), []).append(key)
    for (_, bet), keys in groups.items():
        low, high = limits[bet]
        total = sum(stakes[key].basis for key in keys)
        if total > high:
            says = f"{dollars(total)} on the box, the maximum is {dollars(high)}"
            _find(findings, "over_limit", ("5.1.1", "5.1", "3.5"), says, keys)
            back = [key for key in keys if (key[0], key[2]) in table.taken_back]
            if back and len(back) < len(keys):
                total = _of_those_who_stay(table, stakes, keys, back, total)
            if total > high:
                stakes.update(_shares(keys, stakes, low, high, total, table.readings))
        elif total and total < low:
            says = f"{dollars(total)} on the box, the minimum is {dollars(low)}"
            _find(findings, "under_limit", ("5.2.1", "5.2", "3.5"), says, keys)
            for key in keys:
                amount, basis, clauses = stakes[key]
                stakes[key] = Stake(amount, basis, (*clauses, "5.2.1"))


def _of_those_who_stay(
    table: TwentyOneTable, stakes: dict[Key, Stake], keys: list[Key], back: list[Key], total: int
) -> int:
    """The total that is shared: as at the close, or of those who did not take back."""
    if table.readings.other("pro-rata-after-a-take-back"):
        return sum(stakes[key].basis for key in keys if key not in back)
    return total


def _find(
    findings: Findings, kind: str, clauses: tuple[str, ...], says: str, keys: list[Key]
) -> None:
    """A finding about one bet of a box, shown by its last chips."""
    box, _, _, bet = keys[0]
    last = max(findings.round.bets[key].last for key in keys)
    findings.add(kind, clauses, says, at=last, box=box, bet=bet)


def _shares(
    keys: list[Key],
    stakes: dict[Key, Stake],
    low: int,
    high: int,
    total: int,
    readings: Readings,
) -> dict[Key, Stake]:
    small = [key for key in keys if stakes[key].basis < low]
    if small and readings.other("pro-rata"):
        total = sum(stakes[key].basis for key in keys if key not in small)
    out: dict[Key, Stake] = {}
    for key in keys:
        amount, basis, clauses = stakes[key]
        if key in small:  # under the minimum himself: his stake counts whole
            out[key] = Stake(amount, basis, (*clauses, "5.1.2"))
            continue
        counts = max(basis * high // max(total, high), low)
        out[key] = Stake(amount, min(counts, basis), (*clauses, "5.1.1"))
    return out


def _later_bets(stakes: dict[Key, Stake], readings: Readings) -> None:
    """Double, split and insurance on an initial bet that counts only in part."""
    for key, (amount, basis, clauses) in list(stakes.items()):
        if key[3] not in LATER_BETS:
            continue
        initial = stakes.get((key[0], 1, key[2], "initial"))
        if initial is None or "5.1.1" not in initial.clauses or initial.basis == initial.amount:
            continue
        cap = initial.basis // 2 if key[3] == "insurance" else initial.basis
        if basis > cap and not readings.other("over-limit-and-later-bets"):
            stakes[key] = Stake(amount, cap, (*clauses, "5.1.1"))
