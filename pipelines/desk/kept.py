"""What many people ask for at once is made once, and again when what it is made from changes.

At seven in the morning everybody opens the same day. Its page lists every finding, thousands on a
large floor, and depends on nothing but the catalogue and what people decided.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

MOST_KEPT = 4
"""Days, of a few megabytes each."""


@dataclass(slots=True)
class _KeptContent:
    """Where one content stands, and the lock of whoever makes it."""

    lock: Lock = field(default_factory=Lock)
    source: tuple[Any, ...] | None = None
    content: Any = None


class KeptContents:
    """The contents that were asked for last, each under what it was made from."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _KeptContent] = OrderedDict()
        self._lock = Lock()

    def of(self, name: Hashable, source: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The content of this name. `source`: the very objects it is made from; where one of them
        is another than before, it is made again, by one of those who wait for it. Who wants another
        name waits for nobody."""
        with self._lock:
            place = self._kept.setdefault(name, _KeptContent())
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        with place.lock:
            if place.source is None or not _same(place.source, source):
                place.content = make()
                place.source = source
            content: T = place.content
        return content


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    """Texts by what they say, everything else by identity: it is held here, so it stays itself."""
    return len(before) == len(now) and all(
        a == b if isinstance(a, str) else a is b for a, b in zip(before, now, strict=True)
    )
