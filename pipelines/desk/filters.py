"""What the inbox shows. Every filter stands in the address, so that a view can be sent on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from pipelines.desk.errors import DeskError, bad_request
from pipelines.night.summary import SEVERITIES
from pipelines.report.asking import OPEN, STATE, WAIVER, WITH_CASES

LONGEST = 200
_AMOUNT = re.compile(r"[0-9]{1,10}(\.[0-9]{1,2})?")
PAGE = 100
STATES = ("open", "new", "assigned", "in review", "confirmed", "explained", "closed", "waived")
SORTS = {
    "day": "f.day DESC, rank, moved DESC",
    "money": "moved DESC, f.day DESC",
    "age": "f.day, rank, moved DESC",
    "kind": "f.kind, f.day DESC, moved DESC",
    "table": "f.table_id NULLS LAST, f.day DESC, f.round",
    "severity": "rank, moved DESC, f.day DESC",
}
_RANK = "CASE f.severity " + " ".join(f"WHEN '{s}' THEN {n}" for n, s in enumerate(SEVERITIES))
_MOVED = "coalesce(f.too_much, 0) + coalesce(f.too_little, 0)"
COLUMNS = (
    "f.day, f.id, f.kind, f.severity, f.table_id, f.round, f.rulebook, f.seq, f.box, f.hand, "
    "f.player, f.bet, f.money, f.too_much, f.too_little, d.currency, f.clauses, f.message, "
    f"f.dealer, f.seen_at, {STATE} AS state, {WAIVER} AS waiver, "
    f"c.assignee, c.due, {OPEN} AS open"
)
_FROM = (
    f"FROM {WITH_CASES} LEFT JOIN (SELECT day, table_id, any_value(currency) AS currency "
    "FROM daily_figures GROUP BY ALL) d ON d.day = f.day AND d.table_id = f.table_id"
)


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """The filters as they stand in the address; empty ones are not set."""

    from_: str = ""
    to: str = ""
    kind: str = ""
    severity: str = ""
    table: str = ""
    dealer: str = ""
    player: str = ""
    rulebook: str = ""
    least: str = ""
    state: str = ""
    assignee: str = ""
    q: str = ""
    sort: str = "day"
    page: str = "1"
    in_words: bool = True  # whether the search looks into sentences, which name players

    @property
    def query(self) -> str:
        """As an address has it, without what is as by default."""
        return self.changed()

    def changed(self, **other: object) -> str:
        """The same view with something else, as an address has it."""
        now = {name: getattr(self, name) for name in _IN_ADDRESS}
        usual = {f.name: f.default for f in fields(self)}
        if "page" not in other:
            now["page"] = usual["page"]
        now |= {name: str(value) for name, value in other.items()}
        return urlencode({k.rstrip("_"): v for k, v in now.items() if v and v != usual[k]})

    @property
    def number(self) -> int:
        return int(self.page)

    def where(self) -> tuple[str, dict[str, Any]]:
        """The condition, and its values: nothing of the address stands in the SQL itself."""
        parts, values = ["true"], {}
        for name, column in (
            ("kind", "f.kind"), ("table", "f.table_id"), ("dealer", "f.dealer"),
            ("player", "f.player"), ("rulebook", "f.rulebook"), ("assignee", "c.assignee"),
        ):  # fmt: skip
            if value := getattr(self, name):
                parts.append(f"{column} = ${name}")
                values[name] = value
        for name, sign in (("from_", ">="), ("to", "<=")):
            if value := getattr(self, name):
                parts.append(f"f.day {sign} ${name}")
                values[name] = date.fromisoformat(value)
        if self.severity == "urgent":
            parts.append("f.severity IN ('money', 'integrity')")
        elif self.severity:
            parts.append("f.severity = $severity")
            values["severity"] = self.severity
        if self.least:
            parts.append(f"{_MOVED} >= $least")
            values["least"] = int(Decimal(self.least) * 100)
        if self.q:
            searched = ["f.id", "coalesce(f.round, '')", *(["f.message"] if self.in_words else [])]
            parts.append(f"({' OR '.join(f'contains(lower({s}), lower($q))' for s in searched)})")
            values["q"] = self.q
        parts += self._state(values)
        return " AND ".join(parts), values

    def _state(self, values: dict[str, Any]) -> list[str]:
        if self.state == "open":
            return [OPEN]
        if self.state == "waived":
            return [f"{WAIVER} IS NOT NULL"]
        if self.state:
            values["state"] = self.state
            return ["coalesce(c.state, 'new') = $state", f"{WAIVER} IS NULL"]
        return []

    def sql(self, limit: int, offset: int = 0) -> tuple[str, dict[str, Any]]:
        where, values = self.where()
        return (
            f"SELECT {COLUMNS}, {_RANK} ELSE 9 END AS rank, {_MOVED} AS moved {_FROM} "
            f"WHERE {where} ORDER BY {SORTS[self.sort]}, f.id LIMIT {limit} OFFSET {offset}",
            values,
        )

    def count_sql(self) -> tuple[str, dict[str, Any]]:
        where, values = self.where()
        return (
            f"SELECT d.currency, count(*) AS n, count(*) FILTER ({OPEN}) AS open, "
            "coalesce(sum(f.too_much), 0)::BIGINT AS too_much, "
            f"coalesce(sum(f.too_little), 0)::BIGINT AS too_little {_FROM} WHERE {where} "
            "GROUP BY 1 ORDER BY n DESC",
            values,
        )


_IN_ADDRESS = tuple(f.name for f in fields(InboxFilter) if f.name != "in_words")


def parse_filter(query: Mapping[str, str], *, sees_players: bool = True) -> InboxFilter:
    """The filters of an address; one that can't be meant is refused in a sentence. Who must not see
    players does not learn by searching either whether he guessed one rightly."""
    known = {name.rstrip("_"): name for name in _IN_ADDRESS}
    given: dict[str, str] = {}
    for name, value in query.items():
        text = value.strip()
        if name == "day":
            given |= {"from_": text, "to": text}
        elif name in known and text:
            given[known[name]] = text
        if len(text) > LONGEST:
            raise bad_request(f"{name[:40]}: expected at most {LONGEST} characters.")
    found = InboxFilter(**given, in_words=sees_players)
    _check(found)
    if found.player and not sees_players:
        raise DeskError(403, "Not for this role", "Your role sees no player's reference.")
    return found


def _check(found: InboxFilter) -> None:
    for name in ("from_", "to"):
        text = getattr(found, name)
        try:
            if text:
                date.fromisoformat(text if len(text) == 10 else "")
        except ValueError:
            raise bad_request(
                f'{name.rstrip("_")}: expected a day like 2026-11-15, found "{text[:40]}".'
            ) from None
    for name, allowed in (
        ("sort", tuple(SORTS)),
        ("state", ("", *STATES)),
        ("severity", ("", "urgent", *SEVERITIES)),
    ):
        if getattr(found, name) not in allowed:
            raise bad_request(f"{name}: expected one of {', '.join(filter(None, allowed))}.")
    if found.least and not _AMOUNT.fullmatch(found.least):
        raise bad_request(f'least: expected an amount like 50, found "{found.least}".')
    if not (found.page.isdecimal() and len(found.page) < 7 and int(found.page) > 0):
        raise bad_request("page: expected a number from 1 on.")
