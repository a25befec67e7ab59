"""Accounts as the log leaves them: who there is, in which roles, and whether he may come in.

Roles stand in the chained log and nowhere else, so that nobody can be given one unnoticed. The file
of passwords has nothing but their argon2 hashes, and the log knows the SHA-256 of each: a hash that
was put there past the log opens no door.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from events.contract import did_you_mean, words
from pipelines.people.roles import ROLES, rights_of

if TYPE_CHECKING:
    from pipelines.people.entry import Deed, LogEntry
    from pipelines.people.state import People

_ID = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
NO_PASSWORD = None


@dataclass(frozen=True, slots=True)
class Account:
    """`password`: SHA-256 of the argon2 hash in force; None for one that only a proxy signs in."""

    id: str
    roles: tuple[str, ...]
    password: str | None = None
    locked: bool = False

    @property
    def rights(self) -> frozenset[str]:
        return frozenset() if self.locked else rights_of(self.roles)


def bad_id(name: str) -> str | None:
    """Why a text can't be an account's id; None where it can."""
    if _ID.fullmatch(name):
        return None
    return (
        f"account {name[:80]!r}: expected lower-case letters, digits and . _ @ - (at most 64), "
        "such as a.tan"
    )


def bad_roles(roles: Collection[str]) -> str | None:
    if not roles:
        return f"expected at least one role: {words(ROLES)}"
    for role in roles:
        if role not in ROLES:
            hint = did_you_mean(role, ROLES)
            return f"role {role}: expected one of {words(ROLES)}{hint}"
    return None


def why_not(people: People, deed: Deed) -> str | None:
    """Why a deed on accounts can't be done; None where it can."""
    name = deed.subjects[0]
    known = people.accounts.get(name)
    if deed.what == "account_added":
        if known is not None:
            return f"account {name} is there already"
        if name in people.former:
            return (
                f"account {name} was removed, and its name stays with whoever had it in the log: "
                "choose another"
            )
        return bad_id(name) or bad_roles(deed.details["roles"])
    if known is None:
        return f"there is no account {name}{did_you_mean(name, people.accounts)}"
    if deed.what == "account_roles":
        return bad_roles(deed.details["roles"])
    if deed.what == "account_removed" and len(people.accounts) == 1:
        return (
            f"account {name} is the last one: without any account one person alone could decide; "
            "add another first"
        )
    return None


def change(people: People, entry: LogEntry) -> None:
    name, details = entry.deed.subjects[0], entry.details
    known = people.accounts.get(name)
    if known is None:
        roles = tuple(map(str, details["roles"]))
        people.accounts[name] = Account(name, roles, details["password"])
    elif entry.what == "account_roles":
        people.accounts[name] = replace(known, roles=tuple(map(str, details["roles"])))
    elif entry.what == "account_password":
        people.accounts[name] = replace(known, password=details["password"])
    elif entry.what in {"account_locked", "account_unlocked"}:
        people.accounts[name] = replace(known, locked=entry.what == "account_locked")
    else:
        people.former.add(people.accounts.pop(name).id)


CHANGES = ("added", "roles", "password", "locked", "unlocked", "removed")
