"""Lines, findings and explanations on a terminal: what `evenhand replay` and `show` both print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from checks.compare import Recorded
from pipelines.investigate.words import bet_name, cards
from pipelines.safe_text import for_terminal
from pipelines.tables import Cell, columns, print_table
from replay.answer import Finding, Key, Line
from replay.findings import dollars, signed_dollars

COLOURS = {
    "money": "red",
    "procedure": "yellow",
    "integrity": "magenta",
    "judgement": "cyan",
    "note": "blue",
}
_MONEY = ("stake", "derived", "recorded", "difference")
_FOLDS = ("bet", "derived", "outcome", "clauses", "recorded")


def outcome_of(line: Line | None) -> str:
    """`win 3:2`, `stand off`, or a dash where no line is due."""
    if line is None:
        return "no line"
    return line.outcome.replace("_", " ") + (f" {line.odds}" if line.odds else "")


def place_of(key: Key) -> str:
    return f"{key[0]}" if key[1] == 1 else f"{key[0]}.{key[1]}"


def print_lines(
    out: Console,
    lines: Iterable[tuple[Key, Line | None]],
    recorded: Mapping[Key, Recorded] | None = None,
    *,
    due: bool = True,
) -> None:
    """The lines of a round: with their clauses, or beside what the table recorded.

    Money is told as what goes back and what is won.
    """
    names = ["box", "player", "bet", "stake", "derived", "outcome"]
    names += ["clauses"] if recorded is None else ["recorded", "difference"]
    rows = []
    for key, line in lines:
        row: list[Cell] = [place_of(key), key[2], bet_name(key[3])]
        row += ["-", "-"] if line is None else [dollars(line.stake), back_and_won(line)]
        row.append(outcome_of(line))
        if recorded is not None:
            row += _recorded(line, recorded.get(key), due=due)
        else:
            row.append(_cited(line))
        rows.append(row)
    print_table(out, columns(*names, right=_MONEY, folds=_FOLDS), rows)


def back_and_won(line: Line | Recorded) -> str:
    """`25.00 + 37.50`: what goes back of the stake, and what is won."""
    return f"{dollars(line.stake_returned)} + {dollars(line.winnings)}"


def _recorded(line: Line | None, found: Recorded | None, *, due: bool) -> list[Cell]:
    if found is None:
        missing = due and line is not None
        owed = 0 if line is None else line.stake_returned + line.winnings
        return [Text("not settled", style="red" if missing else "dim"), _less(-owed * missing)]
    owed = 0 if line is None else line.stake_returned + line.winnings
    right = line is not None and (
        (found.stake, found.stake_returned, found.winnings) == line.money[:3]
    )
    return [Text(back_and_won(found), style="green" if right else "red"), _less(found.paid - owed)]


def _less(cents: int) -> Text:
    if not cents:
        return Text("")
    return Text(signed_dollars(cents), style="bold red")


def _cited(line: Line | None) -> Text:
    if line is None:
        return Text("")
    text = Text(", ".join(line.clauses))
    if line.readings:
        text.append(f"  [read: {', '.join(line.readings)}]", style="cyan")
    return text


def finding_text(finding: Finding, number: int | None = None) -> Text:
    """A finding as one paragraph, in the colour of its severity."""
    style = COLOURS.get(finding.severity, "dim")
    head = f"  {finding.kind}  " if number is None else f"{number}  {finding.kind}  "
    text = Text(head, style=f"bold {style}").append(
        for_terminal(finding.message), style="not bold default"
    )
    if number is not None and finding.money:
        sign = "too much" if finding.money > 0 else "too little"
        text.append(f"  {dollars(abs(finding.money))} {sign}", style=f"bold {style}")
    return text


def rule_text(step: Mapping[str, Any], gists: Mapping[str, str]) -> Text:
    """The rule that settled a line: when it applies, its clauses with their gists, the facts."""
    text = Text(f"    YES  {step['when']} ({', '.join(step['clauses'])})", style="green")
    for number in step["clauses"]:
        if number in gists:
            text.append(f"\n         {number}: {gists[number]}", style="not bold default")
    if step.get("facts"):
        text.append(f"\n         {facts_text(step['facts'])}", style="dim")
    return text


def passed_over_text(step: Mapping[str, Any]) -> Text:
    return Text(f"    no   {step['when']} ({', '.join(step['clauses'])})", style="dim")


def facts_text(facts: Mapping[str, Any]) -> str:
    """What the rules looked at, as words: cards with suits, money as money."""
    parts = []
    for name, value in facts.items():
        shown = _show(name, value)
        if shown:
            parts.append(shown)
    return for_terminal(", ".join(parts))


def _show(name: str, value: Any) -> str:
    words = name.replace("_", " ")
    if isinstance(value, list):
        return f"{words} {cards(value)}"
    if isinstance(value, bool):
        return words if value else f"not {words}"
    if value is None:
        return ""
    if name in {"stake", "counts"}:
        return f"{words} {dollars(value)}"
    return f"{words} {value}"
