"""What a draft would have done to past play, as one page: the rehearsal pack for an approval."""

from __future__ import annotations

from pipelines.investigate.words import bet_name, place
from pipelines.pages.templating import environment
from pipelines.rulebook_diff import difference
from pipelines.whatif.period import WhatIfReport
from pipelines.whatif.replay import Change
from replay.answer import Key, Line
from replay.findings import dollars
from replay.registry import rulebook

SHOWN = 200


def page(report: WhatIfReport, change: Change, old_id: str | None) -> str:
    """Self-contained, without a script, and good on paper."""
    played = sorted(report.sums.books)
    book = rulebook(change.book_id or "")
    before = rulebook(old_id or (played[0] if len(played) == 1 else ""))
    compared = None if book is None or before is None else difference(before, book)
    return (
        environment("pipelines.whatif", {"bet": _bet, "line": _line})
        .get_template("page.html.j2")
        .render(
            report=report,
            sums=report.sums,
            currencies=report.sums.by_currency(),
            several=len(report.sums.by_currency()) > 1,
            book=book,
            draft=change.draft is not None,
            turned=sorted(change.turned ^ change.usual),
            compared=compared,
            tables=report.sums.by_table(),
            clauses=report.sums.by_clause(),
            shown=list(report.changed(SHOWN)),
        )
    )


def _bet(key: Key) -> str:
    box, hand, _, bet = key
    return f"{bet_name(bet)}, {place(box, hand)}"


def _line(line: Line | None) -> str:
    """How a line comes out, and what goes to the player: `win 11:1, 36.00`."""
    if line is None:
        return "not there"
    won = f" {line.odds}" if line.odds else ""
    return f"{bet_name(line.outcome)}{won}, {dollars(line.stake_returned + line.winnings)}"
