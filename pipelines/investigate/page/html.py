"""The page itself: head, findings, drawing with its steps, lines with their clauses."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources
from zoneinfo import ZoneInfo

from pipelines.investigate.case import Case, Step
from pipelines.investigate.page.drawing import draw
from pipelines.investigate.page.lines import lines_html, why_html
from pipelines.investigate.scene import counts
from pipelines.investigate.terminal import clock
from pipelines.investigate.words import bet_name, cards, decks
from replay.findings import dollars


def page(case: Case, zone: ZoneInfo) -> str:
    """One self-contained page: the same case always gives the same bytes."""
    style, script = _own("page.css"), _own("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>Round {escape(case.answer.round)}</title><style>{style}</style></head>\n"
        f"<body><main>{_head(case, zone)}{_findings(case)}{_stage(case, zone)}"
        f"{lines_html(case)}{why_html(case)}{_foot(case)}</main>"
        f"<script>{script}</script></body></html>\n"
    )


def _own(name: str) -> str:
    return (resources.files("pipelines.investigate.page") / name).read_text("utf-8")


def _head(case: Case, zone: ZoneInfo) -> str:
    answer, opened = case.answer, case.opened
    void = f" under {answer.void_clause}" if answer.void_clause else ""
    book = answer.rulebook or "no rulebook"
    if case.book is not None:
        book = f"{case.book.title}, version {case.book.version}"
        if case.book_id is not None:
            book += f" (instead of {answer.rulebook})"
    facts = [("rulebook", book)]
    times = [step.at for step in case.steps if step.at is not None]
    if times:
        end = f"{times[-1].astimezone(zone):%H:%M:%S}"
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
    shown = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts)
    return (
        '<header><div class="head"><div><div class="eyebrow">'
        f"{escape(answer.table or 'table not named')}</div><h1>Round {escape(answer.round)}</h1>"
        f'</div><span class="status {answer.status}">{answer.status}{escape(void)}</span></div>'
        f'<dl class="facts">{shown}</dl></header>'
    )


def _findings(case: Case) -> str:
    """On top, because they are why somebody looks at the round."""
    if not case.answer.findings:
        return (
            '<ul class="findings"><li class="well"><b>no findings</b><span>what the table recorded '
            "is what the rulebook gives</span></li></ul>"
        )
    step_of = {n: step.index for step in reversed(case.steps) for n in step.findings}
    out = []
    for n, f in enumerate(case.answer.findings, start=1):
        money = ""
        if f.money:
            words = "too much" if f.money > 0 else "too little"
            money = f'<span class="sum">{dollars(abs(f.money))} {words}</span>'
        jump = f'<button data-step="{step_of[n]}">show</button>' if n in step_of else ""
        out.append(
            f'<li id="finding-{n}" class="{f.severity}"><span class="no">{n}</span>'
            f"<b>{escape(bet_name(f.kind))}</b><span>{escape(f.message)}</span>{money}{jump}</li>"
        )
    return f'<ol class="findings">{"".join(out)}</ol>'


def _stage(case: Case, zone: ZoneInfo) -> str:
    last = len(case.steps) - 1
    rows = "".join(_step(case, step, zone) for step in case.steps)
    return (
        f'<section class="stage"><div class="board">{draw(case)}<div class="controls">'
        '<button data-go="first" aria-label="first step" title="Home">|◀</button>'
        '<button data-go="back" aria-label="one step back" title="left arrow">◀</button>'
        '<button data-go="play">▶ play</button>'
        '<button data-go="next" aria-label="one step on" title="right arrow">▶</button>'
        '<button data-go="last" aria-label="last step" title="End">▶|</button>'
        f'<input id="step" type="range" min="0" max="{last}" value="{last}" aria-label="step">'
        '<output id="count"></output></div>'
        '<p class="caption" id="caption" aria-live="polite"></p></div>'
        f'<ol class="steps" id="steps">{rows}</ol></section>'
    )


def _step(case: Case, step: Step, zone: ZoneInfo) -> str:
    number = step.index + 1 if step.seq is None else step.seq
    at = "" if step.at is None else f"{step.at.astimezone(zone):%H:%M:%S}"
    marks = "".join(
        f'<span class="no {case.answer.findings[n - 1].severity}" title="finding {n}">{n}</span>'
        for n in step.findings
    )
    return (
        f'<li><span class="seq">{number}</span><time>{at}</time>'
        f"<span>{suits(step.text)}{marks}</span>{_hand(case, step)}</li>"
    )


def _hand(case: Case, step: Step) -> str:
    """The hand that a card made, with what it amounts to."""
    event = step.envelope.event
    if step.envelope.type != "CardDealt":
        return ""
    hand = step.scene.hand(event.box, event.hand)  # type: ignore[attr-defined]
    if hand is None or len(hand.cards) < 2:
        return ""
    words = f"{cards([c.face for c in hand.cards])} = {counts(hand, case.answer.rulebook)}"
    return f'<span class="hand">{suits(words)}</span>'


def suits(words: str) -> str:
    """Escaped text with its hearts and diamonds in red, and all suits as text, not pictures."""
    out = escape(words)
    for sign in "♥♦":
        out = out.replace(sign, f'<span class="red">{sign}\ufe0e</span>')
    for sign in "♠♣":
        out = out.replace(sign, f"{sign}\ufe0e")
    return out


def _foot(case: Case) -> str:
    parts = [f"found in {case.located.where}"]
    if case.fingerprint is not None:
        parts.append(f"rulebook fingerprint {case.fingerprint}")
    seqs = [step.seq for step in case.steps if step.seq is not None]
    if seqs:
        parts.append(f"events {seqs[0]} to {seqs[-1]} of table {case.answer.table}")
    return f"<footer>{' · '.join(escape(part) for part in parts)}</footer>"
