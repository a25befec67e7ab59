"""Accounts made and their passwords set: the hash goes into its file, its SHA-256 into the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.people import accounts
from pipelines.people.act import Actor, DeedBook, NotAllowedError
from pipelines.people.entry import Deed
from pipelines.people.passwords import fingerprint, hash_password, keep
from pipelines.people.state import why_not

AskPassword = Callable[[], str]


def add_account(
    book: DeedBook, actor: Actor, name: str, roles: Sequence[str], ask: AskPassword | None
) -> None:
    """Add an account; without `ask` it has no password. Nobody is asked for one in vain."""
    wanted = list(dict.fromkeys(roles))
    refused = accounts.bad_id(name) or accounts.bad_roles(wanted)
    if refused is None:
        deed = Deed(actor.who, "account_added", actor.via, None, (name,), {"roles": wanted})
        refused = why_not(book.people(), deed)
    if refused is not None:
        raise NotAllowedError(refused)
    hashed = None if ask is None else hash_password(ask())
    details = {"roles": wanted, "password": None if hashed is None else fingerprint(hashed)}
    keep(book.home, name, hashed)
    book.do(actor, "account_added", [name], details)


def set_password(book: DeedBook, actor: Actor, name: str, ask: AskPassword) -> None:
    """A new password. Where only the file changed before the power failed, the account stays
    closed until it is set again."""
    deed = Deed(actor.who, "account_password", actor.via, None, (name,), {"password": ""})
    refused = why_not(book.people(), deed)
    if refused is not None:
        raise NotAllowedError(refused)
    hashed = hash_password(ask())
    keep(book.home, name, hashed)
    book.do(actor, "account_password", [name], {"password": fingerprint(hashed)})
