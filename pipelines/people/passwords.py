"""Passwords: argon2 hashes in a file of mode 0600, each known to the log by its SHA-256.

No password is ever in an argument, a message, a log or a repr.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from events.errors import EvenhandError
from events.runtime.durable import write_whole
from events.runtime.modes import make_folder

if TYPE_CHECKING:
    from pipelines.people.accounts import Account

LEAST = 12
"""Characters of a password; longer is better than odder."""
MOST = 1_000


class PasswordError(EvenhandError):
    """A password that can't be taken, or a file of them that can't be read."""


def passwords_file(home: Path) -> Path:
    return home / "people" / "passwords.json"


def hash_password(password: str) -> str:
    """The argon2 hash of a new password, or a PasswordError for one that is too short."""
    from argon2 import PasswordHasher

    if not LEAST <= len(password) <= MOST:
        raise PasswordError(
            f"password: expected {LEAST} to {MOST:,} characters, found {len(password):,}"
        )
    return PasswordHasher().hash(password)


def fingerprint(hashed: str) -> str:
    """What the log keeps of a hash."""
    return hashlib.sha256(hashed.encode()).hexdigest()


def keep(home: Path, account: str, hashed: str | None) -> None:
    """Write an account's hash; None takes it away."""
    known = _load(home)
    known.pop(account, None)
    if hashed is not None:
        known[account] = hashed
    path = passwords_file(home)
    make_folder(path.parent)
    write_whole(path, (json.dumps(known, indent=1) + "\n").encode(), 0o600)


def is_right(home: Path, account: Account | None, password: str) -> bool:
    """Whether a password opens the door of an account; takes as long where there is none."""
    from argon2 import PasswordHasher
    from argon2.exceptions import InvalidHashError, VerificationError

    known = _load(home).get(account.id) if account is not None else None
    fits = known is not None and account is not None and fingerprint(known) == account.password
    try:
        PasswordHasher().verify(known if known and fits else _nobodys(), password[:MOST])
    except (VerificationError, InvalidHashError):
        return False
    return fits and account is not None and not account.locked


def _nobodys() -> str:
    """A hash that no password has been chosen for, of the same cost as the others."""
    return (
        "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA"
        "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    )


def _load(home: Path) -> dict[str, str]:
    path = passwords_file(home)
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise PasswordError(
            f"{path}: the file of passwords can't be read: {type(error).__name__}; put it back or "
            "set the passwords again with evenhand users password"
        ) from None
    if not isinstance(found, dict):
        raise PasswordError(f"{path}: expected an object of account and hash")
    return {str(name): str(value) for name, value in found.items()}
