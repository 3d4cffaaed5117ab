"""Metrics under the name that their parameters give them: "FENSE (penalty 0.5)"."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from earmark.metrics.descriptor import FamilyOption, MetricInfo
from earmark.registry import FAMILIES, METRICS

_LONGEST = 60


def labelled(info: MetricInfo, parameters: Mapping[str, Any]) -> MetricInfo:
    """A metric with what differs from its defaults in its label and its texts.

    ``parameters`` are those that its family is made with; what is no option of it is in no
    label.
    """
    return _with_differences(
        info, lambda option: option.given(parameters.get(option.name)), bool(parameters)
    )


@lru_cache(maxsize=4096)
def labelled_as_signed(info: MetricInfo, signature: str) -> MetricInfo:
    """A metric with what differs from its defaults in the signature of a value of it."""
    return _with_differences(info, lambda option: option.signed_value(signature), bool(signature))


def signed_metric(name: str, signature: str) -> MetricInfo:
    """A metric of the registry as the signature of a value of it says that it was computed."""
    return labelled_as_signed(METRICS[name], signature)


def _with_differences(
    info: MetricInfo, value_of: Callable[[FamilyOption], str], known: bool
) -> MetricInfo:
    if not known or info.family not in FAMILIES:
        return info
    options = FAMILIES[info.family].options
    changing = (one for one in options if not one.metrics or info.name in one.metrics)
    values = [(option, value) for option in changing if (value := value_of(option))]
    if not values:
        return info
    differences = ", ".join(v if one.bare else f"{one.words} {v}" for one, v in values)
    short = differences
    if len(differences) > _LONGEST:
        short = f"{differences[:_LONGEST].rstrip()}…"
    explanation = info.explanation
    return replace(
        info,
        label=f"{info.label} ({short})",
        differences=short,
        summary=_with(info.summary, values),
        source=_with(info.source, values),
        explanation=replace(
            explanation,
            what=_with(explanation.what, values),
            misses=_with(explanation.misses, values),
        ),
    )


def _with(text: str, values: list[tuple[FamilyOption, str]]) -> str:
    """A text with values in place of the defaults that it tells."""
    for option, value in values:
        for default, instead in option.texts:
            text = text.replace(default, instead.format(value))
    return text
