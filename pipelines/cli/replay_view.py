"""Answers as a person reads them: a table per round, findings under it, the rules on request."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replay.answer import Answer, Line
from replay.findings import dollars
from replay.registry import rulebook

COLOURS = {"money": "red", "procedure": "yellow", "integrity": "magenta", "judgement": "cyan"}


def show_answers(answers: list[Answer], console: Console | None = None) -> None:
    out = console or Console(highlight=False)
    for answer in answers:
        show_answer(answer, out)
    count = sum(len(answer.findings) for answer in answers)
    out.print(f"{len(answers)} rounds, {count} findings")


def show_answer(answer: Answer, out: Console) -> None:
    """One round: what it was, its lines, its findings."""
    void = f", void under {answer.void_clause}" if answer.void_clause else ""
    where = f" at {answer.table}" if answer.table else ""
    out.print(
        Text(f"{answer.round}{where}  ", style="bold").append(
            f"{answer.rulebook or 'no rulebook'}, {answer.status}{void}", style="not bold"
        )
    )
    if answer.lines:
        out.print(_lines(answer.lines))
    for finding in answer.findings:
        style = COLOURS.get(finding.severity, "dim")
        out.print(Text(f"  {finding.kind}  ", style=style).append(finding.message, style="default"))
    if answer.traces:
        _explain(answer, out)
    out.print()


def _lines(lines: list[Line]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("box", "player", "bet", "stake", "back", "winnings", "outcome", "clauses"):
        money = name in {"stake", "back", "winnings"}
        table.add_column(name, justify="right" if money else "left", no_wrap=name != "clauses")
    for line in lines:
        place = f"{line.box}" if line.hand == 1 else f"{line.box}.{line.hand}"
        outcome = line.outcome.replace("_", " ") + (f" {line.odds}" if line.odds else "")
        cited = ", ".join(line.clauses)
        if line.readings:
            cited += f"  [read: {', '.join(line.readings)}]"
        table.add_row(
            place,
            line.player,
            line.bet,
            dollars(line.stake),
            dollars(line.stake_returned),
            dollars(line.winnings),
            outcome,
            Text(cited),
        )
    return table


def _explain(answer: Answer, out: Console) -> None:
    """For each line the rule that settled it, and the ones before it that did not apply."""
    book = rulebook(answer.rulebook or "")
    gists = {} if book is None else book.gists
    for (box, hand, player, bet), steps in sorted((answer.traces or {}).items()):
        out.print(Text(f"  box {box} hand {hand} {player} {bet}", style="bold"))
        for step in steps:
            out.print(_step(step, gists))


def _step(step: dict[str, Any], gists: Any) -> Text:
    clauses = ", ".join(step["clauses"])
    if not step["applies"]:
        return Text(f"    no   {step['when']} ({clauses})", style="dim")
    text = Text(f"    YES  {step['when']} ({clauses})", style="green")
    for number in step["clauses"]:
        if number in gists:
            text.append(f"\n         {number}: {gists[number]}", style="not bold default")
    facts = step.get("facts")
    if facts:
        shown = ", ".join(f"{name} {_show(value)}" for name, value in facts.items())
        text.append(f"\n         {shown}", style="dim")
    return text


def _show(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(str(item) for item in value) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
