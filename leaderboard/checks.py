"""Checks of the site's settings and of metrics from other packages, at every start."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from earmark.errors import ScoringError
from earmark.registry import FAMILIES, PACKAGE_FAULTS, FamilyInfo, load_family

SITE, METRICS = "site", "metrics"
LEFT_OUT = "leaderboard.W001"
BROKEN = "leaderboard.W002"


@register(SITE)
def site_address(app_configs: Sequence[Any] | None, **_: Any) -> list[CheckMessage]:
    """Refuse a SITE_URL with more than scheme, host and port."""
    parts = urlsplit(settings.SITE_URL)
    root = f"{parts.scheme or 'https'}://{parts.netloc or 'earmark.example.org'}"
    if root == settings.SITE_URL:
        return []
    text = f"SITE_URL has more than a host: {settings.SITE_URL}. Pages would have no style sheets."
    hint = f"Serve the site at a host of its own, and set SITE_URL to its root, such as {root}."
    return [Error(text, hint=hint, id="leaderboard.E001")]


@register(SITE, deploy=True)
def mail_server(app_configs: Sequence[Any] | None, **_: Any) -> list[CheckMessage]:
    """Warn of a public site whose mail reaches nobody."""
    if not settings.SITE_URL.startswith("https:") or "smtp" in settings.EMAIL_BACKEND:
        return []
    text = (
        "No mail server is set, so mails of this public site reach nobody, such as those with the "
        "links that confirm addresses and set passwords."
    )
    return [Warning(text, hint="Set EMAIL_URL to your mail server.", id="leaderboard.W003")]


@register(METRICS)
def package_metrics(app_configs: Sequence[Any] | None, **_: Any) -> list[CheckMessage]:
    """Warn of metrics of other packages that are left out or cannot be computed.

    What is wrong with one of ours is an error of ``earmark.registry`` when it is imported.
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
