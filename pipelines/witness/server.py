"""The witness's server: one address that takes a checkpoint and answers with a signature."""

from __future__ import annotations

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from events.trust.errors import TrustError
from events.trust.witness import OtherSizeError, SplitViewError, UnknownHouseError, Witness
from pipelines.witness.wire import MAX_BODY_BYTES, PATH, SIZE_TYPE, from_body

SECONDS = 20


class Reply(NamedTuple):
    status: HTTPStatus
    text: str
    kind: str = "text/plain; charset=utf-8"


def reply_to(witness: Witness, body: bytes) -> Reply:
    """What the witness answers to a request, by the statuses of the specification."""
    try:
        signature = witness.add(*from_body(body))
    except OtherSizeError as other:
        return Reply(HTTPStatus.CONFLICT, f"{other.size}\n", SIZE_TYPE)
    except UnknownHouseError as error:
        return Reply(HTTPStatus.FORBIDDEN, f"{error}\n")
    except SplitViewError as error:
        print(f"evenhand witness: ALARM: {error}", file=sys.stderr, flush=True)  # noqa: T201
        return Reply(HTTPStatus.UNPROCESSABLE_ENTITY, f"{error}\n")
    except TrustError as error:
        return Reply(HTTPStatus.BAD_REQUEST, f"{error}\n")
    return Reply(HTTPStatus.OK, signature.line())


class WitnessServer(ThreadingHTTPServer):
    """Serves until it is stopped; each request in a thread of its own."""

    daemon_threads = True

    def __init__(self, witness: Witness, host: str, port: int) -> None:
        self.witness = witness
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: WitnessServer
    server_version = "evenhand-witness"
    sys_version = ""
    timeout = SECONDS

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != PATH:
            self._answer(Reply(HTTPStatus.NOT_FOUND, f"only {PATH} is here\n"))
        elif not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self._answer(Reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too large or no length\n"))
        else:
            self._answer(reply_to(self.server.witness, self.rfile.read(int(length))))

    def do_GET(self) -> None:
        """Who this witness is and where it stands: for people and for health checks."""
        if self.path != "/":
            self._answer(Reply(HTTPStatus.NOT_FOUND, f"POST {PATH}, or GET /\n"))
            return
        witness = self.server.witness
        last = witness.last()
        stands = "nothing seen yet" if last is None else f"{last.origin} at {last.size} leaves"
        self._answer(Reply(HTTPStatus.OK, f"{witness.key.cosigner}\n{stands}\n"))

    def _answer(self, reply: Reply) -> None:
        content = reply.text.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Quiet: what matters is in the alarms."""
