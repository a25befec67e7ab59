"""A console of rich's that obeys only us: no markup in texts, no escape sequence in a segment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment


class SafeConsole(Console):
    """What is drawn may hold a stranger's text anywhere; colours are ours. `safe` writes one line
    of it so that nothing in it steers the terminal."""

    def __init__(self, safe: Callable[[str], str], **options: Any) -> None:
        self._safe_line = safe
        super().__init__(**{"markup": False, "emoji": False, "highlight": False} | options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                lines = map(self._safe_line, segment.text.split("\n"))
                yield Segment("\n".join(lines), segment.style)

    def on_broken_pipe(self) -> None:
        """The command says with what it ends, not rich: 1 would be an answer."""
        self.quiet = True
        raise  # noqa: PLE0704 - what rich has in hand when it calls this
