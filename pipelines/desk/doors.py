"""The door of the desk: who comes, whether his request is his own, and what he opened.

Without accounts everybody who reaches this machine's loopback is the one local user. With accounts
a session or a trusted proxy says who it is; everything but the sign-in page, the desk's own files
and what machines ask waits behind it.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, unquote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from events.errors import EvenhandError
from events.settings import Settings
from pipelines.desk.pages import page
from pipelines.desk.sessions import COOKIE, DeskSession, DeskSessions
from pipelines.desk.who import LOCAL, DeskUser, of_account
from pipelines.people.act import DeedBook
from pipelines.people.passwords import passwords_file
from pipelines.people.state import People

FOR_MACHINES = ("/static/", "/healthz", "/metrics")
"""Asked often and without a cookie: no session begins there."""
OPEN_TO_ALL = ("/sign-in", *FOR_MACHINES)
OPENED = {"/round/": "round", "/player/": "player", "/evidence/": "evidence", "/dealer/": "dealer"}
"""Addresses of which it is kept who opened them, and the word for it; questions beside."""
NOT_FOR_MASKED = (
    "/player/",
    "/evidence/",
    "/sql",
    "/live",
    "/alerts",
    "/findings.csv",
    "/findings.xlsx",
)
NOBODY = DeskUser("nobody", "not signed in", rights=frozenset())
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class DeskDoor:
    """The layer that gives `request.state` its user and session."""

    def __init__(self, app: ASGIApp, settings: Settings, book: DeedBook, here: bool) -> None:
        """here: the desk answers on this machine alone."""
        self.app, self.settings, self.book, self.here = app, settings, book, here
        self.sessions = DeskSessions(settings.people)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        request.state.sessions = self.sessions
        answer = await run_in_threadpool(self._before, request)
        if answer is not None:
            await answer(scope, receive, self._with_cookie(request, send))
            return
        await self.app(scope, receive, self._noting(request, self._with_cookie(request, send)))

    def _before(self, request: Request) -> Response | None:
        """Who it is; an answer where he gets no further."""
        try:
            people = self.book.people()
        except EvenhandError as error:
            return _said(request, 503, "Who may come in can't be read", str(error))
        refused = self._come(request, people)
        if refused is not None:
            return refused
        if request.method not in _READING and not same_site(request):
            return _said(
                request, 403, "Not from here", "This request was sent by a page of another site."
            )
        user: DeskUser = request.state.user
        path = request.url.path
        if not user.sees_players and path.startswith(NOT_FOR_MASKED):
            text = "Your role sees no player's reference, and this page can't be shown without."
            return _said(request, 403, "Not for this role", text)
        return None

    def _come(self, request: Request, people: People) -> Response | None:
        session = self.sessions.find(_cookie(request))
        path = request.url.path
        request.state.accounts = bool(people.accounts)
        if not people.accounts:
            refused = self._why_closed()
            if refused is not None:
                request.state.user = NOBODY
                return _said(request, 503, "Who may come in can't be told", refused)
            request.state.user = LOCAL
            self._session(request, session)
            return None
        names = self._by_proxy(request)
        if len(names) > 1:
            request.state.user = NOBODY
            why = f"The sign-on names two people: {names[0][:80]} and {names[1][:80]}."
            return _said(request, 403, "No way in", why)
        if names:
            return self._proxied(request, people, names[0], session)
        account = people.accounts.get(session.account or "") if session is not None else None
        if session is not None and session.account is not None:
            known = account is not None and not account.locked
            if not known or account is None or account.password != session.password:
                self.sessions.end(session)
                session = account = None
        self._session(request, session)
        if account is not None:
            request.state.user = of_account(account, self.settings)
            return None
        request.state.user = NOBODY
        if path.startswith(OPEN_TO_ALL):
            return None
        if request.method in _READING:
            wanted = path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/sign-in?next={quote(wanted, safe='')}", 303)
        text = "Your session has ended; nothing was done. Sign in and send it again."
        return _said(request, 401, "Sign in first", text)

    def _session(self, request: Request, found: DeskSession | None) -> None:
        """The session of the cookie, or a new one where a person comes."""
        if found is not None or not request.url.path.startswith(FOR_MACHINES):
            request.state.session = found or self.sessions.begin()

    def _why_closed(self) -> str | None:
        """Why nobody may come in as the local user although the log names no account."""
        if not self.here:
            return "This desk answers other machines, and there is no account: evenhand users add."
        problems = self.book.log.read().problems
        if problems:
            return f"{problems[0].message}. Put the log back as it was; evenhand verify names more."
        if passwords_file(self.settings.home).exists():
            return (
                "There are passwords and no accounts: the log of what people do is gone. Put "
                "people/log.jsonl back from a backup."
            )
        return None

    def _by_proxy(self, request: Request) -> list[str]:
        """The account that a trusted proxy names; several where it passed on a visitor's own."""
        rules = self.settings.people
        client = request.client.host if request.client else ""
        if rules.proxy_header is None or client not in rules.proxy_addresses:
            return []
        return request.headers.getlist(rules.proxy_header)

    def _proxied(
        self, request: Request, people: People, name: str, session: DeskSession | None
    ) -> Response | None:
        account = people.accounts.get(name)
        if session is None or session.account != name:
            session = self.sessions.begin(name, None if account is None else account.password)
        request.state.session = session
        if account is None or account.locked:
            request.state.user = NOBODY
            why = "is locked here" if account else "has no account here (evenhand users add)"
            return _said(request, 403, "No way in", f"The sign-on names {name[:80]}, who {why}.")
        request.state.user = of_account(account, self.settings)
        return None

    def _with_cookie(self, request: Request, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                session: DeskSession | None = getattr(request.state, "session", None)
                if session is not None and session.id != _cookie(request):
                    headers = MutableHeaders(scope=message)
                    secure = "; Secure" if self._by_tls(request) else ""
                    headers.append(
                        "set-cookie",
                        f"{COOKIE}={session.id}; Path=/; HttpOnly; SameSite=Strict{secure}",
                    )
            await send(message)

        return sending

    def _by_tls(self, request: Request) -> bool:
        """Whether people open the desk by TLS: what speaks it stands before the desk."""
        opened_by = self.settings.desk_address.lower()
        return request.url.scheme == "https" or opened_by.startswith("https:")

    def _noting(self, request: Request, send: Send) -> Send:
        """Keep who opened what, before the first byte of it goes out."""
        opened = opened_by(request)
        if opened is None:
            return send
        failed = False

        async def sending(message: Message) -> None:
            nonlocal failed
            if message["type"] == "http.response.start" and message["status"] == 200:
                try:
                    await run_in_threadpool(self._note, request, opened)
                except EvenhandError as error:
                    failed = True
                    answer = _said(request, 503, "That can't be written down", str(error))
                    await answer(request.scope, request.receive, send)
            if not failed:
                await send(message)

        return sending

    def _note(self, request: Request, opened: tuple[str, str]) -> None:
        user: DeskUser = request.state.user
        self.book.opened(user.actor, *opened)


def opened_by(request: Request) -> tuple[str, str] | None:
    """What a request opens, where that is kept."""
    path = request.url.path
    asked = request.query_params.get("q") or request.query_params.get("query")
    if path.startswith("/sql") and asked:
        return "question", asked
    for start, word in OPENED.items():
        if path.startswith(start):
            return word, unquote(path.removeprefix(start))
    return None


def same_site(request: Request) -> bool:
    """Whether the browser says that the request comes from a page of ours."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _cookie(request: Request) -> str:
    try:
        found = SimpleCookie(Headers(scope=request.scope).get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _said(request: Request, status: int, title: str, text: str) -> Response:
    return page(request, "error.html.j2", status, title=title, text=text)
