"""`evenhand desk`: the compliance team's pages, on this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pipelines.cli.service_log import service_log
from pipelines.cli.stopping import stop_on_signals
from pipelines.safe_text import say

if TYPE_CHECKING:
    from events.settings import Settings

PORT = 8765


@click.command(name="desk")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="Name it is opened by; several."
)
def command(host: str, port: int, names: tuple[str, ...]) -> None:
    """Serve the desk until Ctrl-C: days, findings, rounds, questions, evidence.

    It reads what is published and shows a new day without a restart. Without any account (evenhand
    users) it runs on this machine only, as one local user; with accounts people sign in, and it may
    listen elsewhere, behind something that speaks TLS.
    """
    from events.settings import load_settings

    serve(load_settings(), host, port, names)


def serve(
    settings: Settings,
    host: str,
    port: int,
    names: Sequence[str] = (),
    *,
    open_browser: bool = False,
) -> None:
    """Listen, say where, and answer until Ctrl-C."""
    import uvicorn

    from pipelines.desk.app import create_app
    from pipelines.desk.headers import LOOPBACK
    from pipelines.desk.listen import listening
    from pipelines.people.act import DeedBook

    accounts = bool(DeedBook(settings.home).people().accounts)
    if not accounts and not _loopback(host):
        raise click.UsageError(
            f"--host {host}: without accounts the desk listens on this machine only, at 127.0.0.1, "
            f"localhost or ::1; evenhand users add makes one"
        )
    app = create_app(settings, LOOPBACK | {host, *(name.lower() for name in names)})
    words = service_log(settings, "desk")
    with listening(host, port) as (socket, address):
        words.info("desk.begun", address=address, accounts=accounts)
        say(f"the desk is at {address}  (Ctrl-C ends it)")
        if not accounts:
            say("as one local user, on this machine only: there is no account (evenhand users add)")
        if open_browser:
            click.launch(address)  # it waits in the socket until the desk answers
        config = uvicorn.Config(
            app,
            log_config=None,  # its words go where ours go
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        stop_on_signals()  # the server passes on what ended it
        uvicorn.Server(config).run(sockets=[socket])
    words.info("desk.ended")


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
