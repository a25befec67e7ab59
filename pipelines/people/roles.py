"""Roles, and what each may do. An account has one or several."""

from __future__ import annotations

from collections.abc import Iterable

READ, ASK, EVIDENCE, WORK, APPROVE, ACCOUNTS = "read ask evidence work approve accounts".split()
"""Look at pages; put questions in SQL; take evidence away; work on cases and ask for waivers;
decide on what others asked for; manage accounts."""

ROLES: dict[str, frozenset[str]] = {
    "reader": frozenset({READ}),
    "auditor": frozenset({READ, ASK, EVIDENCE}),
    "analyst": frozenset({READ, ASK, EVIDENCE, WORK}),
    "approver": frozenset({READ, ASK, EVIDENCE, WORK, APPROVE}),
    "administrator": frozenset({READ, ACCOUNTS}),
}

RIGHTS = (READ, ASK, EVIDENCE, WORK, APPROVE, ACCOUNTS)
NEEDS = {right: [role for role, may in ROLES.items() if right in may] for right in RIGHTS}
"""The roles that may do something, for the sentence that refuses it to others."""


def rights_of(roles: Iterable[str]) -> frozenset[str]:
    """Everything that these roles may do together."""
    return frozenset().union(*(ROLES.get(role, frozenset()) for role in roles))
