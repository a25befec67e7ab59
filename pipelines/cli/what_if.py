"""`evenhand what-if`: a period replayed under another rulebook or reading."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.period import parse_period
from pipelines.safe_text import for_json, say, terminal

if TYPE_CHECKING:
    from rich.console import Console

    from events.settings import Settings
    from pipelines.whatif.period import Tell, WhatIfReport
    from pipelines.whatif.replay import Change
    from pipelines.whatif.sums import Sum

_SHOWN = 20


@click.command(name="what-if")
@click.option("--rulebook", "book_id", metavar="ID|FOLDER", help="Settle by this one or a draft.")
@click.option("--reading", "readings", multiple=True, metavar="ID=other", help="Read otherwise.")
@click.option("--of", "only", metavar="ID", help="Only rounds that were played under this one.")
@click.option("--from", "first", required=True, metavar="DAY", help="First gaming day.")
@click.option("--to", "last", required=True, metavar="DAY", help="Last gaming day.")
@click.option("--table", "tables", multiple=True, metavar="T", help="Only this table.")
@click.option("--engine", metavar="E", help="Where it runs: local, spark://..., sc://...")
@click.option("--details", type=click.Path(path_type=Path), metavar="FOLDER", help="Keep Parquet.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="A page to keep.")
@click.option("--json", "as_json", is_flag=True, help="The whole report as JSON, nothing else.")
def command(
    book_id: str | None,
    readings: tuple[str, ...],
    only: str | None,
    first: str,
    last: str,
    tables: tuple[str, ...],
    engine: str | None,
    details: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Replay a period under another rulebook or reading, and say what would have changed.

    Reads the archive and writes nothing: the published warehouse stays as it is. With --rulebook
    the rounds with the same main bet are looked at; --of picks those of one rulebook. A folder is a
    draft that is not approved yet (docs/drafts.md); --html writes what it would have cost and what
    it changes as a page. --details keeps every line that would differ, as Parquet.
    """
    from events.registry import load_registry
    from events.settings import load_settings
    from pipelines.whatif.period import WhatIfPeriod, replay_period

    days = parse_period(first, last)
    change = _change(book_id, readings, only)
    settings = load_settings({} if engine is None else {"engine": engine})
    with _folder(details, settings) as folder:
        registry = load_registry(settings.tables_file)
        chosen = frozenset(tables) or None
        period = WhatIfPeriod(settings.home / "archive", days, change, folder, chosen, registry)
        with _progress() as tell:
            report = replay_period(period, settings, tell)
        if not report.days:
            say(f"evenhand: the archive has nothing of {first} to {last}", err=True)
        if html is not None:
            _page(report, change, only, html)
        if as_json:
            click.echo(for_json(report.to_json(), indent=1))
        elif html is None:
            _print(report)


@contextmanager
def _folder(asked: Path | None, settings: Settings) -> Iterator[Path]:
    """Where the details go: to stay, or until this command ends; then other machines have to see
    the folder too, unless the work is done here."""
    from pipelines.engines.base import LOCAL
    from pipelines.whatif.details import new_folder

    if asked is not None:
        yield new_folder(asked)
        return
    here = settings.engine == LOCAL or settings.object_store
    within = None if here else settings.home
    with TemporaryDirectory(prefix=".what-if-", dir=within) as folder:
        yield Path(folder)


def _change(book_id: str | None, readings: tuple[str, ...], only: str | None) -> Change:
    from events.contract import did_you_mean
    from pipelines.cli.replay import turned_readings
    from pipelines.whatif.draft import is_draft, rulebook_or_draft
    from pipelines.whatif.replay import Change
    from replay.registry import IDS

    if book_id is None and not readings:
        raise click.UsageError("what if what? give --rulebook ID or --reading ID=other")
    if only is not None and only not in IDS:
        raise click.UsageError(
            f"no rulebook {only}{did_you_mean(only, IDS)}; evenhand rulebooks lists them"
        )
    usual, turned = turned_readings(()), turned_readings(readings)
    if book_id is None:
        return Change(usual, turned, only=only)
    book = rulebook_or_draft(book_id)
    draft = Path(book_id).resolve() if is_draft(book_id) else None
    return Change(usual, turned, book.id, book.main_bet, only, draft)


def _page(report: WhatIfReport, change: Change, only: str | None, html: Path) -> None:
    from events.runtime.durable import TAKEN_AWAY, write_whole
    from pipelines.whatif.page import page

    write_whole(html, page(report, change, only).encode(errors="backslashreplace"), TAKEN_AWAY)
    say(f"wrote {html}", err=True)


def _print(report: WhatIfReport) -> None:
    from pipelines.tables import columns, print_table
    from replay.findings import dollars

    out = terminal()
    sums, found = report.sums, report.sums.by_currency()
    several = len(found) > 1
    days = "1 day" if len(report.days) == 1 else f"{len(report.days)} days"
    money = ", ".join(
        f"{f'{name} ' if several else ''}{dollars(abs(one.money))} "
        f"{'more' if one.money >= 0 else 'less'}"
        for name, one in found.items()
    )
    out.print(
        f"{sums.rounds:,} rounds on {days}: {sums.changed:,} would come out otherwise, players "
        f"would get {money or f'{dollars(0)} more'} in all"
    )
    if report.empty:
        out.print(f"no activity on {', '.join(map(str, report.empty))}")
    if sums.changed:
        _sums(out, ("currency", "table"), sums.by_table(), several=several)
        _sums(out, ("currency", "rulebook", "clause"), sums.by_clause(), several=several)
        heads = columns("round", "players get", "was", "would be", right=("players get",))
        some = report.changed(_SHOWN)
        print_table(out, heads, [(c.round, dollars(c.money), c.before, c.after) for c in some])
    if sums.changed > _SHOWN:
        out.print(f"and {sums.changed - _SHOWN:,} more; --json has them all, --details as Parquet")


def _sums(out: Console, title: tuple[str, ...], sums: Mapping[Any, Sum], *, several: bool) -> None:
    """The currency is told where there are several."""
    from pipelines.tables import columns, print_table
    from replay.findings import dollars

    counts, told = ("rounds", "lines", "more", "less"), slice(0 if several else 1, None)
    rows = [
        (*key[told], f"{one.rounds:,}", f"{one.lines:,}", dollars(one.more), dollars(one.less))
        for key, one in sums.items()
    ]
    print_table(out, columns(*title[told], *counts, right=counts), rows)


@contextmanager
def _progress() -> Iterator[Tell]:
    """A bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("replaying", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
