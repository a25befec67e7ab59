"""What a watcher tells: a finding, that one is withdrawn, how a round came out.

A finding is told again when it changes; under its id the last one counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from replay.answer import Answer, Finding
from replay.facts import Round

What = Literal["finding", "withdrawn", "round"]


class LiveWord(NamedTuple):
    """One thing told.

    id: of the finding, or of the round.
    body: the finding, or the round's status, as JSON text; the same text for the same content.
    open: what may still change it.
    dealer, opened_us: of the round, for the rules of alerts.
    """

    what: What
    id: str
    table: str | None
    round: str | None
    body: str
    open: tuple[str, ...] = ()
    dealer: str | None = None
    changed: bool = False
    opened_us: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As `evenhand watch --json` prints it."""
        body = json.loads(self.body)
        if self.what == "round":
            return {"round": self.id, **body}
        out: dict[str, Any] = {self.what: body}
        if self.changed:
            out["changed"] = True
        return out | ({"open": list(self.open)} if self.open else {})


class StandingFindings(Protocol):
    """What was told before and not withdrawn: by id the text of the finding."""

    def of(self, table: str, round_: str | None) -> Mapping[str, str]: ...


class NothingStands:
    """Nothing was told yet."""

    def of(self, table: str, round_: str | None) -> Mapping[str, str]:
        return {}


def text_of(finding: Finding) -> str:
    """A finding as text."""
    return json.dumps(finding.to_json(), ensure_ascii=False, separators=(",", ":"))


def still_open(finding: Finding) -> tuple[str, ...]:
    """What may still change a finding: other tables that share a meter, events that come late."""
    if finding.bet == "progressive" and finding.severity in {"money", "judgement"}:
        return ("meter",)
    if finding.kind in {"incomplete_round", "sequence_gap"}:
        return ("late events",)
    return ()


def status_of(round_: Round, answer: Answer, meter: bool) -> str:
    """How a round came out, and what only later events or other tables can still show of it."""
    rest = ["shoe", "day", *(["meter"] if meter else [])]
    said = {"status": answer.status, "table": round_.table, "open": rest}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def differing(
    now: Mapping[str, Finding],
    told: dict[str, str],
    table: str,
    round_: str | None = None,
    dealer: str | None = None,
    opened_us: int | None = None,
) -> list[LiveWord]:
    """What is to be told, where `told` was told before and `now` is found; `told` follows."""
    gone = [id_ for id_ in told if id_ not in now]
    out = [LiveWord("withdrawn", id_, table, round_, told.pop(id_), (), dealer) for id_ in gone]
    for id_, finding in now.items():
        text, before = text_of(finding), told.get(id_)
        if before != text:
            told[id_] = text
            rest = still_open(finding)
            known = before is not None
            word = LiveWord("finding", id_, table, round_, text, rest, dealer, known, opened_us)
            out.append(word)
    return out
