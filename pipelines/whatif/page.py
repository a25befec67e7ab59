"""What a draft would have done to past play, as one page: the rehearsal pack for an approval."""

from __future__ import annotations

from pipelines.pages.templating import environment
from pipelines.rulebook_diff import difference
from pipelines.whatif.period import WhatIfReport
from pipelines.whatif.replay import Change
from replay.registry import rulebook

SHOWN = 200


def page(report: WhatIfReport, change: Change, old_id: str | None) -> str:
    """Self-contained, without a script, and good on paper."""
    played = sorted({changed.rulebook for changed in report.changed})
    book = rulebook(change.book_id or "")
    before = rulebook(old_id or (played[0] if len(played) == 1 else ""))
    compared = None if book is None or before is None else difference(before, book)
    return (
        environment("pipelines.whatif")
        .get_template("page.html.j2")
        .render(
            report=report,
            book=book,
            draft=change.draft is not None,
            turned=sorted(change.turned ^ change.usual),
            compared=compared,
            tables=report.by_table(),
            clauses=report.by_clause(),
            shown=report.changed[:SHOWN],
        )
    )
