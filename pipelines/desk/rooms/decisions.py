"""What somebody decides: the case on a finding's page, several at once, waivers and approvals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from checks.tables import FINDINGS
from pipelines.desk.errors import DeskError, bad_request, not_found
from pipelines.desk.forms import SentForm, book_of, done_then, sent_form
from pipelines.desk.pages import books_of, page, settings_of, templates
from pipelines.desk.who import user_of
from pipelines.people.act import DeedBook
from pipelines.people.cases import DONE, FROM, case_of
from pipelines.people.roles import APPROVE, READ, WORK
from pipelines.people.state import People
from pipelines.people.waivers import ASKED, DECISIONS, HouseWaiver, bad_end
from pipelines.people.words import tell
from pipelines.report.asking import Row

MOST = 1_000
"""Findings that one decision may be about."""


def today_of(request: Request) -> date:
    return datetime.now(UTC).astimezone(settings_of(request).timezone).date()


def _around(request: Request, people: People) -> dict[str, Any]:
    """What every form of a decision needs."""
    user, today = user_of(request), today_of(request)
    return {
        "user": user,
        "token": request.state.session.token,
        "seen": people.last,
        "here": request.url.path,
        "may_work": WORK in user.rights,
        "may_approve": APPROVE in user.rights,
        "alone": user.local,
        "assignees": sorted(a.id for a in people.accounts.values() if WORK in a.rights),
        "done_words": DONE,
        "today": today,
        "last_day": today + timedelta(days=settings_of(request).people.waiver_max_days),
        "problems": _problems(book_of(request)),
        "zone": settings_of(request).timezone,
        "tell": tell,
    }


def _problems(book: DeedBook) -> list[str]:
    """What is wrong with the log itself, or with what is left of it."""
    doubt = book.doubt()
    own = [problem.message for problem in book.log.read().problems]
    return own or ([] if doubt is None else [doubt])


def case_block(request: Request, finding: str) -> Markup:
    """The case of a finding: its state, what was done and said, and the forms."""
    people = book_of(request).people()
    case = case_of(people, finding)
    waivers = [w for w in people.waivers.values() if finding in w.findings]
    facts = _around(request, people) | {
        "finding": finding,
        "case": case,
        "steps": [what for what, states in FROM.items() if case.state in states],
        "waivers": [_shown(w, today_of(request)) for w in waivers],
        "open_waiver": any(_holds(w, today_of(request)) for w in waivers),
        "entries": people.about.get(finding, []),
    }
    return Markup(templates().get_template("case.html.j2").render(facts))


def _holds(waiver: HouseWaiver, today: date) -> bool:
    return waiver.state_on(today) in {ASKED, "approved"}


def _shown(waiver: HouseWaiver, today: date) -> Row:
    return {"w": waiver, "state": waiver.state_on(today), "holds": _holds(waiver, today)}


async def case_step(request: Request) -> Response:
    """A step of one case or of several."""
    form = await sent_form(request)
    what, findings = form.text("what", 40), _chosen(form)
    if what not in FROM:
        raise bad_request(f'There is no step "{what}" of a case.')
    rows = await run_in_threadpool(_findings, request, findings)
    details = _details(form, what)
    seen = form.text("seen", 12)
    user, book = user_of(request), book_of(request)
    return await done_then(
        lambda: book.do(
            user.actor, what, findings, details,
            run=rows[0]["run"], seen=int(seen) if seen.isdecimal() else None,
        ),
        form.back(f"/finding/{findings[0]}"),
    )  # fmt: skip


def _details(form: SentForm, what: str) -> dict[str, Any]:
    if what == "case_assigned":
        return {"assignee": form.text("assignee", 200)}
    if what == "case_due":
        due = form.text("due", 10)
        return {"due": _day(due, "due").isoformat() if due else None}
    if what == "case_confirmed":
        return {"done": form.all("done"), "text": form.text("text")}
    if what in {"comment", "case_explained"}:
        return {"text": form.text("text")}
    return {}


def _day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise bad_request(f"{name}: expected a day like 2026-11-15, found {text!r}.") from None


def _chosen(form: SentForm) -> list[str]:
    findings = list(dict.fromkeys(form.all("finding")))
    if not 1 <= len(findings) <= MOST:
        raise bad_request(f"Expected 1 to {MOST:,} findings, found {len(findings):,}.")
    return findings


def _findings(request: Request, ids: Sequence[str]) -> list[Row]:
    """The findings as the warehouse has them now, each with the run that has it."""
    names = ", ".join(f"f.{name}" for name in FINDINGS.names)
    with books_of(request) as books:
        rows = books.rows(
            f"SELECT {names}, r.run FROM findings f JOIN runs r ON r.day = f.day AND r.current "
            "WHERE list_contains(?, f.id) ORDER BY f.day, f.id",
            [list(ids)],
        )
    by_id = {row["id"]: row for row in rows}
    missing = [name for name in ids if name not in by_id]
    if missing:
        raise not_found("finding", f'No run has published a finding "{missing[0][:80]}".')
    return [by_id[name] for name in ids]


async def ask_waiver(request: Request) -> Response:
    form = await sent_form(request)
    findings, reason = _chosen(form), form.text("reason")
    until = _day(form.text("until", 20), "until")
    wrong = bad_end(until, today_of(request), settings_of(request).people.waiver_max_days)
    if wrong is not None:
        raise bad_request(f"until: {wrong}.")
    if not reason:
        raise bad_request("Expected a reason for the waiver, found none.")
    rows = await run_in_threadpool(_findings, request, findings)
    user, book = user_of(request), book_of(request)
    return await done_then(
        lambda: book.ask_waiver(user.actor, rows, reason=reason, until=until, run=rows[0]["run"]),
        form.back(f"/finding/{findings[0]}"),
    )


async def decide_waiver(request: Request) -> Response:
    form = await sent_form(request)
    name, what = request.path_params["waiver"], f"waiver_{form.text('what', 20)}"
    if what not in DECISIONS:
        raise bad_request("Expected approved, refused or revoked.")
    user, book = user_of(request), book_of(request)
    reason = form.text("reason")
    return await done_then(
        lambda: book.decide_waiver(user.actor, what, name, reason), form.back("/decisions")
    )


def decisions(request: Request) -> Response:
    """The inbox of what waits for approval, waivers that hold, and what was done last."""
    user = user_of(request)
    if READ not in user.rights:
        raise DeskError(403, "Not for this role", "Your role does not read decisions.")
    book = book_of(request)
    people, today = book.people(), today_of(request)
    waiting = [w for w in people.waivers.values() if w.state == ASKED]
    holding = [w for w in people.waivers.values() if w.state_on(today) == "approved"]
    messages = _messages(request, [f for w in (*waiting, *holding) for f in w.findings])
    return page(
        request,
        "decisions.html.j2",
        **_around(request, people)
        | {
            "waiting": waiting,
            "holding": holding,
            "messages": messages,
            "latest": list(reversed(book.log.read().entries[-100:])),
            "total": people.last,
        },
    )


def _messages(request: Request, ids: Sequence[str]) -> dict[str, Row]:
    if not ids:
        return {}
    try:
        with books_of(request) as books:
            rows = books.rows(
                "SELECT id, message, money, day, player FROM findings WHERE list_contains(?, id)",
                [list(ids)],
            )
    except DeskError:  # the log of decisions can be read without any published day
        return {}
    return {row["id"]: row for row in rows}


def decide(request: Request) -> Response:
    """The same forms for several findings at once: /decide?finding=A&finding=B."""
    ids = list(dict.fromkeys(request.query_params.getlist("finding")))
    if not ids:
        raise bad_request("Choose at least one finding on the page of findings.")
    if len(ids) > MOST:
        raise bad_request(f"Choose at most {MOST:,} findings at once, found {len(ids):,}.")
    people = book_of(request).people()
    rows = _findings(request, ids)
    states = [case_of(people, name).state for name in ids]
    steps = [what for what, start in FROM.items() if all(s in start for s in states)]
    facts = {"rows": rows, "states": dict(zip(ids, states, strict=True)), "steps": steps}
    return page(request, "decide.html.j2", **_around(request, people) | facts)


ROUTES = [
    Route("/decisions", decisions),
    Route("/decide", decide),
    Route("/case", case_step, methods=["POST"]),
    Route("/waiver", ask_waiver, methods=["POST"]),
    Route("/waiver/{waiver}", decide_waiver, methods=["POST"]),
]
