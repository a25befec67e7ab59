"""Who runs a command: an account with its password, or the local user where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pipelines.people.act import Actor, DeedBook


_F = TypeVar("_F", bound=Callable[..., Any])


def as_account(function: _F) -> _F:
    """The options by which somebody says who he is."""
    return click.option(
        "--as",
        "--by",
        "account",
        metavar="ACCOUNT",
        help="Your account; its password is asked for.",
    )(function)


def actor_of(book: DeedBook, account: str | None) -> Actor:
    """Where the house has accounts, the one that was named, once its password was right."""
    from events.errors import EvenhandError
    from pipelines.people.act import Actor, local_actor
    from pipelines.people.passwords import is_right

    people = book.people()
    if not people.accounts:
        return Actor(" ".join(account.split()) or "?") if account else local_actor()
    if account is None:
        raise EvenhandError("this house has accounts: say who you are with --as ACCOUNT")
    known = people.accounts.get(account)
    password = read_password(f"password of {account}")
    if not is_right(book.home, known, password):
        raise EvenhandError(f"account {account}: wrong password, or no such account, or locked")
    return Actor(account, "command")


def read_password(prompt: str, *, twice: bool = False) -> str:
    """From the terminal without showing it; otherwise the first line of what is handed in."""
    if sys.stdin.isatty():
        text: str = click.prompt(
            prompt, hide_input=True, confirmation_prompt=twice, err=True, type=str
        )
        return text
    return sys.stdin.readline().rstrip("\r\n")
