"""Why a line is as it is: the rule that settled it, its clauses, the facts, other readings; and on
request the rules that were asked first. What was said for one line is not said again for the next.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from pipelines.investigate.case import LineStory, OtherReading
from pipelines.investigate.lines_view import back_and_won, facts_text, outcome_of, place_of
from pipelines.investigate.words import bet_name
from pipelines.safe_text import for_terminal
from pipelines.tables import paragraph
from replay.answer import Key, Line


def whose(key: Key) -> str:
    """`box 2, P1 initial`."""
    return for_terminal(f"box {place_of(key)}, {key[2]} {bet_name(key[3])}")


def gives(line: Line | None) -> str:
    return "no line" if line is None else f"{back_and_won(line)} ({outcome_of(line)})"


class Reasons:
    """Tells the reasons of one line after another."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._said: set[str] = set()

    def tell(self, story: LineStory, *, passed_over: bool) -> None:
        title = Text(f"{whose(story.key)}: ", style="bold")
        self._out.print(title.append(outcome_of(story.derived), style="bold green"))
        rule = story.settled_by
        if rule is not None:
            self._out.print(f"  because {rule['when']}")
        for number, gist in story.clauses:
            told = "as above" if self._again(f"{number} {gist}") else gist
            cited = Text().append(f"  {number}  ", style="cyan").append(told)
            paragraph(self._out, cited)
        if rule is not None and rule.get("facts"):
            paragraph(self._out, Text(f"  with {facts_text(rule['facts'])}", style="dim"))
        if passed_over:
            self._passed_over(story)
        for other in story.others:
            self._reading(other)

    def _again(self, text: str) -> bool:
        again = text in self._said
        self._said.add(text)
        return again

    def _passed_over(self, story: LineStory) -> None:
        words = [f"{step['when']} ({', '.join(step['clauses'])})" for step in story.passed_over]
        new = [text for text in words if not self._again(text)]
        before = len(words) - len(new)
        if before:
            new.append(f"and {before} as above" if new else f"the same {before} as above")
        if new:
            text = f"  asked first and not so: {'; '.join(new)}"
            paragraph(self._out, Text(text, style="dim"))

    def _reading(self, other: OtherReading) -> None:
        r = other.reading
        turned_gives = f"that would give {gives(other.line)}"
        if self._again(f"reading {r.id}"):
            text = f"  depends on the reading {r.id} too; {turned_gives}"
            paragraph(self._out, Text(text, style="cyan"))
            return
        question = f"  depends on the reading {r.id}: {r.question}"
        paragraph(self._out, Text(question, style="cyan"))
        followed, turned = (r.other, r.default) if other.is_other else (r.default, r.other)
        paragraph(self._out, Text(f"    followed: {followed}"), 6)
        paragraph(self._out, Text(f"    other: {turned}; {turned_gives}"), 6)
