"""A file log as the first version wrote it: its messages do not say when they arrived."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

from fastavro import parse_schema, schemaless_writer

from events.log.base import Outgoing
from events.log.container import CODECS, varint

MESSAGE = {
    "type": "record",
    "name": "Message",
    "namespace": "evenhand.log",
    "fields": [
        {"name": "offset", "type": "long"},
        {"name": "key", "type": "bytes"},
        {"name": "value", "type": "bytes"},
    ],
}
SYNC = b"the first format"


def write_first_log(folder: Path, messages: Sequence[Outgoing]) -> None:
    folder.mkdir()
    header, body = io.BytesIO(), io.BytesIO()
    meta = {"avro.schema": json.dumps(MESSAGE).encode(), "avro.codec": b"zstandard"}
    schemaless_writer(header, parse_schema({"type": "map", "values": "bytes"}), meta)
    schema = parse_schema(MESSAGE)
    for n, m in enumerate(messages):
        schemaless_writer(body, schema, {"offset": n, "key": m.key, "value": m.value})
    content = b"Obj\x01" + header.getvalue() + SYNC
    if messages:
        data = CODECS["zstandard"].pack(body.getvalue())
        content += varint(len(messages)) + varint(len(data)) + data + SYNC
    (folder / f"{0:020d}.avro").write_bytes(content)
    (folder / "identity").write_text(SYNC.hex() + "\n")
