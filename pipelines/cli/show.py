"""`evenhand show`: one round found, replayed and explained."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say, terminal

if TYPE_CHECKING:
    from events.settings import Settings
    from pipelines.investigate.case import Investigation
    from pipelines.investigate.locate import Located
    from pipelines.investigate.terminal import WantedLines


@click.command(name="show")
@click.argument("round_id", required=False, metavar="[ROUND]")
@click.option("--file", "file", type=click.Path(path_type=Path), help="Look in this file instead.")
@click.option("--table", metavar="T", help="With --at: the round that this table was playing.")
@click.option("--at", "at", metavar="TIME", help='"2026-11-15 23:41", on the house\'s clock.')
@click.option("--reading", "readings", multiple=True, metavar="ID=other", help="Read otherwise.")
@click.option("--rulebook", "book_id", metavar="ID", help="Replay under another rulebook.")
@click.option("--until", type=int, metavar="SEQ", help="The table then, and what was allowed.")
@click.option("--why", "why", type=int, multiple=True, metavar="BOX", help="Why a box's lines.")
@click.option("--all", "everything", is_flag=True, help="Why every line, and what was asked first.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="A page to keep.")
@click.option("--json", "as_json", is_flag=True, help="The answer with its explanation as JSON.")
def command(
    round_id: str | None,
    file: Path | None,
    table: str | None,
    at: str | None,
    readings: tuple[str, ...],
    book_id: str | None,
    until: int | None,
    why: tuple[int, ...],
    everything: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show one round: what happened, what it gives by the rulebook, and why.

    The round is found in the archive by its id, or by --table and --at, or in a --file (Avro or
    JSON Lines). --reading and --rulebook replay it otherwise and show what would change.

    It begins with the findings and the lines in dispute, and why these are as the rulebook gives
    them. The other lines are one row each; --why BOX and --all tell why, and which rules were asked
    first and did not apply.
    """
    from events.settings import load_settings
    from pipelines.cli.doubt import warn_of_catalogue
    from pipelines.cli.replay import turned_readings
    from pipelines.investigate.case import investigate

    _check(round_id, file, table, at)
    settings = load_settings()
    turned = turned_readings(readings)
    if book_id is not None:
        _known_book(book_id)
    located = locate(settings, round_id, file, table, at)
    if file is None:
        warn_of_catalogue(settings.home)
    case = investigate(located, turned, book_id)
    if located.note is not None:
        say(f"evenhand: {located.note}", err=True)
    if until is not None:
        _moment(case, until, settings, as_json=as_json)
        return
    if html is not None:
        _page(case, html, settings)
    before = _before(case, turned_readings(()), changed=bool(readings or book_id))
    if as_json:
        _json(case, before)
    elif html is None:
        from pipelines.investigate.terminal import WantedLines

        _terminal(case, before, settings, WantedLines(frozenset(why), everything))


def _check(round_id: str | None, file: Path | None, table: str | None, at: str | None) -> None:
    if (table is None) != (at is None):
        raise click.UsageError("--table and --at belong together: which table, and when")
    if table is not None and (round_id is not None or file is not None):
        raise click.UsageError("give a round, or --table and --at, not both")
    if round_id is None and file is None and table is None:
        raise click.UsageError("which round? give its id, or --table and --at, or a --file")


def _known_book(book_id: str) -> None:
    from events.contract import did_you_mean
    from replay.registry import IDS

    if book_id not in IDS:
        raise click.UsageError(
            f"no rulebook {book_id}{did_you_mean(book_id, IDS)}; evenhand rulebooks lists them"
        )


def locate(
    settings: Settings, round_id: str | None, file: Path | None, table: str | None, at: str | None
) -> Located:
    """The round that was asked for."""
    from pipelines.investigate.locate import at_table, in_archive, in_file, parse_moment

    if file is not None:
        from events.trust.heads import gateway_keys

        return in_file(file, round_id, gateway_keys(settings.tables_file, settings.gaming_day))
    from events.archive.reader import Archive
    from pipelines.investigate.neighbours import premises_of

    with ExitStack() as stack:
        if table is not None and at is not None:
            moment, exact = parse_moment(at, settings.timezone)
            archive = stack.enter_context(Archive(settings.home / "archive"))
            return at_table(premises_of(settings, archive), table, moment, exact)
        archive = stack.enter_context(Archive(settings.home / "archive"))
        return in_archive(premises_of(settings, archive), round_id or "")


def _before(case: Investigation, usual: frozenset[str], *, changed: bool) -> Investigation | None:
    """The round as it is usually replayed, where something else was asked for."""
    from pipelines.investigate.case import investigate

    return investigate(case.located, usual) if changed else None


def _json(case: Investigation, before: Investigation | None) -> None:

    from pipelines.investigate.case import differences

    out = case.to_json()
    if before is not None:
        found = differences(before.answer, case.answer)
        out["differences"] = [one.to_json() for one in found]
    click.echo(for_json(out, separators=(", ", ": ")))


def _terminal(
    case: Investigation, before: Investigation | None, settings: Settings, asked: WantedLines
) -> None:
    unknown = sorted(asked.boxes - {story.key[0] for story in case.lines})
    if unknown:
        boxes = ", ".join(str(box) for box in sorted({story.key[0] for story in case.lines}))
        raise click.UsageError(
            f"--why {unknown[0]}: round {case.answer.round} has lines on box {boxes or 'none'}"
        )
    from pipelines.investigate.case import differences
    from pipelines.investigate.terminal import show_case, show_differences

    out = terminal()
    if before is not None:
        found = differences(before.answer, case.answer)
        show_differences(case, found, before.answer.status, out)
    show_case(case, settings.timezone, out, asked)


def _moment(case: Investigation, until: int, settings: Settings, *, as_json: bool) -> None:
    from pipelines.investigate.allowed import allowed_after

    step = next((s for s in case.steps if until in {s.seq, s.index if s.seq is None else -1}), None)
    if step is None:
        numbers = [s.index if s.seq is None else s.seq for s in case.steps]
        raise click.UsageError(
            f"--until {until}: round {case.answer.round} has the events {numbers[0]} to "
            f"{numbers[-1]}"
        )
    so_far = case.located.events[: step.index + 1]
    shoe = case.located.context.shoe
    shuffled = None if shoe is None else shoe.shuffled
    allowed = allowed_after(so_far, case.answer.round, shuffled, case.turned, case.book_id)
    if as_json:
        _moment_json(case, step.index, [one.to_json() for one in allowed])
        return

    from pipelines.investigate.terminal import show_moment

    show_moment(case, step, allowed, settings.timezone, terminal())


def _moment_json(case: Investigation, index: int, allowed: list[dict[str, object]]) -> None:
    """The answer to the round as it then stood, and what the rules allowed."""
    from dataclasses import replace

    from pipelines.investigate.case import investigate

    whole = case.located
    part = replace(whole, events=whole.events[: index + 1], context=whole.context.of_play())
    out = investigate(part, case.turned, case.book_id).to_json()
    out["until"] = case.steps[index].seq
    out["allowed"] = allowed
    click.echo(for_json(out, separators=(", ", ": ")))


def _page(case: Investigation, html: Path, settings: Settings) -> None:
    from events.runtime.durable import TAKEN_AWAY, write_whole
    from pipelines.investigate.page.html import page

    write_whole(html, page(case, settings.timezone).encode(errors="backslashreplace"), TAKEN_AWAY)
    say(f"wrote {html}", err=True)
