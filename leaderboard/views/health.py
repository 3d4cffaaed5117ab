"""Whether the site is alive and ready for all of its work, and its figures; for who watches it."""

from collections.abc import Iterator
from ipaddress import ip_address

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, Metric, generate_latest

from leaderboard.selectors.evaluations.readiness import readiness
from leaderboard.selectors.operations.site import site_metrics
from leaderboard.web.request_counts import counts_of_all_processes


@require_safe
@never_cache
def health(_request: HttpRequest) -> HttpResponse:
    """Answer "ok" where the database does, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError:
        return HttpResponse("The database does not answer.", status=503, content_type="text/plain")
    return HttpResponse("ok", content_type="text/plain")


@require_safe
@never_cache
def ready(_request: HttpRequest) -> HttpResponse:
    """Answer what each part of the site says: 200 where all do their work, else 503."""
    checks = readiness(now=timezone.now())
    ok = all(check.ok for check in checks)
    parts = {check.name: {"ok": check.ok, "detail": check.detail} for check in checks}
    return JsonResponse({"ready": ok, "checks": parts}, status=200 if ok else 503)


class SiteCollector:
    """What Prometheus is told: what web processes have counted, and how the site stands now."""

    def collect(self) -> Iterator[Metric]:
        """Both, one after the other."""
        yield from counts_of_all_processes()
        yield from site_metrics(timezone.now())


@require_safe
@never_cache
def prometheus(request: HttpRequest) -> HttpResponse:
    """Answer the figures of the site, to those alone for whom it is opened."""
    if not may_read_figures(request):
        raise Http404
    return HttpResponse(generate_latest(SiteCollector()), content_type=CONTENT_TYPE_LATEST)


def may_read_figures(request: HttpRequest) -> bool:
    """Whether a request has the token, and comes from one of the networks, that are configured.

    Where neither is, nobody may.
    """
    token, networks = settings.PROMETHEUS_TOKEN, settings.PROMETHEUS_NETWORKS
    if token and not constant_time_compare(
        request.headers.get("Authorization", ""), f"Bearer {token}"
    ):
        return False
    if not networks:
        return bool(token)
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except (PermissionDenied, ValueError):
        return False
    return any(address in network for network in networks)
