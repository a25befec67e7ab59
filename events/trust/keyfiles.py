"""Private keys as files that only their owner reads, or from a command that knows them."""

from __future__ import annotations

import os
import shlex
import stat
import string
import subprocess
from pathlib import Path

from events.runtime.durable import sync_folder, write_all
from events.trust.errors import TrustError
from events.trust.note import SignerKey, VerifierKey, known_keys

_COMMAND_SECONDS = 30
_PLAIN = frozenset(string.ascii_letters + string.digits + "._-")
FOLDER = "keys"
"""In the home folder: private keys that this machine made."""


def key_file(home: Path, name: str) -> Path:
    """Where the private key of that name lies."""
    if not name or name.startswith(".") or not set(name) <= _PLAIN:
        raise TrustError(
            f"the key {name!r}: expected letters, digits, dots, dashes and underscores in its name"
        )
    return home / FOLDER / f"{name}.key"


def make_private(home: Path, name: str) -> SignerKey:
    """A new key, kept as a file in the home folder."""
    path = key_file(home, name)
    key = SignerKey.make(name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_private(path, key)
    return key


def private_key(home: Path, name: str, command: str = "") -> SignerKey:
    """The private key of that name: what the command prints, where there is one, else its file.

    `{name}` in the command stands for the key's name.
    """
    if not command:
        return read_private(key_file(home, name))
    key_file(home, name)  # a name that could mean something to a shell is refused
    key = private_from_command(command.replace("{name}", name))
    if key.name != name:
        raise TrustError(f"the command gave the private key {key.name}, expected {name}")
    return key


def write_private(path: Path, key: SignerKey) -> None:
    """A new key file of mode 0600; one that is there is never written over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise TrustError(f"{path}: there is a key already; a new one needs another name") from None
    try:
        write_all(fd, key.to_text().encode())
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_folder(path.parent)


def read_private(path: Path) -> SignerKey:
    """The key of a file that nobody else can read, or a TrustError that does not tell it."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii")
    except FileNotFoundError:
        raise TrustError(f"{path}: expected a private key, found no file") from None
    except (OSError, UnicodeError) as error:
        says = error.strerror if isinstance(error, OSError) else "not a key"
        raise TrustError(f"{path}: the private key can't be read: {says}") from None
    if stat.S_IMODE(mode) & 0o077:
        found = f"{stat.S_IMODE(mode):04o}"
        raise TrustError(f"{path}: others may read this private key ({found}); chmod 600 it")
    try:
        return SignerKey.from_text(text)
    except TrustError as error:
        raise TrustError(f"{path}: {error}") from None


def private_from_command(command: str) -> SignerKey:
    """The key that a command prints: a safe, a vault, a smart card's tool."""
    try:
        words = shlex.split(command) or ["an empty one"]
    except ValueError:
        raise TrustError("the command for the private key has an open quote") from None
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise TrustError(
            f"the command for the private key ({words[0]}) did not run: {type(error).__name__}"
        ) from None
    if done.returncode:  # what it printed may hold the key, so it is told to nobody
        raise TrustError(f"the command for the private key ({words[0]}) exited {done.returncode}")
    return SignerKey.from_text(done.stdout)


def read_known_keys(path: Path) -> list[VerifierKey]:
    """The keys that somebody trusts: one C2SP verifier key a line, `#` comments."""
    try:
        keys = known_keys(path.read_text("utf-8"))
    except (OSError, UnicodeError) as error:
        says = error.strerror if isinstance(error, OSError) else "not text"
        raise TrustError(f"{path}: expected a file of known keys: {says}") from None
    except TrustError as error:
        raise TrustError(f"{path}, {error}") from None
    if not keys:
        raise TrustError(f"{path}: expected known keys, one name+number+key a line, found none")
    return keys
