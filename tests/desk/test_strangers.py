"""Whoever has no account, or another's: floods, guesses, a header that is not the proxy's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from events.settings import load_settings
from events.settings.people import PeopleRules
from pipelines.desk.app import create_app
from pipelines.desk.sessions import COOKIE, MOST, DeskSessions, SignInAttempts
from tests.desk.conftest import ADDRESS
from tests.desk.test_decisions import SECRET, at_desk, client_of, home, sign_in, with_accounts

__all__ = ["home", "with_accounts"]  # fixtures


def test_a_flood_of_strangers_signs_nobody_out() -> None:
    sessions = DeskSessions(PeopleRules())
    mei = sessions.begin("mei", "x")
    for _ in range(MOST + 10):
        last = sessions.begin()
    assert sessions.find(mei.id) is mei
    assert sessions.find(last.id) is last


def test_sessions_of_people_are_bounded_too() -> None:
    sessions = DeskSessions(PeopleRules())
    first = sessions.begin("mei", "x")
    for _ in range(MOST):
        sessions.begin("raj", "x")
    assert sessions.find(first.id) is None


@pytest.mark.parametrize("address", ["/healthz", "/metrics", "/static/desk.css", "/static/none"])
def test_machines_get_no_session(home: Path, address: str) -> None:
    assert "set-cookie" not in client_of(home).get(address).headers


def test_guesses_at_the_same_moment_are_counted_before_they_are_judged(home: Path) -> None:
    app = client_of(home, sign_in_attempts=2).app
    clients = [client_of(home, app) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        codes = list(
            pool.map(lambda c: sign_in(c, "mei", "guessed it wrongly").status_code, clients)
        )
    assert sorted(codes) == [401, 401, *[429] * 6]


def test_who_signs_in_rightly_does_not_use_up_the_attempts_of_his_address(home: Path) -> None:
    app = client_of(home, sign_in_attempts=2).app
    for _ in range(4):
        assert sign_in(client_of(home, app), "mei").status_code == 303


def test_many_made_up_names_do_not_wipe_out_what_was_counted() -> None:
    attempts = SignInAttempts(1)
    for n in range(MOST - 1):
        attempts.failed(f"account x{n}")
    attempts.failed("account mei")
    for n in range(10):
        attempts.failed(f"account y{n}")
    assert attempts.wait_s("account mei") > 0


def test_a_header_that_comes_twice_is_nobodys_word(home: Path) -> None:
    """A proxy that adds its header to the one that a visitor sent names two people."""
    settings = load_settings(
        {"home": str(home), "people": PeopleRules(proxy_header="X-Remote-User")},
        environ={}, folder=home.parent,
    )  # fmt: skip
    client = TestClient(
        create_app(settings), base_url=ADDRESS, follow_redirects=False, client=("127.0.0.1", 1)
    )
    headers = [("x-remote-user", "raj"), ("x-remote-user", "tom")]
    answer = client.get("/runs", headers=headers)
    assert answer.status_code == 403
    assert "names two" in answer.text


def test_a_session_that_somebody_planted_is_not_the_one_after_sign_in(home: Path) -> None:
    client = client_of(home)
    client.get("/sign-in")
    planted = client.cookies.get(COOKIE)
    assert planted
    assert sign_in(client, "mei").status_code == 303
    assert client.cookies.get(COOKIE) != planted
    stranger = client_of(home, client.app)
    stranger.cookies.set(COOKIE, planted)
    assert stranger.get("/runs").status_code == 303, "the planted name opens nothing"
    made_up = client_of(home, client.app)
    made_up.cookies.set(COOKIE, "chosen-by-the-visitor")
    assert COOKIE in made_up.get("/sign-in").headers["set-cookie"], "a name of ours instead"


def test_the_cookie_is_for_tls_alone_where_the_desk_is_opened_so(home: Path) -> None:
    settings = load_settings(
        {"home": str(home), "desk_address": "https://desk.example"},
        environ={}, folder=home.parent,
    )  # fmt: skip
    behind = TestClient(create_app(settings), base_url=ADDRESS, follow_redirects=False)
    assert "; Secure" in behind.get("/sign-in").headers["set-cookie"]
    assert "; Secure" not in client_of(home).get("/sign-in").headers["set-cookie"]


def test_nobody_is_signed_out_by_a_page_of_another_site(home: Path) -> None:
    mei = at_desk(home, "mei")
    assert mei.post("/sign-out").status_code == 403, "no token"
    assert mei.post("/sign-out", headers={"origin": "http://evil.example"}).status_code == 403
    assert mei.get("/runs").status_code == 200
    assert SECRET not in mei.get("/runs").text
