"""Checks of metrics from other packages, at ``manage.py check`` and every start."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning, register

from scoring.errors import ScoringError
from scoring.registry import FAMILIES, PACKAGE_FAULTS, FamilyInfo, load_family

METRICS = "metrics"
LEFT_OUT = "leaderboard.W001"
BROKEN = "leaderboard.W002"


@register(METRICS)
def package_metrics(app_configs: Sequence[Any] | None, **_: Any) -> list[CheckMessage]:
    """Warn of metrics of other packages that are left out or cannot be computed.

    What is wrong with one of ours is an error of ``scoring.registry`` when it is imported.
    """
    left_out = [
        Warning(f"A metric is left out. {place}: {fault}", id=LEFT_OUT)
        for place, fault in PACKAGE_FAULTS.items()
    ]
    broken = [
        Warning(f"A metric cannot be computed. {fault}", id=BROKEN)
        for family in FAMILIES.values()
        if family.package and (fault := _class_fault(family))
    ]
    return [*left_out, *broken]


def _class_fault(family: FamilyInfo) -> str:
    """How a family's class differs from its descriptor, or why there is none; else ""."""
    try:
        family_class = load_family(family.name)
    except (ScoringError, ImportError, OSError, TypeError, ValueError) as error:
        return str(error)
    descriptor = (family.name, tuple(info.name for info in family.metrics), family.signed_revision)
    actual = (family_class.name, tuple(family_class.metrics), family_class.revision)
    if actual != descriptor:
        return (
            f"{family.package}: the class of {family.name} has {actual}, its descriptor "
            f"{descriptor}."
        )
    return ""
