"""Whether the site is alive, and whether it is ready for all of its work; for who watches it."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.selectors.evaluations.readiness import readiness


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
