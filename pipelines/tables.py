"""Tables for people: nothing in them is ever cut.

In a pipe there is no width: one row is one line, however long. On a terminal sentences fold; money,
ids and whatever else has no blank in it stay whole. Where even that does not fit, each row is told
one column a line, as psql's \\x does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pipelines.safe_text import for_terminal

Cell = str | Text
_READABLE = 24
"""A sentence in a narrower column than this is no pleasure to read."""


class Column(NamedTuple):
    """A column: its heading, and how narrow it may become by folding its cells at their blanks.

    `folds` is None for what is never folded. No word is broken, however narrow the column.
    """

    name: str
    right: bool = False
    folds: int | None = None
    style: str = ""


def columns(
    *names: str,
    right: Iterable[str] = (),
    folds: Iterable[str] = (),
    sentences: Iterable[str] = (),
) -> list[Column]:
    """Columns by their headings: which hold numbers, which a few words, which sentences."""
    least = dict.fromkeys(folds, 1) | dict.fromkeys(sentences, _READABLE)
    numbers = frozenset(right)
    return [Column(name, name in numbers, least.get(name)) for name in names]


def print_table(
    out: Console,
    heads: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    *,
    header: bool = True,
    expanded: bool = False,
) -> None:
    """Rows under their headings, or one column a line where the terminal is too narrow."""
    cells = [[_text(cell, head) for cell, head in zip(row, heads, strict=True)] for row in rows]
    named = [Text(for_terminal(head.name), style="bold") for head in heads]
    everything = [named, *cells] if header else cells
    layout = None if expanded else _layout(heads, everything, out.width)
    if layout is None and (header or expanded):
        lines = _expanded(named, cells, out)
    else:
        layout = layout or ([_longest_word(c) for c in _by_column(heads, everything)], 1)
        lines = (line for row in everything for line in _row(heads, row, layout, out))
    for line in lines:
        _print(out, line)


def paragraph(out: Console, text: Text, indent: int = 4) -> None:
    """A sentence of any length; the lines after its first are set in."""
    first, *rest = text.wrap(out, out.width) or [Text("")]
    _print(out, first)
    if rest:
        tail = text[len(first.plain.rstrip()) :]
        tail.plain = tail.plain.lstrip()
        for line in tail.wrap(out, max(out.width - indent, _READABLE)):
            _print(out, Text(" " * indent).append_text(line))


def heading(out: Console, text: str) -> None:
    """A line that begins a part: as wide as a page where the terminal has no width."""
    words = for_terminal(text)
    rest = min(out.width, 80) - cell_len(words) - 1
    _print(out, Text(words).append(f" {'─' * max(rest, 3)}", style="dim"))


def _text(cell: Cell, head: Column) -> Text:
    return cell if isinstance(cell, Text) else Text(for_terminal(cell), style=head.style)


def _print(out: Console, line: Text) -> None:
    line.rstrip()
    out.print(line, soft_wrap=True)  # neither cut nor wrapped again


def _by_column(heads: Sequence[Column], rows: Sequence[Sequence[Text]]) -> list[list[str]]:
    return [[row[n].plain for row in rows] for n in range(len(heads))]


def _longest_word(texts: Iterable[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=1)


Layout = tuple[list[int], int]
"""How wide each column is, and how many blanks stand between two."""


def _layout(heads: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> Layout | None:
    """None where the terminal is too narrow. Headings fold before anything else does."""
    texts = _by_column(heads, rows)
    natural = [max(map(cell_len, column), default=0) for column in texts]
    between = len(heads) - 1
    if sum(natural) + 2 * between <= width:
        return natural, 2
    least = [
        max(_longest_word(column), min(whole, head.folds) if head.folds else 0)
        if head.folds is not None
        else max(_longest_word(column[:1]), *map(cell_len, column[1:]), 0)
        for head, column, whole in zip(heads, texts, natural, strict=True)
    ]
    room = width - between - sum(least)
    return None if room < 0 else (_shared_out(least, natural, room), 1)


def _shared_out(least: list[int], natural: list[int], room: int) -> list[int]:
    """What is left goes to the columns that still fold, in equal parts."""
    widths = list(least)
    while room and (short := [n for n, w in enumerate(widths) if w < natural[n]]):
        part = max(room // len(short), 1)
        for n in short[:room]:
            more = min(part, natural[n] - widths[n], room)
            widths[n] += more
            room -= more
    return widths


def _row(
    heads: Sequence[Column], row: Sequence[Text], layout: Layout, out: Console
) -> Iterator[Text]:
    widths, gap = layout
    folded = [
        list(cell.wrap(out, max(width, 1), overflow="fold")) or [Text("")]
        if cell_len(cell.plain) > width
        else [cell]
        for cell, width in zip(row, widths, strict=True)
    ]
    for n in range(max(map(len, folded), default=0)):
        line = Text()
        for head, lines, width in zip(heads, folded, widths, strict=True):
            part = lines[n].copy() if n < len(lines) else Text("")
            blank = " " * max(width - cell_len(part.plain), 0)
            line.append("" if head is heads[0] else " " * gap)
            line.append(blank if head.right else "")
            line.append_text(part)
            line.append("" if head.right else blank)
        yield line


def _expanded(
    named: Sequence[Text], rows: Sequence[Sequence[Text]], out: Console
) -> Iterator[Text]:
    """One column a line, the rows numbered."""
    names = max((cell_len(name.plain) for name in named), default=0) + 2
    room = max(out.width - names, _READABLE)
    for number, row in enumerate(rows, start=1):
        yield Text(f"-[ {number} ]".ljust(min(names + 20, out.width), "-"), style="dim")
        for name, cell in zip(named, row, strict=True):
            fits = cell_len(cell.plain) <= room
            lines = [cell] if fits else list(cell.wrap(out, room, overflow="fold"))
            for n, line in enumerate(lines or [Text("")]):
                head = name.copy() if n == 0 else Text("")
                blank = Text(" " * (names - cell_len(head.plain)))
                yield Text().append_text(head).append_text(blank).append_text(line)
