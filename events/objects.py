"""Files in an object store, by `pyarrow.fs`: for machines that see no folder of the house.

A key is written once and never changed, so whoever has its name reads the same bytes for ever.
An object appears whole when its writing ends, or not at all.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pyarrow as pa

from events.errors import EvenhandError

if TYPE_CHECKING:
    from pyarrow import fs

_PIECE = 8 << 20
_WHOLE = frozenset({"s3", "gcs", "abfs"})
"""Where a name appears when its writing ends."""


class ObjectStoreError(EvenhandError):
    """A store that does not answer, lacks an object or does not let us in."""


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A place in a store: `s3://BUCKET/PREFIX`, with options of pyarrow's after a `?`. Who may read
    and write is said by the machine's own configuration, never in the address."""

    address: str

    def put(self, key: str, path: Path) -> None:
        """Copy a file there."""
        with self._said_of(key), path.open("rb") as source:
            system, base = _opened(self.address)
            name = f"{base}/{key}"
            if whole := system.type_name in _WHOLE:
                draft = name
            else:  # a file system: it has folders, and shows files that are not written yet
                system.create_dir(name.rpartition("/")[0])
                draft = f"{name}.{secrets.token_hex(4)}"
            with system.open_output_stream(draft) as target:
                while piece := source.read(_PIECE):
                    target.write(piece)
            if not whole:
                system.move(draft, name)

    def get(self, key: str, path: Path) -> None:
        """Copy an object into a file."""
        with self._said_of(key), path.open("wb") as target:
            system, base = _opened(self.address)
            with system.open_input_stream(f"{base}/{key}") as source:
                while piece := source.read(_PIECE):
                    target.write(piece)

    def open(self, key: str) -> pa.NativeFile:
        """An object to read pieces of."""
        system, base = _opened(self.address)
        return system.open_input_file(f"{base}/{key}")

    def sizes(self, prefix: str) -> dict[str, int]:
        """The keys under a prefix that ends where a name ends, each with its size."""
        from pyarrow import fs

        with self._said_of(prefix):
            system, base = _opened(self.address)
            wanted = fs.FileSelector(f"{base}/{prefix}", allow_not_found=True, recursive=True)
            found = system.get_file_info(wanted)
            return {
                one.path.removeprefix(f"{base}/"): int(one.size or 0)
                for one in found
                if one.type == fs.FileType.File
            }

    def drop(self, key: str) -> None:
        """Remove an object that nobody needs any more."""
        with self._said_of(key):
            system, base = _opened(self.address)
            system.delete_file(f"{base}/{key}")

    def uri(self, key: str) -> str:
        """An object as other programs name it."""
        return f"{self.address.partition('?')[0].rstrip('/')}/{key}"

    @contextmanager
    def _said_of(self, key: str) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            why = str(error).splitlines()[0]
            raise ObjectStoreError(
                f"{self.uri(key)}: {why}; look at the address and at the credentials of this "
                f"machine (docs/scale.md)"
            ) from None


@cache
def _opened(address: str) -> tuple[fs.FileSystem, str]:
    from pyarrow import fs  # brings the stores' own libraries along

    try:
        system, base = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ObjectStoreError(f"{address}: no object store: {error}") from None
    return system, base.rstrip("/")


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """An object where otherwise a path would stand."""

    store: ObjectStore
    key: str

    def __str__(self) -> str:
        return self.store.uri(self.key)

    @property
    def parent(self) -> PurePosixPath:
        return PurePosixPath(self.key).parent

    def open(self) -> pa.NativeFile:
        return self.store.open(self.key)


AnyFile = Path | ObjectFile


def to_read(file: AnyFile) -> Path | pa.NativeFile:
    """What Arrow takes to read a file."""
    return file.open() if isinstance(file, ObjectFile) else file
