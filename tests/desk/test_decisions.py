"""Signing in and deciding on the desk: sessions, tokens, four eyes, masks, a log that was cut."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from events.house_log import seal_growing
from events.settings import load_settings
from events.settings.people import PeopleRules
from pipelines.desk.app import create_app
from pipelines.desk.headers import LOOPBACK
from pipelines.desk.sessions import COOKIE, DeskSessions, SignInAttempts
from pipelines.people.act import DeedBook, local_actor
from pipelines.people.log import PeopleLog, access_file, decisions_file
from pipelines.people.manage import add_account
from tests.desk.conftest import ADDRESS
from tests.people.kit import UNTIL
from tests.pipelines.kit import ask, copied, settings_of

SECRET = "the dealer stands on 17"
ROLES = {"mei": "analyst", "raj": "approver", "sue": "approver", "tom": "reader"}


@pytest.fixture(scope="module")
def with_accounts(two_days: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published days in a house with four accounts; copied for each test."""
    home = tmp_path_factory.mktemp("accounts") / "home"
    shutil.copytree(two_days, home, ignore=shutil.ignore_patterns("people"))
    for name, role in ROLES.items():
        add_account(DeedBook(home), local_actor(), name, [role], lambda: SECRET)
    return home


@pytest.fixture
def home(with_accounts: Path, tmp_path: Path) -> Iterator[Path]:
    """Only what people did is copied; the days are looked at."""
    people = with_accounts / "people"
    shutil.copytree(people, tmp_path / "people")
    yield with_accounts
    shutil.rmtree(people)
    shutil.copytree(tmp_path / "people", people)


def client_of(home: Path, app: Any = None, **people: Any) -> TestClient:
    settings = load_settings(
        {"home": str(home), "people": PeopleRules(**people)}, environ={}, folder=home.parent
    )
    return TestClient(app or create_app(settings), base_url=ADDRESS, follow_redirects=False)


def token_in(text: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', text)
    assert found, text
    return found[1]


def sign_in(client: TestClient, name: str, password: str = SECRET) -> Any:
    token = token_in(client.get("/sign-in").text)
    return client.post("/sign-in", data={"token": token, "account": name, "password": password})


def at_desk(home: Path, name: str, app: Any = None, **people: Any) -> TestClient:
    client = client_of(home, app, **people)
    assert sign_in(client, name).status_code == 303
    return client


def finding_of(home: Path) -> str:
    return str(
        ask(home, "SELECT id FROM findings WHERE severity = 'money' ORDER BY id LIMIT 1")[0][0]
    )


def ask_for(client: TestClient, finding: str, **more: str) -> Any:
    token = token_in(client.get(f"/decide?finding={finding}").text)
    data = {"token": token, "finding": finding, "reason": "as on the tape", "until": str(UNTIL)}
    return client.post("/waiver", data=data | more)


def decided(client: TestClient, waiver: str, what: str, reason: str = "") -> Any:
    token = token_in(client.get("/decisions").text)
    return client.post(f"/waiver/{waiver}", data={"token": token, "what": what, "reason": reason})


def only_waiver(home: Path) -> Any:
    (waiver,) = DeedBook(home).people().waivers.values()
    return waiver


def test_nobody_gets_past_the_door(home: Path) -> None:
    client = client_of(home)
    for address in ("/runs", "/decisions", "/decide?finding=F1", "/day/2026-03-10"):
        answer = client.get(address)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?next=%2F")
    assert client.post("/case", data={}).status_code == 401
    assert client.get("/healthz").status_code == 200
    assert client.get("/static/decisions.css").status_code == 200
    wrong = sign_in(client, "mei", "guessed it wrongly")
    assert (wrong.status_code, "do not fit" in wrong.text) == (401, True)
    cookie = client.get("/sign-in").request.headers["cookie"]
    answer = sign_in(client, "mei")
    assert answer.status_code == 303
    set_cookie = answer.headers["set-cookie"]
    assert "HttpOnly; SameSite=Strict" in set_cookie
    assert set_cookie.split(";")[0] not in cookie, "a new session with the sign-in"
    assert "mei · analyst" in client.get("/runs").text
    token = token_in(client.get("/runs").text)
    assert client.post("/sign-out", data={"token": token}).headers["location"] == "/sign-in"
    assert client.get("/runs").status_code == 303
    what = [(e.who, e.what) for e in PeopleLog(access_file(home)).read().entries]
    assert what == [("mei", "sign_in_failed"), ("mei", "signed_in"), ("mei", "signed_out")]


def test_a_next_address_stays_within_the_desk(home: Path) -> None:
    client = client_of(home)
    for bad in (
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
    ):
        token = token_in(client.get("/sign-in", params={"next": bad}).text)
        data = {"token": token, "account": "mei", "password": SECRET, "next": bad}
        assert client.post("/sign-in", data=data).headers["location"] == "/"
        client.cookies.clear()


def test_attempts_are_limited_and_sessions_end() -> None:
    now = [0.0]
    attempts = SignInAttempts(3, lambda: now[0])
    for _ in range(3):
        assert attempts.wait_s("account mei") == 0
        attempts.failed("account mei", "from here")
    assert attempts.wait_s("account mei") > 800
    assert attempts.wait_s("account raj", "from here") > 800
    assert attempts.wait_s("account raj") == 0
    now[0] = 901.0
    assert attempts.wait_s("account mei", "from here") == 0
    sessions = DeskSessions(PeopleRules(session_idle_minutes=10, session_hours=1), lambda: now[0])
    idle, busy = sessions.begin("mei"), sessions.begin("raj")
    for _ in range(6):
        now[0] += 9 * 60
        assert sessions.find(busy.id) is busy
    assert sessions.find(idle.id) is None
    now[0] += 9 * 60
    assert sessions.find(busy.id) is None, "at last it ends all the same"


def test_too_many_wrong_passwords_have_to_wait(home: Path) -> None:
    client = client_of(home, sign_in_attempts=2)
    for _ in range(2):
        assert sign_in(client, "mei", "guessed it wrongly").status_code == 401
    late = sign_in(client, "mei")
    assert late.status_code == 429
    assert int(late.headers["retry-after"]) > 800


def test_a_password_that_changes_or_a_lock_ends_the_sessions(home: Path) -> None:
    client = at_desk(home, "mei")
    assert client.get("/runs").status_code == 200
    DeedBook(home).do(local_actor(), "account_locked", ["mei"])
    assert client.get("/runs").status_code == 303
    assert sign_in(client, "mei").status_code == 401


def test_four_eyes(home: Path) -> None:
    finding = finding_of(home)
    mei, raj, sue = at_desk(home, "mei"), at_desk(home, "raj"), at_desk(home, "sue")
    assert ask_for(raj, finding).status_code == 303
    waiver = only_waiver(home)
    own = decided(raj, waiver.id, "approved")
    assert own.status_code == 409
    assert "somebody else has to approve it" in own.text
    assert decided(mei, waiver.id, "approved").status_code == 409
    assert f"Approve {waiver.id}" in sue.get("/decisions").text
    assert f"Approve {waiver.id}" not in mei.get("/decisions").text
    assert decided(sue, waiver.id, "approved").status_code == 303
    assert (only_waiver(home).state, only_waiver(home).approved_by) == ("approved", "sue")
    late = decided(mei, waiver.id, "revoked", "x")
    assert (late.status_code, "by an approver or by raj" in late.text) == (409, True)
    assert decided(raj, waiver.id, "revoked").status_code == 409, "not without a reason"
    assert decided(raj, waiver.id, "revoked", "another hand").status_code == 303
    assert only_waiver(home).state == "revoked"
    tom = at_desk(home, "tom")
    assert "does not decide" in tom.get(f"/decide?finding={finding}").text


def test_two_approvers_at_the_same_moment(home: Path) -> None:
    app = client_of(home).app
    assert ask_for(at_desk(home, "mei", app), finding_of(home)).status_code == 303
    waiver = only_waiver(home).id
    both = [at_desk(home, name, app) for name in ("raj", "sue")]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda client: decided(client, waiver, "approved"), both))
    assert sorted(a.status_code for a in answers) == [303, 409]
    (lost,) = [a for a in answers if a.status_code == 409]
    assert f"waiver {waiver} was approved by {only_waiver(home).decided_by} at" in lost.text


@pytest.mark.parametrize("which", ["none", "old", "another's", "another site's"])
def test_a_form_that_is_not_his_own_does_nothing(home: Path, which: str) -> None:
    app = client_of(home).app
    mei, raj = at_desk(home, "mei", app), at_desk(home, "raj", app)
    finding, headers = finding_of(home), {}
    token = token_in(mei.get("/decisions").text)
    if which == "none":
        token = ""
    elif which == "old":
        mei.post("/sign-out", data={"token": token})
        sign_in(mei, "mei")
    elif which == "another's":
        token = token_in(raj.get("/decisions").text)
    else:
        headers = {"sec-fetch-site": "cross-site"}
    before = decisions_file(home).read_bytes()
    data = {"token": token, "finding": finding, "reason": "x", "until": str(UNTIL)}
    answer = mei.post("/waiver", data=data, headers=headers)
    assert answer.status_code == 403
    assert decisions_file(home).read_bytes() == before


def test_the_steps_of_a_case_for_several_at_once(home: Path) -> None:
    ids = [str(row[0]) for row in ask(home, "SELECT id FROM findings ORDER BY id LIMIT 3")]
    mei, raj = at_desk(home, "mei"), at_desk(home, "raj")
    address = "/decide?" + "&".join(f"finding={name}" for name in ids)
    text = mei.get(address).text
    old = re.search(r'name="seen" value="(\d+)"', text)
    assert old
    token = token_in(text)

    def step(what: str, seen: str | None = None, **more: Any) -> Any:
        data = {"token": token, "finding": ids, "what": what, "seen": seen or "", "next": address}
        return mei.post("/case", data=data | more)

    assert step("case_assigned", assignee="mei").headers["location"] == address
    assert step("comment", text="<script>alert(1)</script>").status_code == 303
    stale = step("case_explained", old[1], text="as agreed")
    assert (stale.status_code, "was quicker" in stale.text) == (409, True)
    assert step("case_closed").status_code == 409
    assert step("case_confirmed", done=["recovered"], text="5.00 came back").status_code == 303
    assert step("case_due", due="tomorrow").status_code == 400
    assert step("case_gone").status_code == 400
    people = DeedBook(home).people()
    assert {people.cases[name].state for name in ids} == {"confirmed"}
    told = raj.get("/decisions").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in told
    assert "<script>alert(1)" not in told
    runs = {e.deed.run for e in people.about[ids[0]]}
    assert runs <= {row[0] for row in ask(home, "SELECT run FROM runs")}
    assert mei.get("/decide?finding=nobody").status_code == 404
    assert mei.get("/decide").status_code == 400


def test_a_log_that_was_changed_is_shown_and_nothing_is_lost(home: Path) -> None:
    mei = at_desk(home, "mei")
    assert ask_for(mei, finding_of(home)).status_code == 303
    token = token_in(mei.get("/decisions").text)
    path = decisions_file(home)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[3].replace(b"reader", b"approver"), *lines[4:]]))
    before = path.read_bytes()
    page = mei.get("/decisions")
    assert page.status_code == 200
    assert "The log of what people did does not hold" in page.text
    assert "entry 4: it was changed after entry 5" in page.text
    data = {"token": token, "finding": finding_of(home), "what": "comment", "text": "x"}
    answer = mei.post("/case", data=data)
    assert answer.status_code == 503
    assert "put it back from a backup" in answer.text
    assert path.read_bytes() == before
    path.write_bytes(b"nonsense\n" + before)
    assert mei.get("/runs").status_code == 503, "no account counts, and nobody is let in for that"
    path.unlink()
    gone = client_of(home).get("/runs")
    assert (gone.status_code, "log of what people do is gone" in gone.text) == (503, True)
    path.write_bytes(b"".join(lines))
    assert mei.get("/runs").status_code in (200, 303)


def test_a_log_that_was_cut_behind_a_seal_is_shown_and_nothing_is_added(
    home: Path, tmp_path: Path
) -> None:
    home = copied(home, tmp_path / "home")
    mei = at_desk(home, "mei")
    assert ask_for(mei, finding_of(home)).status_code == 303
    seal_growing(home, settings_of(home).checkpoints_file, "for the test")
    path = decisions_file(home)
    whole = path.read_bytes()
    cut = b"".join(whole.splitlines(keepends=True)[:-1])
    path.write_bytes(cut)
    page = mei.get("/decisions")
    assert page.status_code == 200
    assert "gone: a seal knows of them, the log ends before" in page.text.replace("&#39;", "'")
    data = {"finding": finding_of(home), "what": "comment", "text": "x"}
    answer = mei.post("/case", data=data | {"token": token_in(page.text)})
    assert answer.status_code == 503
    assert path.read_bytes() == cut
    path.write_bytes(whole)
    page = mei.get("/decisions")
    assert "a seal knows of them" not in page.text
    assert mei.post("/case", data=data | {"token": token_in(page.text)}).status_code == 303


def test_a_proxy_signs_in_from_its_own_address_only(home: Path) -> None:
    settings = load_settings(
        {"home": str(home), "people": PeopleRules(proxy_header="X-Remote-User")},
        environ={}, folder=home.parent,
    )  # fmt: skip
    app = create_app(settings)
    proxied = {"x-remote-user": "raj"}

    def seen_from(host: str) -> TestClient:
        return TestClient(app, base_url=ADDRESS, follow_redirects=False, client=(host, 1))

    assert seen_from("127.0.0.1").get("/runs", headers=proxied).status_code == 200
    assert seen_from("10.0.0.9").get("/runs", headers=proxied).status_code == 303
    stranger = seen_from("127.0.0.1").get("/runs", headers={"x-remote-user": "eve"})
    assert (stranger.status_code, "has no account here" in stranger.text) == (403, True)
    client = seen_from("127.0.0.1")
    client.headers["x-remote-user"] = "mei"
    assert ask_for(client, finding_of(home)).status_code == 303
    assert only_waiver(home).asked_by == "mei"


def test_players_are_masked_for_roles_that_must_not_see_them(home: Path) -> None:
    ((finding, player),) = ask(
        home, "SELECT id, player FROM findings WHERE contains(message, player) ORDER BY id LIMIT 1"
    )
    plain = at_desk(home, "tom").get(f"/decide?finding={finding}").text
    tom = at_desk(home, "tom", mask_players_for=("reader",))
    masked = tom.get(f"/decide?finding={finding}").text
    assert re.search(rf"(?<![\w-]){re.escape(player)}(?![\w-])", plain)
    assert not re.search(rf"(?<![\w-]){re.escape(player)}(?![\w-])", masked)
    assert "player-" in masked
    assert tom.get(f"/player/{player}").status_code == 403
    mei = at_desk(home, "mei", mask_players_for=("reader",))
    assert player in mei.get(f"/decide?finding={finding}").text


def test_without_accounts_there_is_one_local_user_on_this_machine_only(
    two_days: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(two_days, home, ignore=shutil.ignore_patterns("people"))
    client = client_of(home)
    assert "local user: no accounts" in client.get("/runs").text
    page = client.get(f"/decide?finding={finding_of(home)}").text
    assert "nobody else can approve it" in page
    assert ask_for(client, finding_of(home)).status_code == 303
    assert (only_waiver(home).alone, only_waiver(home).state) == (True, "approved")
    assert client.cookies.get(COOKIE)
    settings = load_settings({"home": str(home)}, environ={}, folder=home.parent)
    app = create_app(settings, LOOPBACK | {"0.0.0.0"})
    assert client_of(home, app).get("/runs").status_code == 503
    add_account(DeedBook(home), local_actor(), "mei", ["analyst"], lambda: SECRET)
    assert client.get("/runs").status_code == 303, "the door closes at once"


def test_who_opened_what_is_kept(home: Path) -> None:
    """Whatever page answers there: the door keeps it, and only what was really opened."""
    from starlette.requests import Request

    from pipelines.desk.doors import opened_by

    def opened(path: str, query: str = "") -> Any:
        scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(),
                 "headers": [(b"host", b"127.0.0.1")], "server": ("127.0.0.1", 80)}  # fmt: skip
        return opened_by(Request(scope))

    assert opened("/round/RWS-PP-07-000231") == ("round", "RWS-PP-07-000231")
    assert opened("/player/P%2F1") == ("player", "P/1")
    assert opened("/sql", "q=SELECT+1") == ("question", "SELECT 1")
    assert opened("/runs") is None
    book = DeedBook(home)
    book.opened(local_actor(), "round", "R-1")
    line = json.loads(access_file(home).read_text("utf-8").splitlines()[-1])
    assert (line["what"], line["subjects"], line["via"]) == ("opened_round", ["R-1"], "local")
