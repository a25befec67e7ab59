"""Who sits at the desk. Without any account it is one local user, who may do everything."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

ROLES = ("reader", "auditor", "analyst", "approver", "administrator")
"""Each may do what the one before may."""


@dataclass(frozen=True, slots=True)
class DeskUser:
    """Somebody at the desk: `request.state.user`."""

    name: str
    role: str
    local: bool = False  # nobody signed in: the one user of a desk without accounts
    sees_players: bool = True

    def may(self, role: str) -> bool:
        """Whether the user's role is this one or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)


LOCAL = DeskUser("local", "administrator", local=True)


def user_of(request: Request) -> DeskUser:
    """Whoever signed in; where no sign-in stands before the pages, the local user."""
    found: DeskUser = getattr(request.state, "user", LOCAL)
    return found
