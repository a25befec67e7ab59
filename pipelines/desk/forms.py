"""A form that somebody sent: his own, by the token of his session, and within bounds."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pipelines.desk.errors import DeskError, bad_request
from pipelines.desk.sessions import DeskSession
from pipelines.people.act import DeedBook, NotAllowedError
from pipelines.people.log import PeopleLogError

LONGEST = 4_000
MOST_FIELDS = 3_000


class SentForm:
    """The fields of a form whose token was right."""

    def __init__(self, form: FormData) -> None:
        self._form = form

    def text(self, name: str, most: int = LONGEST) -> str:
        found = self._form.get(name, "")
        if not isinstance(found, str) or len(found) > most:
            raise bad_request(f"{name}: expected a text of at most {most:,} characters.")
        return found.strip()

    def all(self, name: str) -> list[str]:
        return [one for one in self._form.getlist(name) if isinstance(one, str) and one]

    def back(self, otherwise: str) -> str:
        """Where he came from, within the desk and nowhere else."""
        return within(self.text("next")) or otherwise


def within(address: str) -> str:
    """An address of this desk as it is; nothing for any other."""
    plain = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if plain and all(ord(c) > 31 for c in address) else ""


async def sent_form(request: Request) -> SentForm:
    """The form, or a DeskError where its token is missing, old or another's."""
    form = await request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=64 * 1024)
    session: DeskSession = request.state.session
    token = form.get("token", "")
    if not isinstance(token, str) or not session.owns(token):
        raise DeskError(
            403,
            "This form is not valid any more",
            "Its token is missing or belongs to another session; nothing was done. Open the page "
            "again and send it from there.",
        )
    return SentForm(form)


async def done_then(deed: Callable[[], object], address: str) -> Response:
    """Do it, then go on to an address; a sentence where it can't be done."""
    try:
        await run_in_threadpool(deed)
    except NotAllowedError as error:
        raise DeskError(409, "That was not done", f"{error}.") from None
    except PeopleLogError as error:
        raise DeskError(503, "That can't be written down", f"{error}.") from None
    return RedirectResponse(address, 303)


def book_of(request: Request) -> DeedBook:
    found: DeedBook = request.app.state.deeds
    return found
