"""/verify: hand in an evidence file and read the verdict. It is read in memory and kept nowhere."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.desk.errors import DeskError, bad_request
from pipelines.desk.pages import page
from pipelines.evidence.verify import EvidenceVerdict
from pipelines.evidence.verify import verify as judge

LARGEST = 32 * 2**20


async def verify(request: Request) -> Response:
    if request.method in {"GET", "HEAD"}:
        return await run_in_threadpool(_shown, request, 200, None, None)
    async with request.form(max_files=1, max_fields=4, max_part_size=2**16) as form:
        given = form.get("file")
        if not isinstance(given, UploadFile) or not given.filename:
            raise bad_request("Expected an evidence file (.zip), found none.")
        if given.size is not None and given.size > LARGEST:
            raise DeskError(413, "Too large", f"At most {LARGEST // 2**20} megabytes.")
        content, name = await given.read(), given.filename[:120]
    verdict = await run_in_threadpool(judge, content)
    return await run_in_threadpool(_shown, request, 200 if verdict.sound else 422, verdict, name)


def _shown(
    request: Request, code: int, verdict: EvidenceVerdict | None, name: str | None
) -> Response:
    most = LARGEST // 2**20
    return page(request, "verify.html.j2", code, verdict=verdict, file=name, most=most)


ROUTES = [Route("/verify", verify, methods=["GET", "POST"])]
