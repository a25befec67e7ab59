"""Answers as a person reads them: a table per round, findings under it, the rules on request."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from pipelines.investigate.lines_view import finding_text, passed_over_text, print_lines, rule_text
from pipelines.safe_text import for_terminal, terminal
from replay.answer import Answer
from replay.registry import rulebook


def show_answers(answers: list[Answer], console: Console | None = None) -> None:
    out = console or terminal()
    for answer in answers:
        show_answer(answer, out)
    count = sum(len(answer.findings) for answer in answers)
    out.print(f"{len(answers)} rounds, {count} findings")


def show_answer(answer: Answer, out: Console) -> None:
    """One round: what it was, its lines, its findings."""
    void = f", void under {answer.void_clause}" if answer.void_clause else ""
    where = f" at {answer.table}" if answer.table else ""
    book = for_terminal(answer.rulebook or "no rulebook")
    out.print(
        Text(f"{for_terminal(answer.round + where)}  ", style="bold").append(
            f"{book}, {answer.status}{void}", style="not bold"
        )
    )
    if answer.lines:
        print_lines(out, [(line.key, line) for line in answer.lines])
    for finding in answer.findings:
        out.print(finding_text(finding))
    if answer.traces:
        _explain(answer, out)
    out.print()


def _explain(answer: Answer, out: Console) -> None:
    """For each line the rule that settled it, and the ones before it that did not apply."""
    book = rulebook(answer.rulebook or "")
    gists = {} if book is None else book.gists
    for (box, hand, player, bet), steps in sorted((answer.traces or {}).items()):
        out.print(Text(for_terminal(f"  box {box} hand {hand} {player} {bet}"), style="bold"))
        for step in steps:
            out.print(rule_text(step, gists) if step["applies"] else passed_over_text(step))
