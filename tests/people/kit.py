"""What the tests of people's deeds share: accounts without passwords, findings, a home."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from pipelines.people.act import Actor, DeedBook, local_actor

TODAY = datetime.now(UTC).date()
UNTIL = TODAY + timedelta(days=30)
MEI, RAJ, SUE, TOM = (Actor(name, "desk") for name in ("mei", "raj", "sue", "tom"))
"""Mei is an analyst, Raj and Sue approve, Tom reads."""
ROLES = {"mei": ["analyst"], "raj": ["approver"], "sue": ["approver"], "tom": ["reader"]}


def a_finding(name: str = "F0123", **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": name, "kind": "wrong_odds", "severity": "money", "table_id": "T-1", "round": "R1",
        "rulebook": "blackjack-rws-v5", "seq": 9, "box": 1, "hand": 1, "player": "P1",
        "bet": "initial", "expected": '{"winnings": 1000}', "recorded": '{"winnings": 1500}',
        "money": 500, "clauses": ["3.23.2"], "message": "paid too much",
    }  # fmt: skip
    return base | more


def with_accounts(home: Path) -> DeedBook:
    book = DeedBook(home)
    for name, roles in ROLES.items():
        details = {"roles": roles, "password": None}
        book.do(local_actor(), "account_added", [name], details)
    return book


def asked(
    book: DeedBook, actor: Actor = MEI, *findings: dict[str, Any], until: date = UNTIL
) -> str:
    """The id of a waiver that somebody has asked for."""
    entry = book.ask_waiver(
        actor, findings or (a_finding(),), reason="as on the tape", until=until, run="R-1"
    )
    return str(entry.details["waiver"])
