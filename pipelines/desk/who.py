"""Who sits at the desk. Without any account it is one local user, who may do everything."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from events.settings import Settings
from pipelines.people.accounts import Account
from pipelines.people.act import Actor, os_user
from pipelines.people.roles import RIGHTS, ROLES, rights_of


@dataclass(frozen=True, slots=True)
class DeskUser:
    """Somebody at the desk: `request.state.user`."""

    name: str
    role: str
    local: bool = False  # nobody signed in: the one user of a desk without accounts
    sees_players: bool = True
    rights: frozenset[str] = frozenset(RIGHTS)

    def may(self, role: str) -> bool:
        """Whether the user may do what this role may."""
        return ROLES[role] <= self.rights

    @property
    def actor(self) -> Actor:
        """As the log of what people do names him."""
        return Actor(self.name, "local" if self.local else "desk")


LOCAL = DeskUser(os_user(), "administrator", local=True)


def of_account(account: Account, settings: Settings) -> DeskUser:
    masked = settings.people.mask_players_for
    sees = any(role not in masked for role in account.roles)
    return DeskUser(
        account.id, ", ".join(account.roles), sees_players=sees, rights=rights_of(account.roles)
    )


def user_of(request: Request) -> DeskUser:
    """Whoever signed in; where no sign-in stands before the pages, the local user."""
    found: DeskUser = getattr(request.state, "user", LOCAL)
    return found
