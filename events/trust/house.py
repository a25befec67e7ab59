"""The house's own key: made where it is needed for the first time, listed by `evenhand keys`.

    keys/house.key    the private key, which only its owner reads
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
from events.trust.keyfiles import key_file, read_known_keys, read_private, write_private
from events.trust.note import SignerKey, VerifierKey

HOUSE, PUBLIC = "house", "house.pub"


def house_signer(home: Path) -> SignerKey:
    """The key that the house signs with; a new one where there is none yet."""
    path = key_file(home, HOUSE)
    if not path.exists():
        _make(path)
    key = read_private(path)
    _tell(home, key.verifier)
    return key


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
