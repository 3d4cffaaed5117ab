"""Details of many metrics put together by family, ready for JSON."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.registry import metric
from scoring.results import Details, MetricResult


def details_by_family(results: Iterable[MetricResult]) -> dict[str, Details]:
    """Give each family's details once, in the order of the results; one entry per clip.

    The metrics of a family share their details. A family without any is left out.
    """
    found: dict[str, Details] = {}
    for result in results:
        if result.details is not None:
            found.setdefault(metric(result.name).family, result.details)
    return found


def json_ready(value: Any) -> Any:
    """Give a detail as JSON can hold it: NaN and infinity, which it lacks, become None.

    >>> json_ready({"a": (1.5, math.nan)})
    {'a': [1.5, None]}
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    return value
