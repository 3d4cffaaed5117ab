"""The metrics of a run as somebody asked for them: checked, and their families made."""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

from scoring.errors import ResourceMissing, ScoringError, UnusableInput
from scoring.metric_sets import metric_names, split_names
from scoring.metrics.family import Family
from scoring.pipeline import Parameters, check_families, failure_reason
from scoring.registry import PackageMetricBroken, families_of, load_family, metrics_for
from scoring.runtime import Device

# A length penalty or a weight of nought makes no number.
ABOVE_NOUGHT = {"sigma", "beta", "recall_weight"}
# Ends of names of what is a share, a probability or a cosine.
AT_MOST_ONE = ("threshold", "penalty")


class ParametersUnusable(UnusableInput):
    """Parameters that a metric family does not take."""


class FamilyNotAsked(ParametersUnusable):
    """Parameters of a family that no metric asked for is computed by."""

    def __init__(self, family: str, families: Iterable[str]) -> None:
        super().__init__(
            f"Parameters are given to {family!r}, which no metric asked for is computed by. "
            f"Give parameters to: {', '.join(families)}."
        )


class UnknownDevice(UnusableInput):
    """A device that models cannot be told to run on."""

    def __init__(self, device: object) -> None:
        usable = ", ".join(get_args(Device))
        super().__init__(f"There is no device {device!r}. Choose from: {usable}.")


@dataclass(frozen=True, slots=True)
class ChosenMetrics:
    """Metrics that are wanted, and their families with the parameters of each.

    ``wanted`` are the names as they were given. ``families`` are made and load nothing before
    they are used; ``missing`` has the reason for each that could not be made.
    """

    wanted: tuple[str, ...]
    parameters: Parameters
    device: Device
    families: dict[str, Family[Any]]
    missing: dict[str, str]

    def names(self, *, several: bool) -> tuple[str, ...]:
        """Names of the metrics for clips with ``several`` candidates or with one."""
        return metric_names(self.wanted, metrics_for(several=several))


def choose_metrics(
    wanted: str | Iterable[str], parameters: Parameters | None, device: Device
) -> ChosenMetrics:
    """Check what is wanted and make the families; no model is loaded.

    Raises ``UnknownMetric``, ``NoMetricNamed``, ``UnknownFamily``, ``ParametersUnusable`` and
    ``UnknownDevice``, and what a family raises where the value of a parameter cannot be used.
    """
    if device not in get_args(Device):
        raise UnknownDevice(device)
    names, parameters = tuple(split_names(wanted)), parameters or {}
    families = families_of(metric_names(names))
    check_families(parameters)
    for family in parameters:
        if family not in families:
            raise FamilyNotAsked(family, families)
    made: dict[str, Family[Any]] = {}
    missing: dict[str, str] = {}
    for family in families:
        try:
            made[family] = made_with(family, parameters.get(family, {}))
        except (ResourceMissing, ImportError, OSError, PackageMetricBroken) as error:
            missing[family] = failure_reason(family, error)
    return ChosenMetrics(names, parameters, device, made, missing)


def options_of(family: str) -> dict[str, inspect.Parameter]:
    """Keyword arguments that a family may be made with, by name. Raises as ``load_family``."""
    args = inspect.signature(type(load_family(family)).__init__, eval_str=True).parameters
    return {key: option for key, option in args.items() if option.kind is option.KEYWORD_ONLY}


def made_with(family: str, chosen: Any) -> Family[Any]:
    """A family with parameters; raises as ``load_family``, and ``ParametersUnusable``."""
    try:
        return load_family(family, **chosen)
    except ScoringError:
        raise
    except (TypeError, ValueError) as error:
        if not chosen:
            raise
        raise ParametersUnusable(
            f"The family {family!r} does not take the parameters {dict(chosen)!r}: {error}. What "
            "it takes stands in docs/reference/metrics.md."
        ) from error
