"""/sign-in and /sign-out."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pipelines.desk.forms import book_of, sent_form, within
from pipelines.desk.pages import page, settings_of
from pipelines.desk.sessions import DeskSession, DeskSessions, SignInAttempts
from pipelines.desk.who import DeskUser, user_of
from pipelines.people.act import DeedBook
from pipelines.people.entry import Deed
from pipelines.people.passwords import is_right


def shown(request: Request) -> Response:
    wanted = within(request.query_params.get("next", "")[:2_000])
    if user_of(request).rights:
        return RedirectResponse(wanted or "/", 303)
    return page(request, "sign_in.html.j2", next=wanted, said="")


async def sign_in(request: Request) -> Response:
    form = await sent_form(request)
    name, password = form.text("account", 200).lower(), form.text("password", 1_000)
    wanted = within(form.text("next"))
    if not request.state.accounts:
        return RedirectResponse(wanted or "/", 303)
    attempts: SignInAttempts = request.app.state.attempts
    keys = (f"account {name}", f"from {request.client.host if request.client else ''}")
    wait_s = attempts.begin(*keys)
    if wait_s:
        minutes = -(-wait_s // 60)
        said = f"Too many wrong passwords: try again in {minutes} minutes."
        answer = await _again(request, 429, wanted, said)
        answer.headers["retry-after"] = str(wait_s)
        return answer
    limit: CapacityLimiter = request.app.state.passwords
    right = await to_thread.run_sync(_is_right, request, name, password, limiter=limit)
    if not right:
        said = "That account and password do not fit, or the account is locked."
        return await _again(request, 401, wanted, said)
    attempts.was_right(*keys)
    return RedirectResponse(wanted or "/", 303)


async def _again(request: Request, code: int, wanted: str, said: str) -> Response:
    """The form once more, with a word on why."""
    return await run_in_threadpool(page, request, "sign_in.html.j2", code, next=wanted, said=said)


def _is_right(request: Request, name: str, password: str) -> bool:
    """With a new session where it is: nobody goes on with a name that somebody else may know."""
    book = book_of(request)
    account = book.people().accounts.get(name)
    right = is_right(settings_of(request).home, account, password)
    if not right or account is None:
        _note(book, name if account is not None else "unknown account", "sign_in_failed")
        return False
    sessions: DeskSessions = request.state.sessions
    sessions.end(request.state.session)
    request.state.session = sessions.begin(account.id, account.password)
    _note(book, account.id, "signed_in")
    return True


def _note(book: DeedBook, who: str, what: str) -> None:
    book.access.note(Deed(who, what, "desk"))


async def sign_out(request: Request) -> Response:
    await sent_form(request)
    session: DeskSession = request.state.session
    sessions: DeskSessions = request.state.sessions
    user: DeskUser = user_of(request)
    sessions.end(session)
    request.state.session = sessions.begin()
    if not user.local:
        await run_in_threadpool(_note, book_of(request), user.name, "signed_out")
    return RedirectResponse("/sign-in", 303)


ROUTES = [
    Route("/sign-in", shown),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
]
