"""/findings, the inbox: filters in the address, CSV and xlsx of what is shown; and /finding/ID."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pipelines.desk.books import Books, NothingPublishedError
from pipelines.desk.errors import DeskError, not_found
from pipelines.desk.filters import PAGE, SORTS, STATES, parse_filter
from pipelines.desk.hand_out import MOST_ROWS, csv_file, xlsx_file
from pipelines.desk.pages import books_of, page, refuse_doubtful, settings_of
from pipelines.desk.who import user_of
from pipelines.report.asking import OPEN, STATE, WAIVER, WITH_CASES, Row
from pipelines.report.kinds import KINDS, kind_words
from pipelines.watch.story import LiveStory, story_of
from replay.registry import IDS

_FILE = (
    "day id kind severity table_id round rulebook box hand player bet money too_much too_little "
    "currency clauses message dealer state waiver assignee due"
).split()
CHANGES = {
    "first_seen": "first seen",
    "changed": "says something else",
    "waived": "waived",
    "waiver_ended": "waiver ended",
    "gone": "gone",
    "back": "back",
}


def findings(request: Request) -> Response:
    user = user_of(request)
    chosen = parse_filter(request.query_params, sees_players=user.sees_players)
    with books_of(request) as books:
        totals = books.rows(*chosen.count_sql())
        rows = books.rows(*chosen.sql(PAGE, (chosen.number - 1) * PAGE))
        edition = books.edition
    for row in rows:
        row["name"] = kind_words(row["kind"]).name
    count = sum(t["n"] for t in totals)
    return page(
        request,
        "findings.html.j2",
        chosen=chosen,
        rows=rows,
        totals=totals,
        count=count,
        pages=max(1, -(-count // PAGE)),
        kinds=sorted(KINDS.items(), key=lambda pair: pair[1].name),
        states=STATES,
        sorts=tuple(SORTS),
        rulebooks=IDS,
        may_work=user.may("analyst"),
        edition=edition,
    )


def findings_csv(request: Request) -> Response:
    return csv_file(_FILE, _all(request), "findings.csv")


def findings_xlsx(request: Request) -> Response:
    return xlsx_file(_FILE, _all(request), "findings.xlsx")


def _all(request: Request) -> list[list[Any]]:
    refuse_doubtful(request)
    chosen = parse_filter(request.query_params)
    with books_of(request) as books:
        found = books.rows(*chosen.sql(MOST_ROWS))
    return [[row[name] for name in _FILE] for row in found]


def finding(request: Request) -> Response:
    """As it is published; before the night as it was told live, from where /live has it."""
    wanted = request.path_params["finding"]
    live = story_of(settings_of(request).home, wanted)
    try:
        with books_of(request) as books:
            found, history = _found(books, wanted), _history(books, wanted)
            neighbours = [] if found is None else _neighbours(books, found)
            edition = books.edition
    except DeskError as error:
        if live is None:
            raise
        doubt = "" if isinstance(error, NothingPublishedError) else f"{error.title}: {error}"
        return _told_live(request, wanted, live, doubt)
    if found is None and not history:
        if live is None:
            raise not_found(
                "finding",
                f'No run has published a finding "{wanted[:80]}", and no watcher has told it; '
                f"search for it above.",
            )
        return _told_live(request, wanted, live)
    zone = settings_of(request).timezone
    for row in history:
        row["noted_at"] = row["noted_at"].astimezone(zone)
        row["words"] = CHANGES.get(row["change"], row["change"])
    return page(
        request,
        "finding.html.j2",
        id=wanted,
        f=found,
        kind=kind_words((found or history[0])["kind"]),
        severity=(found or history[0])["severity"],
        history=history,
        neighbours=neighbours,
        zone=zone,
        edition=edition,
        case=request.app.state.case_block(request, wanted) if found else "",
        live=live,
    )


def _told_live(request: Request, wanted: str, live: LiveStory, doubt: str = "") -> Response:
    """doubt: why the published days could not be asked."""
    words = [
        {
            "at": at,
            "what": "changed" if word.changed else "told" if word.what == "finding" else word.what,
            "body": json.loads(word.body),
        }
        for at, word in live.told
    ]
    return page(
        request,
        "finding_live.html.j2",
        id=wanted,
        live=live,
        kind=kind_words(live.body["kind"]),
        words=words,
        doubt=doubt,
        zone=settings_of(request).timezone,
    )


def _found(books: Books, wanted: str) -> Row | None:
    found = books.one(
        f"SELECT f.*, {STATE} AS state, {OPEN} AS open, {WAIVER} AS waived_by, "
        f"d.currency FROM {WITH_CASES} LEFT JOIN (SELECT day, table_id, any_value(currency) AS "
        "currency FROM daily_figures GROUP BY ALL) d ON d.day = f.day AND d.table_id = f.table_id "
        "WHERE f.id = ? ORDER BY f.day DESC LIMIT 1",
        [wanted],
    )
    if found is None:
        return None
    for name in ("expected", "recorded"):
        found[name] = json.loads(found[name]) if found[name] else None
    gists = books.rows(
        "SELECT number, gist FROM clauses WHERE rulebook = ? AND list_contains(?, number)",
        [found["rulebook"], found["clauses"] or []],
    )
    by = {row["number"]: row["gist"] for row in gists}
    found["gists"] = [(number, by.get(number, "")) for number in found["clauses"] or ()]
    return found


def _history(books: Books, wanted: str) -> list[Row]:
    return books.rows(
        "SELECT day, kind, severity, table_id, round, change, why, waiver, run, noted_at "
        "FROM finding_history WHERE id = ? ORDER BY noted_at",
        [wanted],
    )


def _neighbours(books: Books, found: Row) -> list[Row]:
    """What else was found in the same round."""
    if found["round"] is None:
        return []
    rows = books.rows(
        "SELECT id, kind, severity, money, player, message FROM findings WHERE day = ? "
        "AND round = ? AND id <> ? ORDER BY severity, id LIMIT 50",
        [found["day"], found["round"], found["id"]],
    )
    for row in rows:
        row["name"] = kind_words(row["kind"]).name
    return rows


def find(request: Request) -> Response:
    """The box at the top: to the one thing that has this id, else a search."""
    text = request.query_params.get("q", "").strip()[:200]
    if not text:
        return RedirectResponse("/findings")
    if story_of(settings_of(request).home, text) is not None:
        return RedirectResponse(f"/finding/{quote(text, safe='')}")
    hidden = () if user_of(request).sees_players else ("player",)
    with books_of(request) as books:
        where = _where(books, text, hidden)
    if where is None and _in_archive(request, text):
        where = "round"
    if where is None:
        return RedirectResponse(f"/findings?{parse_filter({'q': text}).query}")
    return RedirectResponse(f"/{where}/{quote(text, safe='')}")


def _where(books: Books, text: str, hidden: Collection[str]) -> str | None:
    for name, sql in (
        ("finding", "SELECT 1 FROM findings WHERE id = ? LIMIT 1"),
        ("table", "SELECT 1 FROM daily_figures WHERE table_id = ? LIMIT 1"),
        ("dealer", "SELECT 1 FROM dealer_figures WHERE dealer = ? LIMIT 1"),
        ("round", "SELECT 1 FROM findings WHERE round = ? LIMIT 1"),
        ("player", "SELECT 1 FROM player_figures WHERE player = ? LIMIT 1"),
    ):
        if name not in hidden and books.rows(sql, [text]):
            return name
    return None


def _in_archive(request: Request, text: str) -> bool:
    from events.archive.finder import find_round
    from events.archive.reader import Archive
    from events.errors import EvenhandError

    try:
        with Archive(settings_of(request).home / "archive") as archive:
            find_round(archive, text)
    except EvenhandError:
        return False
    return True


ROUTES = [
    Route("/findings", findings),
    Route("/findings.csv", findings_csv),
    Route("/findings.xlsx", findings_xlsx),
    Route("/finding/{finding:path}", finding),
    Route("/find", find),
]
