"""`evenhand keys`: the keys with which gateways sign, made and kept in the registry of tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from events.registry import TableKey
    from events.settings import Settings
    from events.trust.note import SignerKey

_DAY = click.option("--from", "day_text", metavar="DAY", help="From that day on. [default: today]")


@click.group(name="keys", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Make, list, rotate, retire and revoke the keys that sign.

    Private keys are files of mode 0600 in the folder keys of the home folder, or come from the
    setting gateway_key_command; public ones stand in the registry of tables. Without a subcommand
    the keys are listed.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_keys)


@command.command(name="list")
@click.option("--table", help="Of one table only.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list and nothing else.")
def list_keys(table: str | None = None, as_json: bool = False) -> None:
    """List the house's keys and the gateways', with their days and which are in force today."""
    from events.registry import TableRegistry, load_registry
    from events.registry_keys import table_of
    from events.settings import load_settings
    from events.trust.house import house_keys

    settings = load_settings()
    if table is not None:
        table_of(settings.tables_file, table)
    registry = load_registry(settings.tables_file) or TableRegistry()
    today = settings.gaming_day.day_of(datetime.now(UTC))
    rows = [
        _row(settings, name, key, today)
        for name, known in registry.tables.items()
        if table in {None, name}
        for key in known.keys
    ]
    if as_json:
        click.echo(for_json(rows, indent=1))
        return
    for own in house_keys(settings.home):
        say(f"{'the house':<16} {own}")
    for row in rows:
        days = f"{row['from'] or 'ever':<10}  {row['until'] or '-':<10}"
        private = "  private key here" if row["private"] else ""
        say(f"{row['table']:<16} {row['id']:<20} {days}  {_state(row)}{private}")
    if not rows:
        say("no table has a key; evenhand keys new TABLE makes one", err=True)


def _row(settings: Settings, table: str, key: TableKey, today: date) -> dict[str, Any]:
    from events.trust.errors import TrustError
    from events.trust.heads import state_of
    from events.trust.keyfiles import key_file

    try:
        private = key_file(settings.home, key.id).exists()
    except TrustError:  # somebody else's key may be called anything
        private = False
    days = {"from": key.since, "until": key.until, "revoked": key.revoked}
    return {
        "table": table,
        "id": key.id,
        "public": key.public.hex(),
        **{name: None if day is None else day.isoformat() for name, day in days.items()},
        "state": state_of(key, today),
        "private": private,
    }


def _state(row: dict[str, Any]) -> str:
    known = row["revoked"] is not None
    return f"revoked from {row['revoked']} on" if known else str(row["state"])


@command.command()
def house() -> None:
    """Print the house's keys, for witnesses and for whoever checks with --trust.

    The first night makes one where there is none; this does too.
    """
    from events.settings import load_settings
    from events.trust.house import house_keys, house_signer

    home = load_settings().home
    house_signer(home)
    for key in house_keys(home):
        click.echo(str(key))


@command.command()
@click.option("--table", help="Of one table only.")
def gateways(table: str | None) -> None:
    """Print the keys of the tables' gateways, for whoever checks with --trust.

    All that the registry has, retired ones too; a revoked one is left out.
    """
    from events.registry import TableRegistry, load_registry
    from events.registry_keys import table_of
    from events.settings import load_settings
    from events.trust.note import VerifierKey

    path = load_settings().tables_file
    if table is not None:
        table_of(path, table)
    for name, known in (load_registry(path) or TableRegistry()).tables.items():
        for key in known.keys if table in {None, name} else ():
            if key.revoked is None:
                click.echo(str(VerifierKey(key.id, key.public)))


@command.command()
@click.argument("table")
@click.option("--id", "name", help="The key's id. [default: the table and a number]")
@_DAY
def new(table: str, name: str | None, day_text: str | None) -> None:
    """Make a key for TABLE's gateway and write its public half into the registry."""
    from events.registry_keys import add_key, table_of
    from events.settings import load_settings

    settings = load_settings()
    keys = table_of(settings.tables_file, table).keys
    key = _next_key(settings, table, keys, name, _day(settings, day_text))
    with _noted(settings, f"keys new {table}"):
        add_key(settings.tables_file, table, key)
    _tell(settings, table, key)


@command.command()
@click.argument("table")
@click.option("--id", "name", help="The new key's id. [default: the table and a number]")
@_DAY
def rotate(table: str, name: str | None, day_text: str | None) -> None:
    """Give TABLE a new key; those in force sign until the end of the day on which it begins."""
    from events.registry_keys import add_key, change_key, table_of
    from events.settings import load_settings
    from events.trust.heads import in_force

    settings = load_settings()
    day = _day(settings, day_text)
    keys = table_of(settings.tables_file, table).keys
    key = _next_key(settings, table, keys, name, day)
    with _noted(settings, f"keys rotate {table}"):
        add_key(settings.tables_file, table, key)
        for old in in_force(keys, day):
            if old.until is None:
                change_key(settings.tables_file, table, old.id, until=day)
                say(f"{old.id}: retired after {day}", err=True)
    _tell(settings, table, key)


@command.command()
@click.argument("table")
@click.argument("key")
@click.option("--until", "day_text", metavar="DAY", help="Its last day. [default: today]")
def retire(table: str, key: str, day_text: str | None) -> None:
    """Let KEY of TABLE sign no longer; what it signed stays signed."""
    from events.registry_keys import change_key
    from events.settings import load_settings

    settings = load_settings()
    day = _day(settings, day_text)
    with _noted(settings, f"keys retire {table} {key}"):
        change_key(settings.tables_file, table, key, until=day)
    say(f"{key}: retired after {day}", err=True)


@command.command()
@click.argument("table")
@click.argument("key")
@_DAY
def revoke(table: str, key: str, day_text: str | None) -> None:
    """Take the word of KEY of TABLE back: what it signed from that day on counts as unsigned.

    Give the day on which somebody else may have got it, not the one on which you noticed.
    """
    from events.registry_keys import change_key
    from events.settings import load_settings

    settings = load_settings()
    day = _day(settings, day_text)
    with _noted(settings, f"keys revoke {table} {key}"):
        change_key(settings.tables_file, table, key, revoked=day)
    say(f"{key}: revoked from {day} on; audit the days since then again", err=True)


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@_DAY
def entry(file: Path, day_text: str | None) -> None:
    """Print the registry's entry for the private key in FILE, without changing anything."""
    from events.registry import key_entry
    from events.settings import load_settings
    from events.trust.keyfiles import read_private

    click.echo(key_entry(_table_key(read_private(file), _day(load_settings(), day_text))))


@contextmanager
def _noted(settings: Settings, what: str) -> Iterator[None]:
    """A change of the registry, in its history; what was changed before and by whom, as its own."""
    from events.registry import load_registry
    from pipelines.people.act import os_user
    from pipelines.warehouse.tables_history import note_registry

    path = settings.tables_file
    note_registry(settings.home, None, load_registry(path), path)
    yield
    note_registry(settings.home, None, load_registry(path), by={"user": os_user(), "command": what})


def _day(settings: Settings, text: str | None) -> date:
    from events.days import parse_day

    return parse_day(text) if text else settings.gaming_day.day_of(datetime.now(UTC))


def _next_key(
    settings: Settings, table: str, keys: tuple[TableKey, ...], name: str | None, day: date
) -> TableKey:
    """The next key: made here, or fetched by the command that knows it."""
    from events.errors import InputError
    from events.trust.keyfiles import make_private, private_key

    taken = {key.id for key in keys}
    named = name or next(f"{table}-{n}" for n in range(1, 10**6) if f"{table}-{n}" not in taken)
    if named in taken:
        raise InputError(f"table {table}: there is a key {named} already; give another --id")
    if settings.gateway_key_command:
        made = private_key(settings.home, named, settings.gateway_key_command)
    else:
        made = make_private(settings.home, named)
    return _table_key(made, day)


def _table_key(key: SignerKey, day: date) -> TableKey:
    from events.registry import TableKey

    return TableKey(key.name, key.verifier.public, day)


def _tell(settings: Settings, table: str, key: TableKey) -> None:
    from events.registry import key_entry
    from events.trust.keyfiles import key_file

    where = key_file(settings.home, key.id)
    kept = f"; its private half is in {where}" if where.exists() else ""
    say(f"table {table}: the key {key.id} signs from {key.since} on{kept}", err=True)
    click.echo(key_entry(key))
