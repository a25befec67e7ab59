"""What the tests of the watcher share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from events.log.base import Message, Outgoing
from pipelines.watch.outbox import Numbered
from pipelines.watch.told import LiveWord
from tests.pipelines.kit import ask


class Heard:
    """Whoever listens to a watcher: what stands in the end, and every word's number."""

    def __init__(self) -> None:
        self.stands: dict[str, dict[str, Any]] = {}
        self.numbers: list[int] = []
        self.words: list[LiveWord] = []

    def hear(self, words: Iterable[LiveWord]) -> list[LiveWord]:
        some = list(words)
        self.words += some
        for word in some:
            if word.what == "finding":
                self.stands[word.id] = json.loads(word.body)
            elif word.what == "withdrawn":
                del self.stands[word.id]
        return some

    def __call__(self, told: Sequence[Numbered]) -> None:
        self.numbers += [n for n, _ in told]
        self.hear(word for _, word in told)

    def lines(self, text: str) -> None:
        """What the command printed. A word that comes again under its number counts once."""
        for line in text.splitlines():
            said = json.loads(line)
            if said["told"] in self.numbers:
                continue
            self.numbers.append(said["told"])
            if "finding" in said:
                self.stands[said["finding"]["id"]] = said["finding"]
            elif "withdrawn" in said:
                del self.stands[said["withdrawn"]["id"]]

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """What was told in order, without how rounds came out."""
        words = [w for w in self.words if w.what != "round"]
        return [(w.what, json.loads(w.body)["kind"]) for w in words]


def messages(sent: Sequence[Outgoing], first: int = 0) -> list[Message]:
    """Sent messages as a log has them."""
    return [Message(0, first + n, m.key, m.value) for n, m in enumerate(sent)]


def of_night(home: Path) -> dict[str, tuple[str, str, str | None]]:
    """The night's findings that a table shows by itself: kind, message and round by id. What only
    the tables that share a meter show together is the night's alone."""
    rows = ask(home, "SELECT id, kind, message, round FROM findings WHERE kind != 'meter_mismatch'")
    return {id_: (kind, message, round_) for id_, kind, message, round_ in rows}


def as_night(stands: dict[str, dict[str, Any]]) -> dict[str, tuple[str, str, str | None]]:
    """What a watcher told, in the same form."""
    return {id_: (f["kind"], f["message"], f["round"]) for id_, f in stands.items()}
