"""The page itself: what each part of it says. How it is laid out is in the templates."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.house_time import on_house_clock
from pipelines.investigate.case import NOT_LOOKED_AT, Investigation, PlayStep
from pipelines.investigate.page.drawing import draw
from pipelines.investigate.page.templating import environment, own
from pipelines.investigate.scene import counts
from pipelines.investigate.terminal import clock
from pipelines.investigate.words import bet_name, cards, decks
from replay.findings import dollars


def page(case: Investigation, zone: ZoneInfo) -> str:
    """One self-contained page: the same case always gives the same bytes."""
    template = environment().get_template("page.html.j2")
    own_files = {"policy": _policy(), "style": own("page.css"), "script": own("page.js")}
    return template.render(own_files | told(case, zone))


def told(case: Investigation, zone: ZoneInfo) -> dict[str, Any]:
    """What the page says of a round, whatever stands around it."""
    answer = case.answer
    return {
        "round": answer.round,
        "table": answer.table,
        "status": answer.status,
        "void_clause": answer.void_clause,
        "dispute": _dispute(case),
        "facts": _facts(case, zone),
        "findings": _findings(case),
        "drawing": draw(case),
        "steps": [_step(case, step, zone) for step in case.steps],
        "lines": case.lines,
        "shown": [s for s in case.lines if s.derived is not None or s.recorded is not None],
        "foot": _foot(case),
    }


def _dispute(case: Investigation) -> str | None:
    """Where the pit and the rulebook disagree about the round as a whole, in a sentence."""
    declared = case.facts.voids[0] if case.facts.voids else None
    status, clause = case.answer.status, case.answer.void_clause
    if declared is not None and status == "settled":
        return (
            f"The pit declared this round void under {declared.clause}. The rulebook settles it: "
            f"no ground for that is in the record, and the lines below are what players are due."
        )
    if declared is None and status == "void":
        return (
            f"The rulebook voids this round under {clause}. Nobody declared it: the table settled "
            f"it as any other."
        )
    if declared is not None and status == "void" and declared.clause != clause:
        return f"Void, but under {clause}; the pit declared it under {declared.clause}."
    return None


def _policy() -> str:
    """Nothing but our own script, known by its hash, may run."""
    digest = base64.b64encode(hashlib.sha256(own("page.js").encode()).digest()).decode()
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'"
    )


def _facts(case: Investigation, zone: ZoneInfo) -> list[tuple[str, str]]:
    answer, opened = case.answer, case.opened
    book = answer.rulebook or "no rulebook"
    if case.book is not None:
        book = f"{case.book.title}, version {case.book.version}"
        if case.book_id is not None:
            book += f" (instead of {answer.rulebook})"
    facts = [("rulebook", book)]
    times = [step.at for step in case.steps if step.at is not None]
    if times:
        end = f"{on_house_clock(times[-1], zone):%H:%M:%S}"
        facts.append(("time", f"{clock(times[0], zone)} to {end}"))
    if opened is not None:
        facts.append(("dealer", opened.dealer or "not named"))
        facts.append(("shoe", f"{opened.shoe}, {decks(opened.decks)}"))
        facts += [
            (f"limits, {bet_name(bet)}", f"{dollars(one.min)} to {dollars(one.max)}")
            for bet, one in sorted(opened.limits.items())
        ]
    if case.turned:
        facts.append(("read otherwise", ", ".join(sorted(case.turned))))
    return facts


def _findings(case: Investigation) -> list[dict[str, Any]]:
    step_of = {n: step.index for step in reversed(case.steps) for n in step.findings}
    return [
        {
            "number": n,
            "severity": f.severity,
            "kind": bet_name(f.kind),
            "message": f.message,
            "money": f.money,
            "episode": case.episode_words(f),
            "step": step_of.get(n),
        }
        for n, f in enumerate(case.answer.findings, start=1)
    ]


def _step(case: Investigation, step: PlayStep, zone: ZoneInfo) -> dict[str, Any]:
    found = case.answer.findings
    return {
        "number": step.index + 1 if step.seq is None else step.seq,
        "time": "" if step.at is None else f"{on_house_clock(step.at, zone):%H:%M:%S}",
        "text": step.text,
        "marks": [{"number": n, "severity": found[n - 1].severity} for n in step.findings],
        "hand": _hand(case, step),
    }


def _hand(case: Investigation, step: PlayStep) -> str:
    """The hand that a card made, with what it amounts to."""
    event = step.envelope.event
    if step.envelope.type != "CardDealt":
        return ""
    hand = step.scene.hand(event.box, event.hand)  # type: ignore[attr-defined]
    if hand is None or len(hand.cards) < 2:
        return ""
    return f"{cards([c.face for c in hand.cards])} = {counts(hand, case.answer.rulebook)}"


def _foot(case: Investigation) -> list[str]:
    parts = [f"found in {case.located.where}"]
    parts += [f"not looked at: {NOT_LOOKED_AT[name]}" for name in case.not_looked_at]
    if case.fingerprint is not None:
        parts.append(f"rulebook fingerprint {case.fingerprint}")
    seqs = [step.seq for step in case.steps if step.seq is not None]
    if seqs:
        parts.append(f"events {seqs[0]} to {seqs[-1]} of table {case.answer.table}")
    return parts
