"""What every template may use."""

from django.conf import settings
from django.http import HttpRequest

import scoring


def site(_request: HttpRequest) -> dict[str, str]:
    """Name the site, its address and the scorer's version."""
    return {
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "scorer_version": scoring.__version__,
    }
