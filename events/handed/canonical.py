"""A schema's canonical form and fingerprint, from its JSON, without building a reader from it.

A library that parses a stranger's schema follows it wherever it leads, round and round where it
names itself. The canonical form needs only the text: names in full, documentation and defaults
left out, the fields in Avro's order.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_PRIMITIVE = frozenset("null boolean int long float double bytes string".split())
_NAMED = frozenset("record error enum fixed".split())


class NoSchemaError(ValueError):
    """JSON that is no Avro schema; the text says what was found."""


def canonical_form(schema: Any) -> str:
    """Avro's parsing canonical form. The JSON's depth was bounded when it was read."""
    return _form(schema, "")


def sha256_fingerprint(schema: Any) -> str:
    """The SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical_form(schema).encode()).hexdigest()


def _form(schema: Any, space: str) -> str:
    if isinstance(schema, str):
        return _quoted(schema if schema in _PRIMITIVE else _full(schema, space))
    if isinstance(schema, list):
        return "[" + ",".join(_form(one, space) for one in schema) + "]"
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, dict | list):
        return _form(kind, space)
    if not isinstance(kind, str):
        raise NoSchemaError("a type is missing")
    if kind in _NAMED:
        return _named(schema, kind, space)
    if kind in {"array", "map"}:
        inner = "items" if kind == "array" else "values"
        return f'{{"type":"{kind}","{inner}":{_form(schema.get(inner), space)}}}'
    return _form(kind, space)


def _named(schema: dict[str, Any], kind: str, space: str) -> str:
    given, name = schema.get("namespace", space), schema.get("name")
    if not isinstance(given, str) or not isinstance(name, str):
        raise NoSchemaError(f"a {kind} has no name")
    full = _full(name, given)
    begin = f'{{"name":{_quoted(full)},"type":"{"record" if kind == "error" else kind}"'
    if kind == "enum":
        symbols = ",".join(_quoted(one) for one in _listed(schema, "symbols"))
        return f'{begin},"symbols":[{symbols}]}}'
    if kind == "fixed":
        if type(schema.get("size")) is not int:
            raise NoSchemaError("a fixed has no size")
        return f'{begin},"size":{schema["size"]}}}'
    own = full.rpartition(".")[0]
    fields = ",".join(_field(one, own) for one in _listed(schema, "fields"))
    return f'{begin},"fields":[{fields}]}}'


def _field(field: Any, space: str) -> str:
    if not isinstance(field, dict) or not isinstance(field.get("name"), str):
        raise NoSchemaError("a field has no name")
    return f'{{"name":{_quoted(field["name"])},"type":{_form(field.get("type"), space)}}}'


def _listed(schema: dict[str, Any], name: str) -> list[Any]:
    found = schema.get(name)
    if not isinstance(found, list):
        raise NoSchemaError(f"{name} is no list")
    return found


def _full(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def _quoted(text: Any) -> str:
    if not isinstance(text, str):
        raise NoSchemaError("a name is no text")
    return json.dumps(text, ensure_ascii=False)
