"""Values for JSON: details of metrics by family, and how deep values are nested."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import orjson

from earmark.registry import metric
from earmark.results import Details, MetricScore


def details_by_family(results: Iterable[MetricScore]) -> dict[str, Details]:
    """Details of each family, once, in the order of the results; one entry per clip.

    The metrics of a family share their details. A family without any is left out.
    """
    details: dict[str, Details] = {}
    for result in results:
        if result.details is not None:
            details.setdefault(metric(result.name).family, result.details)
    return details


def json_ready(value: Any) -> Any:
    """Value as JSON can hold it: NaN and infinity, which it lacks, become None.

    >>> import math
    >>> json_ready({"a": (1.5, math.nan)})
    {'a': [1.5, None]}
    """
    return json.loads(json_bytes(value))


def json_bytes(value: Any) -> bytes:
    r"""Value as JSON in UTF-8, without a line break; what JSON lacks is as in ``json_ready``.

    >>> import math
    >>> json_bytes({"a": (1.5, math.nan)})
    b'{"a":[1.5,null]}'

    A half of a character, which UTF-8 lacks and orjson refuses, is escaped:

    >>> json_bytes({"a": [chr(0xD800), math.nan]})
    b'{"a":["\\ud800",null]}'
    """
    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    try:
        return orjson.dumps(value, _plain, options)
    except TypeError:
        text = json.dumps(value, default=_plain)
        ready = json.loads(text, parse_constant=lambda _: None)
        return json.dumps(ready, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    """Mappings and tuples of kinds that orjson does not know, as those that it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def deeper_than(value: Any, most: int) -> bool:
    """Whether objects and lists are nested more than ``most`` deep.

    >>> deeper_than({"a": [1]}, 2), deeper_than({"a": [1]}, 1), deeper_than("a", 0)
    (False, True, False)
    """
    level = [value]
    for _ in range(most + 1):
        level = [item for item in level if isinstance(item, dict | list | tuple)]
        if not level:
            return False
        level = [
            inner for item in level for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return True
