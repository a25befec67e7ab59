"""What a page can't show, with the status and the sentence that say so."""

from __future__ import annotations

from events.errors import EvenhandError


class DeskError(EvenhandError):
    """A page that can't be shown: its status, a title and what to do."""

    def __init__(self, status: int, title: str, text: str) -> None:
        super().__init__(text)
        self.status, self.title = status, title


def not_found(what: str, text: str) -> DeskError:
    return DeskError(404, f"No such {what}", text)


def bad_request(text: str) -> DeskError:
    return DeskError(400, "That does not fit", text)
