"""The `evenhand` command: a table of subcommands, each imported only when it is called.

Start-up stays quick because this module imports nothing but click.
"""

from __future__ import annotations

import importlib
import os
import select
import sys
from typing import Any, ClassVar, NoReturn

import click

from pipelines.safe_text import say

_READER_WENT = 141
"""As a shell tells of a process that SIGPIPE ended: none of the answers of a command."""


class ClosedPipeError(Exception):
    """Somebody hung up on us: the reader of our output, or another process or machine."""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported on use."""

    # name -> (module, one line of help); the function in the module is called `command`
    lazy: ClassVar[dict[str, tuple[str, str]]] = {
        "backup": ("backup", "Copy the home to another place, while everything runs."),
        "checkpoints": ("checkpoints", "Print each table's chain heads, for keeping elsewhere."),
        "config": ("config", "Show the settings in force and where each value comes from."),
        "demo": ("demo", "Run the main job on made-up data, from an empty folder."),
        "desk": ("desk", "Serve the desk: days, findings, rounds and questions as web pages."),
        "evidence": ("evidence", "Seal one round's evidence, or check evidence somebody sent."),
        "export": ("export", "Write a period's rounds, lines and findings for the regulator."),
        "golden": ("golden", "Run golden rounds: play, and what the text gives for it."),
        "ingest": ("ingest", "Take what the log has into the archive."),
        "kafka": ("kafka", "Start, stop or look at the local Kafka broker."),
        "keys": ("keys", "Make, list, rotate, retire and revoke the keys that sign."),
        "lake": ("lake", "Name the published files in an Iceberg catalogue."),
        "nightly": ("nightly", "Audit a gaming day: replay, findings, checks, report, warehouse."),
        "quarantine": ("quarantine", "List what arrived and could not be read as an event."),
        "readings": ("readings", "List the readings of unclear paragraphs, and which is in force."),
        "reaudit": ("reaudit", "Audit a period again, published together or not at all."),
        "repair": ("repair", "Make a day's columns and index again from its evidence."),
        "replay": ("replay", "Settle the rounds of a file by the rulebook."),
        "restore": ("restore", "Make a home from a backup again."),
        "retention": ("retention", "Say what was kept for longer than it has to be; delete it."),
        "rulebooks": ("rulebooks", "List the rulebooks and how each paragraph is held."),
        "show": ("show", "Show one round: what happened, what it gives, and why."),
        "simulate": ("simulate", "Play simulated tables into the log."),
        "sql": ("sql", "Ask the warehouse anything, read-only; ready questions by name."),
        "status": ("status", "Say what runs, how far it is, and what needs a person."),
        "up": ("up", "Run ingest, watch, Dagster and the desk on this machine, until Ctrl-C."),
        "upgrade": ("upgrade", "Move a home of an earlier version to the formats of this one."),
        "users": ("users", "Accounts of the desk: add, list, roles, password, lock, remove."),
        "verify": ("verify", "Rebuild chain, checksums and columns from the evidence."),
        "waive": ("waive", "Accept a finding, with a reason and an end; approve or revoke it."),
        "waivers": ("waivers", "List what was accepted, by whom, and until when."),
        "watch": ("watch", "Audit each round as it closes, and tell what is found."),
        "witness": ("witness", "Watch over a house's log, where the house can't write."),
        "what-if": ("what_if", "Replay a period under another rulebook or reading."),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module = importlib.import_module(f"pipelines.cli.{self.lazy[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would end with 1 and without a word, and 1 is an answer of nightly and verify
            raise ClosedPipeError(error.strerror) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(self.lazy.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and name not in self.lazy and not name.startswith("-"):
            from events.contract import did_you_mean

            hint = did_you_mean(name, self.lazy)
            ctx.fail(f"no command {name}{hint}; evenhand --help lists them")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="evenhand", prog_name="evenhand")
@click.option("--traceback", is_flag=True, help="Show where in our code an error happened.")
def cli(traceback: bool) -> None:
    """Evenhand re-derives every settlement of a casino's table games from the approved rulebook
    and shows where the table paid something else."""


def _hung_up(error: ClosedPipeError) -> NoReturn:
    if not _reader_went():
        say(f"evenhand: {error}", err=True)
        sys.exit(2)
    # head, less: not an error of ours, nor an answer
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(_READER_WENT)


def _reader_went() -> bool:
    """Whether nobody reads our output any more."""
    try:
        asked = select.poll()
        asked.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))
    except (OSError, ValueError):
        return False


def main() -> None:
    """Run the command. What goes wrong is one sentence on stderr and exit code 2."""
    from events.errors import EvenhandError

    try:
        sys.exit(cli.main(standalone_mode=False))
    except click.exceptions.Abort:
        say("evenhand: stopped", err=True)
        sys.exit(130)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:  # a group by itself: its help, as it is
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        say(f"evenhand: {error.format_message()}", err=True)
        sys.exit(2)
    except EvenhandError as error:
        say(f"evenhand: {error}", err=True)
        sys.exit(2)
    except ClosedPipeError as error:
        _hung_up(error)
    except MemoryError:
        say("evenhand: out of memory; try a smaller input or a larger machine", err=True)
        sys.exit(2)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        say(f"evenhand: {error.strerror or error}{where}", err=True)
        sys.exit(2)
    except Exception as error:
        if "--traceback" in sys.argv:
            raise
        say(f"evenhand: {_unforeseen(error)}", err=True)
        sys.exit(2)


def _unforeseen(error: Exception) -> str:
    if type(error).__module__ == "sqlite3":
        return f"a file of the archive can't be read: {error}; evenhand verify names it"
    return (
        f"an error of ours, not of yours: {type(error).__name__}: {error}; "
        "please report it with what evenhand --traceback prints"
    )
