"""/round/ID: one round, replayed and told; /evidence/ID: the same as a file that proves itself."""

from __future__ import annotations

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from events.archive.errors import UnknownRoundError
from events.archive.finder import rounds_beside
from events.archive.reader import Archive
from events.settings import Settings
from pipelines.desk.books import Books, NothingPublishedError
from pipelines.desk.errors import DeskError, bad_request, not_found
from pipelines.desk.hand_out import attachment
from pipelines.desk.pages import books_of, page, settings_of
from pipelines.desk.who import user_of
from pipelines.evidence.make import make
from pipelines.investigate.case import Investigation, differences, investigate
from pipelines.investigate.locate import Located, in_archive
from pipelines.investigate.neighbours import premises_of
from pipelines.investigate.page.html import told
from pipelines.investigate.table_days import TableDays
from pipelines.report.asking import OPEN, STATE, WITH_CASES, Row
from replay.registry import readings

LONGEST_ID = 200


def round_page(request: Request) -> Response:
    wanted = request.path_params["round"]
    settings = settings_of(request)
    usual = turned_by(settings)
    turned = usual ^ _asked_otherwise(request)
    located, before, after = _located(settings, wanted, request.app.state.table_days)
    case = investigate(located, turned)
    other = None
    if turned != usual:
        other = differences(investigate(located, usual).answer, case.answer)
    ids, edition = _published(request, wanted)
    return page(
        request,
        "round.html.j2",
        **told(case, settings.timezone),
        day=located.day,
        dealer=None if case.opened is None else case.opened.dealer,
        players=_players(located),
        rulebook=case.answer.rulebook,
        before=before,
        after=after,
        ids=ids,
        other=other,
        choices=_choices(case, usual),
        turned=sorted(turned ^ usual),
        may_take=user_of(request).may("auditor"),
        edition=edition,
    )


def _players(located: Located) -> list[str]:
    """Everybody whom an event of the round names, also who took his chips back."""
    named = (getattr(e.event, "player", None) for e in located.events)
    return sorted({player for player in named if player})


def turned_by(settings: Settings) -> frozenset[str]:
    """The readings that the house follows otherwise than by default."""
    return frozenset(name for name, choice in settings.readings.items() if choice == "other")


def _asked_otherwise(request: Request) -> frozenset[str]:
    """`?reading=ID`, as often as wanted: those that are to be read the other way."""
    asked = frozenset(request.query_params.getlist("reading"))
    odd = sorted(asked - readings().keys())
    if odd:
        raise bad_request(f'There is no reading "{odd[0][:60]}"; evenhand readings lists them.')
    return asked


def _located(
    settings: Settings, wanted: str, kept: TableDays | None = None
) -> tuple[Located, str | None, str | None]:
    if len(wanted) > LONGEST_ID:
        raise not_found("round", f"An id has at most {LONGEST_ID} characters.")
    try:
        with Archive(settings.home / "archive") as archive:
            located = in_archive(premises_of(settings, archive, kept), wanted)
            began = next((e.at for e in located.events if e.at is not None), None)
            before, after = _beside(archive, located, began)
    except UnknownRoundError as error:
        raise not_found("round", f"{error}") from None
    return located, before, after


def _beside(
    archive: Archive, located: Located, began: datetime | None
) -> tuple[str | None, str | None]:
    if located.table is None or began is None:
        return None, None
    return rounds_beside(archive, located.table, began)


def _published(request: Request, wanted: str) -> tuple[list[Row], str]:
    """The published findings of the round with their ids and states, and the catalogue's edition;
    a round can be looked at before any night."""
    try:
        with books_of(request) as books:
            return _ids(books, wanted), books.edition
    except NothingPublishedError:
        return [], ""


def _ids(books: Books, wanted: str) -> list[Row]:
    return books.rows(
        f"SELECT f.id, f.kind, f.severity, {STATE} AS state, {OPEN} AS open FROM {WITH_CASES} "
        "WHERE f.round = ? ORDER BY f.severity, f.id LIMIT 200",
        [wanted],
    )


def _choices(case: Investigation, usual: frozenset[str]) -> list[Row]:
    """Readings on which something in this round depends."""
    names = sorted(set(case.answer.turned) | (case.turned ^ usual))
    return [
        {
            "id": name,
            "question": readings()[name].reading.question,
            "on": name in case.turned ^ usual,
        }
        for name in names
    ]


def evidence(request: Request) -> Response:
    if not user_of(request).may("auditor"):
        raise DeskError(403, "Not for this role", "Evidence is for auditors and above.")
    wanted = request.path_params["round"]
    settings = settings_of(request)
    if len(wanted) > LONGEST_ID:
        raise not_found("round", f"An id has at most {LONGEST_ID} characters.")
    try:
        made = make(settings, wanted, turned_by(settings))
    except UnknownRoundError as error:
        raise not_found("round", str(error)) from None
    return attachment(made.content, "application/zip", f"{made.material.round}.zip")


ROUTES = [Route("/round/{round:path}", round_page), Route("/evidence/{round:path}", evidence)]
