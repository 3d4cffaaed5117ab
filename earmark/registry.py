"""Every metric by name, found but not computed: importing this loads no metric's class.

A family of ours is a folder of ``earmark.metrics`` whose ``__init__.py`` describes it as
``FAMILY``. Other installed packages register theirs as entry points of the group
``earmark.metrics``, each of which names such a descriptor. What is wrong with one of
ours stops the program with the reason; what is wrong with another package's leaves that
family out and is listed in ``PACKAGE_FAULTS``.
"""

import importlib
import logging
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import earmark.metrics
from earmark.errors import ScoringError, UnknownMetric
from earmark.metrics.descriptor import Direction, FamilyInfo, MetricInfo, Queue, descriptor_faults

if TYPE_CHECKING:
    from earmark.metrics.family import Family

__all__ = [
    "FAMILIES",
    "METRICS",
    "PACKAGE_FAULTS",
    "Direction",
    "FamilyInfo",
    "MetricInfo",
    "PackageMetricBroken",
    "Queue",
    "families_of",
    "load_family",
    "metric",
    "metrics_for",
    "metrics_of",
    "standard_families",
]

GROUP = "earmark.metrics"
_OTHER_PACKAGE = "it comes from another package"
_BY_PHASE = "each phase that uses it configures it"

logger = logging.getLogger(__name__)


class MetricIncomplete(Exception):
    """A folder of ``earmark.metrics`` that does not say all that must be known of a metric."""

    def __init__(self, place: str, faults: Iterable[str]) -> None:
        super().__init__(f"The metric in {place} is not complete. {' '.join(faults)}")


class PackageMetricBroken(ScoringError):
    """A metric of another package that cannot be loaded."""

    def __init__(self, family: FamilyInfo, error: Exception) -> None:
        super().__init__(
            f"The metric family {family.name!r} of the package {family.package!r} cannot be "
            f"used: {type(error).__name__}: {' '.join(str(error).split())}"
        )


def _own_families() -> Iterator[FamilyInfo]:
    """Descriptors of the folders of ``earmark.metrics``."""
    for module in pkgutil.iter_modules(earmark.metrics.__path__, "earmark.metrics."):
        if module.ispkg:
            described = getattr(importlib.import_module(module.name), "FAMILY", None)
            place = f"{module.name.replace('.', '/')}/__init__.py"
            if described is None:
                raise MetricIncomplete(place, ["It has no FAMILY."])
            if faults := [*descriptor_faults(described)]:
                raise MetricIncomplete(place, faults)
            yield described


def _package_families(
    taken: Iterable[FamilyInfo], points: Iterable[EntryPoint]
) -> tuple[list[FamilyInfo], dict[str, str]]:
    """Families of other packages in the order of their names, and what is wrong with the others."""
    loaded: list[FamilyInfo] = []
    faults: dict[str, str] = {}
    families = {family.name for family in taken}
    metrics = {info.name for family in taken for info in family.metrics}
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        package = point.dist.name if point.dist is not None else point.module
        place = f"{package}: {point.name} = {point.value}"
        try:
            family = point.load()
            wrong = [*descriptor_faults(family)]
        except Exception as error:  # Whatever another package does, the program goes on.
            logger.warning("The metric %s cannot be loaded", place, exc_info=True)
            faults[place] = f"It cannot be loaded: {type(error).__name__}: {error}"
            continue
        if not wrong and family.name in families:
            wrong = [f"There is a metric family {family.name!r} already."]
        elif not wrong and (same := metrics & {info.name for info in family.metrics}):
            wrong = [f"There are metrics of these names already: {', '.join(sorted(same))}."]
        if wrong:
            faults[place] = " ".join(wrong)
            logger.warning("The metric %s is left out: %s", place, faults[place])
            continue
        families.add(family.name)
        metrics |= {info.name for info in family.metrics}
        loaded.append(replace(family, package=package))
    return loaded, faults


def _named(family: FamilyInfo) -> FamilyInfo:
    """Write the family's name into all that it consists of."""
    excuse = _OTHER_PACKAGE if family.package else _BY_PHASE if family.configured_by_phase else ""
    return replace(
        family,
        metrics=tuple(
            replace(info, family=family.name, not_judged=info.not_judged or excuse)
            for info in family.metrics
        ),
        facet=family.facet and replace(family.facet, family=family.name),
    )


def _all_families() -> tuple[dict[str, FamilyInfo], dict[str, str]]:
    own = sorted(_own_families(), key=lambda family: (family.order, family.name))
    others, faults = _package_families(own, entry_points(group=GROUP))
    return {family.name: _named(family) for family in (*own, *others)}, faults


# By name, ours first, in the order used everywhere.
FAMILIES, PACKAGE_FAULTS = _all_families()

# In the order used everywhere; what exists only for several candidates comes last.
METRICS: dict[str, MetricInfo] = {
    info.name: info
    for several in (False, True)
    for family in FAMILIES.values()
    for info in family.metrics
    if info.several is several
}


def metric(name: str) -> MetricInfo:
    """Look a metric up by name, or raise ``UnknownMetric``."""
    try:
        return METRICS[name]
    except KeyError as error:
        raise UnknownMetric(name, tuple(METRICS)) from error


def metrics_for(*, several: bool) -> tuple[str, ...]:
    """Names of the metrics that every submission has, with ``several`` candidates a clip or one."""
    return tuple(
        name
        for name, info in METRICS.items()
        if not FAMILIES[info.family].configured_by_phase and (several or not info.several)
    )


def standard_families() -> tuple[str, ...]:
    """Names of the families that need no parameters of a phase: what "all metrics" stands for."""
    return tuple(name for name, family in FAMILIES.items() if not family.configured_by_phase)


def metrics_of(family_name: str) -> tuple[MetricInfo, ...]:
    """A family's metrics in the order used everywhere."""
    return tuple(info for info in METRICS.values() if info.family == family_name)


def families_of(metric_names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the families that compute these metrics, each once, in registry order."""
    wanted = {metric(name).family for name in metric_names}
    return tuple(name for name in FAMILIES if name in wanted)


def load_family(name: str, **parameters: Any) -> "Family[Any]":
    """Import a family's class and make it with its parameters.

    Raises ``PackageMetricBroken`` where the class of another package fails, be it to say
    its own parameters; those that it refuses (TypeError, ValueError) are the caller's.
    """
    info = FAMILIES[name]
    module, _, attribute = info.path.partition(":")
    try:
        family_class = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        if not info.package:
            raise
        raise PackageMetricBroken(info, error) from error
    try:
        family: Family[Any] = family_class(**parameters)
        if info.package:
            _ = family.parameters, family.revision
    except (TypeError, ValueError, ScoringError, ImportError, OSError):
        raise
    except Exception as error:
        if not info.package:
            raise
        raise PackageMetricBroken(info, error) from error
    return family
