"""JSON that is written as it is read, so that no answer is ever held whole."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from django.core.serializers.json import DjangoJSONEncoder

Part: TypeAlias = Mapping[str, object] | Iterable[Mapping[str, object]]


def json_stream(parts: Iterable[tuple[str, Part]]) -> Iterator[str]:
    """Write an object of named parts: mappings as they are, other iterables as lists."""
    before = "{\n"
    for name, part in parts:
        yield f"{before}{json.dumps(name)}: "
        before = ",\n"
        if isinstance(part, Mapping):
            yield _text(part)
        else:
            yield from _listed(part)
    yield "\n}\n"


def _listed(rows: Iterable[Any]) -> Iterator[str]:
    before = "[\n  "
    for row in rows:
        yield before + _text(row)
        before = ",\n  "
    yield "\n]" if before.startswith(",") else "[]"


def _text(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
