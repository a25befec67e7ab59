"""Tables for people: in a pipe, at 80 columns and far below, nothing is cut."""

from __future__ import annotations

import io
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pipelines.safe_console import SafeConsole
from pipelines.safe_text import unsteered
from pipelines.tables import Column, columns, heading, paragraph, print_table
from tests.investigate.conftest import House
from tests.investigate.here import evenhand_here
from tests.investigate.terminal_kit import on_screen

HEADS = columns("round", "money", "bet", "message", right=("money",), sentences=("message",))
ROW = ("RWS-PP-07-20261115-000231", "1,234,567.50", "initial", "paid 37.50, the rulebook gives 50")


def shown(heads: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    out = io.StringIO()
    print_table(SafeConsole(unsteered, file=out, width=width), heads, rows)
    return out.getvalue().splitlines()


def test_without_a_width_a_row_is_a_line() -> None:
    head, row = shown(HEADS, [ROW], 1_000_000)
    assert head.split() == ["round", "money", "bet", "message"]
    assert row == "  ".join(ROW)


def test_sentences_fold_and_ids_do_not() -> None:
    lines = shown(HEADS, [ROW], 75)
    assert len(lines) == 3
    assert lines[1].startswith("RWS-PP-07-20261115-000231 1,234,567.50 initial paid 37.50, the")
    assert lines[2].strip() == "gives 50"


def test_too_narrow_is_one_column_a_line() -> None:
    assert shown(HEADS, [ROW, ROW], 40)[:6] == [
        "-[ 1 ]-----------------------",
        "round    RWS-PP-07-20261115-000231",
        "money    1,234,567.50",
        "bet      initial",
        "message  paid 37.50, the rulebook gives",
        "         50",
    ]


@given(
    rows=st.lists(
        st.tuples(*[st.lists(st.from_regex(r"[0-9.,A-Z-]{1,30}", fullmatch=True), max_size=6)] * 3),
        max_size=4,
    ),
    width=st.integers(10, 120),
)
def test_every_word_of_every_cell_is_there_whole(
    rows: list[tuple[list[str], ...]], width: int
) -> None:
    heads = columns("one", "two", "three", sentences=("two",), folds=("three",))
    text = "\n".join(shown(heads, [[" ".join(cell) for cell in row] for row in rows], width))
    least = 24  # below that a word longer than the screen is broken, and nothing of it is lost
    words = text.split()
    for row in rows:
        for word in (word for cell in row for word in cell if len(word) <= least):
            assert word in words


def test_a_paragraph_is_set_in_and_whole() -> None:
    out = io.StringIO()
    console = SafeConsole(unsteered, file=out, width=30)
    words = [f"{n},000.50" for n in range(40)]
    paragraph(console, Text(" ".join(words)))
    heading(console, "round RWS-PP-07-20261115-000231")
    *lines, last = out.getvalue().splitlines()
    assert " ".join(lines).split() == words
    assert all(line.startswith("    ") for line in lines[1:])
    assert last.startswith("round RWS-PP-07-20261115-000231 ")


MONEY = "SELECT round, player, expected, recorded, money, message FROM findings WHERE money <> 0"
COMMANDS = (
    ("rulebooks",),
    ("rulebooks", "pontoon-plus-rws-v5"),
    ("sql", MONEY),
    ("sql", "--query", "biggest-payouts"),
    ("quarantine",),
    ("waivers",),
    ("what-if", "--reading", "pro-rata=other", "--from", "2026-11-14", "--to", "2026-11-14"),
)


def test_a_terminal_shows_every_word_that_a_pipe_gets(audited: House) -> None:
    rounds = [t["round"] for t in audited.truth if t["kind"] == "wrong_odds"][:1]
    for args in (*COMMANDS, ("show", rounds[0], "--all")):
        piped = evenhand_here(audited.folder, *args).stdout
        screen = on_screen(audited.folder, *args)
        assert "\u2026" not in piped + screen, args
        there = "".join(screen.split())
        for word in piped.split():
            assert word.strip("─-[]") in there, (args, word)
