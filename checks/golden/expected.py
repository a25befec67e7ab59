"""What a golden round expects: lines and findings, read from and written in its language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checks.golden.words import Cited, cents, cited, clause_list, place

if TYPE_CHECKING:  # who only reads golden rounds imports nothing of replay
    from replay.answer import Finding, Line

LINE = re.compile(
    r"(?P<place>\d+(\.\d+)?) (?P<player>\S+) (?P<bet>\w+) (?P<stake>[\d.]+): "
    r"(?P<outcome>\w+) (?P<returned>[\d.]+) \+ (?P<winnings>[\d.]+)"
    r"( \((?P<clauses>[^)]*)\))?( \{(?P<readings>[^}]*)\})?"
)
FINDING = re.compile(
    r"(?P<kind>\w+)( (?P<place>\d+(\.\d+)?))?( (?P<player>P\w+))?( (?P<bet>[a-z_0-9]+))?"
    r"( (?P<money>[+-][\d.]+))?( \((?P<clauses>[^)]*)\))?( @ (?P<step>.+))?"
)


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    key: tuple[int, int, str, str]
    money: tuple[int, int, int, str]  # stake, stake returned, winnings, outcome
    cited: Cited
    readings: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    kind: str
    place: tuple[int, int] | None
    player: str | None
    bet: str | None
    money: int | None
    cited: Cited
    step: str | None  # the line of play that shows it


def parse_line(text: str) -> ExpectedLine:
    m = LINE.fullmatch(text.strip())
    if m is None:
        raise ValueError(f"not an expected line: {text}")
    box, hand = place(m["place"])
    readings = clause_list(m["readings"]) if m["readings"] is not None else None
    return ExpectedLine(
        (box, hand, m["player"], m["bet"]),
        (cents(m["stake"]), cents(m["returned"]), cents(m["winnings"]), m["outcome"]),
        cited(m["clauses"]),
        readings,
    )


def parse_finding(text: str) -> ExpectedFinding:
    m = FINDING.fullmatch(text.strip())
    if m is None:
        raise ValueError(f"not an expected finding: {text}")
    money = None
    if m["money"]:
        money = cents(m["money"][1:]) * (-1 if m["money"][0] == "-" else 1)
    where = place(m["place"]) if m["place"] else None
    return ExpectedFinding(
        m["kind"], where, m["player"], m["bet"], money, cited(m["clauses"]), m["step"]
    )


def _place(box: int | None, hand: int | None) -> str:
    return str(box) if hand in {None, 0, 1} else f"{box}.{hand}"


def _amount(amount_cents: int) -> str:
    """As the language writes it: no thousands, and no cents where there are none."""
    whole, part = divmod(amount_cents, 100)
    return f"{whole}.{part:02d}" if part or whole else "0"


def _cites(found: Cited | tuple[str, ...]) -> str:
    if isinstance(found, Cited):
        only = "only " if found.only else ""
        return f" ({only}{', '.join(found.clauses)})" if found.clauses else ""
    return f" ({', '.join(found)})" if found else ""


def _line(
    key: tuple[int, int, str, str],
    money: tuple[int, int, int, str],
    found: Cited | tuple[str, ...],
    readings: tuple[str, ...] | None,
) -> str:
    box, hand, player, bet = key
    stake, returned, winnings, outcome = money
    braces = "" if not readings else f" {{{', '.join(readings)}}}"
    return (
        f"{_place(box, hand)} {player} {bet} {_amount(stake)}: {outcome} {_amount(returned)} + "
        f"{_amount(winnings)}{_cites(found)}{braces}"
    )


def expected_line_text(want: ExpectedLine) -> str:
    return _line(want.key, want.money, want.cited, want.readings)


def line_text(line: Line) -> str:
    """A line of an answer as a golden round would expect it."""
    return _line(line.key, line.money, line.clauses, line.readings)


def expected_finding_text(want: ExpectedFinding) -> str:
    money = "" if want.money is None else f" {'+' if want.money > 0 else '-'}{_abs(want.money)}"
    parts = [want.kind, None if want.place is None else _place(*want.place), want.player, want.bet]
    step = "" if want.step is None else f" @ {want.step}"
    return " ".join(p for p in parts if p) + money + _cites(want.cited) + step


def finding_text(found: Finding, steps: Mapping[str, range]) -> str:
    """A finding of an answer as a golden round would expect it, with its message."""
    at = next((line for line, places in steps.items() if found.at in places), None)
    want = ExpectedFinding(
        kind=found.kind,
        place=None if found.box is None else (found.box, found.hand or 1),
        player=found.player,
        bet=found.bet,
        money=found.money or None,
        cited=Cited(found.clauses, only=False),
        step=at,
    )
    return f"{expected_finding_text(want)} [{found.message}]"


def _abs(amount_cents: int) -> str:
    return _amount(abs(amount_cents))
