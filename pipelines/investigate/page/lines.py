"""The lines of a round on the page: derived against recorded, and for each one why."""

from __future__ import annotations

from html import escape

from pipelines.investigate.case import Case, LineStory, OtherReading
from pipelines.investigate.lines_view import facts_text, outcome_of, place_of
from pipelines.investigate.words import bet_name
from replay.answer import Line
from replay.findings import dollars


def lines_html(case: Case) -> str:
    """The table of lines; one that disagrees is marked."""
    shown = [s for s in case.lines if s.derived is not None or s.recorded is not None]
    if not shown:
        return "<h2>Lines</h2><p>No bet is decided on the events that are there.</p>"
    rows = "".join(_row(story) for story in shown)
    return (
        '<h2>What the rulebook gives, and what the table recorded</h2><div class="table-wrap">'
        "<table><thead><tr><th>box</th><th>player</th><th>bet</th><th class=n>stake</th>"
        "<th>rulebook gives</th><th>recorded</th><th class=n>difference</th><th>clauses</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _row(story: LineStory) -> str:
    line, found = story.derived, story.recorded
    stake = line.stake if line is not None else found.stake if found is not None else 0
    if found is None:
        recorded = '<span class="bad">not settled</span>' if story.due else "not settled yet"
    else:
        words = f"{dollars(found.stake_returned)} + {dollars(found.winnings)}"
        good = "ok" if story.agrees else "bad"
        recorded = f'<span class="{good}">{words} {"✓" if story.agrees else "✗"}</span>'
    cents = story.difference
    less = f'<span class="bad">{"+" if cents > 0 else ""}{dollars(cents)}</span>' if cents else ""
    marks = "".join(f' <a class="bad" href="#finding-{n}">finding {n}</a>' for n in story.findings)
    gists = "<br>".join(f"<b>{escape(n)}</b> {escape(gist)}" for n, gist in story.clauses)
    return (
        f"<tr{'' if story.agrees else ' class=wrong'}><td>{place_of(story.key)}</td>"
        f"<td>{escape(story.key[2])}</td><td>{escape(bet_name(story.key[3]))}{marks}</td>"
        f'<td class="n">{dollars(stake)}</td><td>{escape(_gives(line))}</td>'
        f'<td>{recorded}</td><td class="n">{less}</td><td class="gist">{gists}</td></tr>'
    )


def _gives(line: Line | None) -> str:
    if line is None:
        return "no such line"
    return f"{dollars(line.stake_returned)} + {dollars(line.winnings)}, {outcome_of(line)}"


def why_html(case: Case) -> str:
    """For each line the rules in the order in which they were asked, and the readings."""
    parts = [_why(story) for story in case.lines]
    return f"<h2>Why</h2>{''.join(parts)}" if parts else ""


def _why(story: LineStory) -> str:
    box, hand, player, bet = story.key
    place = f"Box {box}" + ("" if hand == 1 else f", hand {hand}")
    clauses = ", ".join(number for number, _ in story.clauses)
    out = [
        f"<details{'' if story.agrees else ' open'}><summary>{place}, {escape(player)} "
        f"{escape(bet_name(bet))}: {escape(outcome_of(story.derived))} "
        f"<span>{escape(clauses)}</span></summary>"
    ]
    rule = story.settled_by
    if rule is not None:
        out.append(f"<p>Because {escape(rule['when'])}.</p>")
        if rule.get("facts"):
            out.append(f'<p class="gist">With {escape(facts_text(rule["facts"]))}.</p>')
    for number, gist in story.clauses:
        out.append(f'<p class="gist"><b>{escape(number)}</b> {escape(gist)}</p>')
    if story.passed_over:
        items = "".join(
            f"<li>{escape(step['when'])} <span>({escape(', '.join(step['clauses']))})</span></li>"
            for step in story.passed_over
        )
        out.append(f"<p>Asked before, and not so:</p><ol>{items}</ol>")
    out += [_other(other) for other in story.others]
    return "".join(out) + "</details>"


def _other(other: OtherReading) -> str:
    r = other.reading
    followed, turned = (r.other, r.default) if other.is_other else (r.default, r.other)
    return (
        f'<div class="reading"><b>This line depends on the reading {escape(r.id)}.</b> '
        f"{escape(r.question)}<br>Followed: {escape(followed)}.<br>The other: {escape(turned)}; "
        f"that would give {escape(_gives(other.line))}.</div>"
    )
