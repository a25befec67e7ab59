"""`evenhand users`: the accounts of the house. Whoever may write the home's files manages them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.account import read_password
from pipelines.safe_text import for_json, say, terminal

if TYPE_CHECKING:
    from pipelines.people.act import DeedBook

_ROLES = "reader, auditor (SQL, evidence), analyst, approver, administrator"
_role = click.option(
    "--role", "roles", multiple=True, metavar="ROLE", help=f"{_ROLES}; several go."
)
_account = click.argument("account")


@click.group(name="users")
def command() -> None:
    """Accounts of the desk and of waivers: add, list, roles, password, lock, unlock, remove.

    A password comes from the terminal or as a line on standard input, never as an argument. Every
    change is an entry in the log of what people do.
    """


def _book() -> DeedBook:
    from events.settings import load_settings
    from pipelines.people.act import DeedBook

    return DeedBook(load_settings().home)


def _do(what: str, account: str, details: dict[str, Any] | None = None) -> None:
    from pipelines.people.act import local_actor

    _book().do(local_actor(), f"account_{what}", [account], details)


@command.command()
@_account
@_role
@click.option("--no-password", is_flag=True, help="Only a proxy signs this account in.")
def add(account: str, roles: tuple[str, ...], no_password: bool) -> None:
    """Add an ACCOUNT, such as a.tan, in one or several roles."""
    from pipelines.people.act import local_actor
    from pipelines.people.manage import add_account

    book = _book()
    first = not book.people().accounts
    ask = None if no_password else lambda: read_password(f"password of {account}", twice=True)
    add_account(book, local_actor(), account, roles, ask)
    say(f"{account}: added as {', '.join(roles)}")
    if first:
        say("from now on the desk asks who comes, and a waiver needs a second one to approve it")


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One list of objects.")
def list_(as_json: bool) -> None:
    """List the accounts with their roles."""
    accounts = sorted(_book().people().accounts.values(), key=lambda a: a.id)
    told = [
        {"account": a.id, "roles": list(a.roles), "locked": a.locked, "password": bool(a.password)}
        for a in accounts
    ]
    if as_json:
        click.echo(for_json(told, indent=2))
        return
    if not told:
        say("there is no account: the desk runs on this machine only, as one local user")
        return
    from pipelines.tables import columns, print_table

    rows = []
    for a in accounts:
        state = "locked" if a.locked else "open" if a.password else "open, through the proxy only"
        rows.append((a.id, ", ".join(a.roles), state))
    print_table(terminal(), columns("account", "roles", "state", folds=("roles", "state")), rows)


@command.command(name="role")
@_account
@_role
def roles_(account: str, roles: tuple[str, ...]) -> None:
    """Give an ACCOUNT these roles and no others."""
    _do("roles", account, {"roles": list(dict.fromkeys(roles))})
    say(f"{account}: {', '.join(roles)} from now on")


@command.command()
@_account
def password(account: str) -> None:
    """Set an ACCOUNT's password; its sessions end."""
    from pipelines.people.act import local_actor
    from pipelines.people.manage import set_password

    set_password(
        _book(),
        local_actor(),
        account,
        lambda: read_password(f"new password of {account}", twice=True),
    )
    say(f"{account}: has a new password, and its sessions have ended")


@command.command()
@_account
def lock(account: str) -> None:
    """Let an ACCOUNT in no more; its sessions end."""
    _do("locked", account)
    say(f"{account}: locked")


@command.command()
@_account
def unlock(account: str) -> None:
    """Let a locked ACCOUNT in again."""
    _do("unlocked", account)
    say(f"{account}: open again")


@command.command()
@_account
def remove(account: str) -> None:
    """Remove an ACCOUNT; what it did stays in the log, and its name is not given again."""
    from pipelines.people.passwords import keep

    _do("removed", account)
    keep(_book().home, account, None)
    say(f"{account}: removed")
