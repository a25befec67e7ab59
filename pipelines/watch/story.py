"""What was told live of one finding, for its page: every word, and what the night said of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.watch.told import LiveWord
from pipelines.watch.verdict import outboxes

# what a word left open, in words; a word that is not here is said as it is
OPEN_WORDS = {
    "meter": "other tables share its meter, and only the night sees them together",
    "late events": "events that come late may still complete it",
    "shoe": "its shoe may not add up at its end",
    "day": "checkpoints and signatures are looked at when the day is over",
}


class ToldWord(NamedTuple):
    """Something that was told, and when."""

    at: datetime
    word: LiveWord


class LiveStory(NamedTuple):
    """All that was told of one finding, the first word first.

    stands: it was not withdrawn by a later event. body: the finding as it was told last.
    verdict: what the night said of it, None before it has.
    """

    told: tuple[ToldWord, ...]
    stands: bool
    body: dict[str, Any]
    night: str | None
    verdict: str | None

    @property
    def last(self) -> LiveWord:
        return self.told[-1].word

    @property
    def open(self) -> list[str]:
        """What may still change it, in words."""
        if not self.stands or self.verdict is not None:
            return []
        return [OPEN_WORDS.get(what, what) for what in self.last.open]


def story_of(home: Path, finding: str) -> LiveStory | None:
    """What any watcher of a home told of a finding; None where none did."""
    for path in outboxes(home):
        try:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=2)) as db:
                found = _story(db, finding)
        except sqlite3.Error:
            continue  # somebody else's may be whole, and the night finds it in any case
        if found is not None:
            return found
    return None


def _story(db: sqlite3.Connection, finding: str) -> LiveStory | None:
    rows = db.execute(
        "SELECT told_at, what, id, table_id, round, body, open, dealer, changed, opened_us "
        "FROM told WHERE id = ? AND what != 'round' ORDER BY n",
        (finding,),
    ).fetchall()
    told = tuple(
        ToldWord(
            datetime.fromisoformat(at),
            LiveWord(what, id_, table, round_, body, tuple(json.loads(rest)), who, bool(new), us),
        )
        for at, what, id_, table, round_, body, rest, who, new, us in rows
    )
    sql = "SELECT body, night, verdict FROM standing WHERE id = ?"
    stands = db.execute(sql, (finding,)).fetchone()
    if not told:
        return None
    body, night, verdict = stands or (told[-1].word.body, None, None)
    return LiveStory(told, stands is not None, json.loads(body), night, verdict)
