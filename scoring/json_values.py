"""Values for JSON: details of metrics by family, and how deep values are nested."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.registry import metric
from scoring.results import Details, MetricScore


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

    >>> json_ready({"a": (1.5, math.nan)})
    {'a': [1.5, None]}
    """
    kind = type(value)
    # Of a million values in the details of a system nearly all are these.
    if kind is str or kind is int:
        return value
    if kind is dict:
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    return value


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
