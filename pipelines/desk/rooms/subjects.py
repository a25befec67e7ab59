"""/table/ID, /dealer/ID, /player/ID: what they played, how often something was found, over time.

The words accuse nobody: a rate with few rounds proves nothing, and one that is high is a reason to
look at rounds, nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.desk.books import Books
from pipelines.desk.errors import not_found
from pipelines.desk.pages import books_of, page
from pipelines.pages.rates import FEW, Rate, rate
from pipelines.report.asking import OPEN, STATE, WITH_CASES, Row
from pipelines.report.kinds import kind_words
from pipelines.report.morning import ERRORS
from pipelines.report.plots import rates_plot

_CURRENCIES = (
    "(SELECT day, table_id, any_value(currency) AS currency FROM daily_figures GROUP BY ALL)"
)
DAYS = 60
"""Days that are shown, back from the last one with play."""
SHOWN = 100


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """A kind of thing that plays: where its rounds are counted, and its column in the findings."""

    word: str
    source: str
    column: str
    also: str  # what it played with: tables for people, rulebooks for tables


TABLE = SubjectKind("table", "daily_figures", "table_id", "rulebook")
DEALER = SubjectKind("dealer", "dealer_figures", "dealer", "table_id")
PLAYER = SubjectKind("player", "player_figures", "player", "table_id")


def table(request: Request) -> Response:
    return _subject(request, TABLE)


def dealer(request: Request) -> Response:
    return _subject(request, DEALER)


def player(request: Request) -> Response:
    return _subject(request, PLAYER)


def _subject(request: Request, kind: SubjectKind) -> Response:
    name = request.path_params[kind.word]
    with books_of(request) as books:
        played = _played(books, kind, name)
        found = _found(books, kind, name)
        if not played and not found:
            raise not_found(kind.word, f'No published day has a {kind.word} "{name[:80]}".')
        over_time, whole = _over_time(books, kind, name, played)
        house = _house(books, played)
        kinds = _kinds(books, kind, name)
        edition = books.edition
    return page(
        request,
        "subject.html.j2",
        word=kind.word,
        name=name,
        played=played,
        whole=whole,
        house=house,
        verdict=_verdict(whole, house),
        plot=rates_plot([(str(day), one) for day, one in over_time], house),
        over_time=over_time,
        kinds=kinds,
        found=found[:SHOWN],
        more=max(0, len(found) - SHOWN),
        also=_also(played, kind),
        money=_money(played),
        few=FEW,
        edition=edition,
    )


def _played(books: Books, kind: SubjectKind, name: str) -> list[Row]:
    """Rounds per day and currency, newest first."""
    sums = [] if kind is DEALER else ["stake", "due"] + (["paid"] if kind is TABLE else [])
    extra = "".join(f", sum(p.{name})::BIGINT AS {name}" for name in sums)
    return books.rows(
        f"SELECT p.day, p.{kind.also} AS also, d.currency, sum(p.rounds)::BIGINT AS rounds{extra} "
        f"FROM {kind.source} p LEFT JOIN {_CURRENCIES} d ON d.day = p.day AND "
        f"d.table_id = p.table_id WHERE p.{kind.column} = $name AND p.rounds > 0 AND "
        f"p.day > (SELECT max(day) FROM daily_figures) - {DAYS} "
        "GROUP BY ALL ORDER BY p.day DESC, also",
        {"name": name},
    )


def _found(books: Books, kind: SubjectKind, name: str) -> list[Row]:
    rows = books.rows(
        f"SELECT f.day, f.id, f.kind, f.severity, f.table_id, f.round, f.money, f.player, "
        f"f.message, d.currency, {STATE} AS state, {OPEN} AS open FROM {WITH_CASES} "
        f"LEFT JOIN {_CURRENCIES} d ON d.day = f.day AND d.table_id = f.table_id "
        f"WHERE f.{kind.column} = ? "
        f"ORDER BY f.day DESC, f.severity, f.id LIMIT {10 * SHOWN}",
        [name],
    )
    for row in rows:
        row["name"] = kind_words(row["kind"]).name
    return rows


def _over_time(
    books: Books, kind: SubjectKind, name: str, played: list[Row]
) -> tuple[list[tuple[date, Rate]], Rate]:
    hits = books.rows(
        f"SELECT day, count(DISTINCT round) AS hits FROM findings WHERE {kind.column} = ? "
        f"AND {ERRORS} GROUP BY 1",
        [name],
    )
    by = {row["day"]: row["hits"] for row in hits}
    rounds: dict[date, int] = {}
    for row in played:
        rounds[row["day"]] = rounds.get(row["day"], 0) + row["rounds"]
    days = sorted(rounds)
    whole = rate(sum(by.get(day, 0) for day in days), sum(rounds.values()))
    return [(day, rate(by.get(day, 0), rounds[day])) for day in days], whole


def _house(books: Books, played: list[Row]) -> Rate:
    """All tables on the same days."""
    if not played:
        return rate(0, 0)
    first, last = played[-1]["day"], played[0]["day"]
    rounds = books.value(
        "SELECT coalesce(sum(rounds), 0)::BIGINT FROM daily_figures WHERE day BETWEEN ? AND ?",
        [first, last],
    )
    hits = books.value(
        f"SELECT count(DISTINCT round) FROM findings WHERE day BETWEEN ? AND ? AND {ERRORS}",
        [first, last],
    )
    return rate(hits, rounds)


def _verdict(whole: Rate, house: Rate) -> str:
    if not whole.rounds:
        return "No round is counted here, so there is no rate."
    if whole.few:
        return (
            f"{whole.rounds:,} rounds are few: the interval is wide, and a rate out of so few "
            f"proves nothing either way."
        )
    if whole.low > house.high:
        return (
            "More rounds with findings than in the house, beyond what chance explains. Why is not "
            "in the figures: hours, game, limits and equipment differ too. Look at the rounds."
        )
    if whole.high < house.low:
        return "Fewer rounds with findings than in the house, beyond what chance explains."
    return "No difference from the house that chance would not explain."


def _kinds(books: Books, kind: SubjectKind, name: str) -> list[Row]:
    """Each kind with its money, every currency by itself."""
    rows = books.rows(
        "SELECT f.kind, f.severity, d.currency, count(*) AS n, "
        "coalesce(sum(f.too_much), 0)::BIGINT AS too_much, "
        "coalesce(sum(f.too_little), 0)::BIGINT AS too_little FROM findings f "
        f"LEFT JOIN {_CURRENCIES} d ON d.day = f.day AND d.table_id = f.table_id "
        f"WHERE f.{kind.column} = ? GROUP BY ALL ORDER BY f.kind, d.currency",
        [name],
    )
    by: dict[str, Row] = {}
    for row in rows:
        new = {"kind": row["kind"], "severity": row["severity"], "n": 0, "money": []}
        one = by.setdefault(row["kind"], new | {"words": kind_words(row["kind"])})
        one["n"] += row["n"]
        if row["too_much"] or row["too_little"]:
            one["money"].append(row)
    return sorted(by.values(), key=lambda one: (-one["n"], one["kind"]))


def _also(played: list[Row], kind: SubjectKind) -> list[Row]:
    """What it played with, the most first."""
    sums: dict[str, int] = {}
    for row in played:
        sums[row["also"]] = sums.get(row["also"], 0) + row["rounds"]
    way = "rulebook" if kind is TABLE else "table"
    ordered = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"name": name, "rounds": n, "way": way} for name, n in ordered[:20]]


def _money(played: list[Row]) -> list[tuple[str, str | None, int]]:
    """What was staked, due and paid, each currency by itself."""
    names = [name for name in ("stake", "due", "paid") if played and name in played[0]]
    found = sorted({row["currency"] for row in played}, key=lambda c: (c is None, c))
    return [
        (_LABELS[name], currency, sum(r[name] for r in played if r["currency"] == currency))
        for currency in found
        for name in names
    ]


_LABELS = {"stake": "staked", "due": "due", "paid": "paid"}


ROUTES = [
    Route("/table/{table:path}", table),
    Route("/dealer/{dealer:path}", dealer),
    Route("/player/{player:path}", player),
]
