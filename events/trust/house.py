"""The house's own key: made where it is needed for the first time, listed by `evenhand keys`.

    keys/house.key    the private key, which only its owner reads; or the setting
                      house_key_command names a command that prints it
    house.pub         the keys by which the house's signatures are known: the one in use and those
                      before it, one a line

A witness and whoever checks elsewhere get a copy of house.pub; here it proves nothing by itself,
because whoever can write to the home can change it too.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from events.runtime.durable import write_whole
from events.runtime.modes import make_folder
from events.trust.errors import TrustError
from events.trust.keyfiles import (
    key_file,
    private_from_command,
    read_known_keys,
    read_private,
    write_private,
)
from events.trust.note import SignerKey, VerifierKey

HOUSE, PUBLIC = "house", "house.pub"


def house_signer(home: Path) -> SignerKey:
    """The key that the house signs with: what the command prints, where the settings name one, else
    its file; a new one where there is none yet."""
    from events.settings import settings_of_home

    command = settings_of_home(home).house_key_command
    key = private_from_command(command) if command else _own_file(key_file(home, HOUSE))
    _tell(home, key.verifier)
    return key


def _own_file(path: Path) -> SignerKey:
    try:
        if not path.exists():
            _make(path)
    except OSError as error:
        raise TrustError(
            f"{path}: the house's private key is out of reach: {error.strerror}"
        ) from None
    return read_private(path)


def house_keys(home: Path) -> list[VerifierKey]:
    """By which keys the house says that it signs; none where it has never signed."""
    path = home / PUBLIC
    return read_known_keys(path) if path.exists() else []


def _make(path: Path) -> None:
    """The name ends in digits of its own, so that two houses' logs are never taken for one."""
    make_folder(path.parent)
    try:
        write_private(path, SignerKey.make(f"evenhand/house-{secrets.token_hex(4)}"))
    except TrustError:
        if not path.exists():  # else: another process was quicker
            raise


def _tell(home: Path, key: VerifierKey) -> None:
    known = house_keys(home)
    if key not in known:
        text = "# by these keys the house's signatures are known; give others a copy\n"
        text += "".join(f"{one}\n" for one in [*known, key])
        write_whole(home / PUBLIC, text.encode())
