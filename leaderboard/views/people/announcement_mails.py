"""Wanting no more announcements of a challenge by e-mail, and wanting them again."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.selectors.people.announcements import opt_outs_of, opted_out, unsubscribe_target
from leaderboard.services.people.announcements import announcements_resume, announcements_stop
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act


# Mail programs post here without a session (RFC 8058); the signed link itself is the right.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether announcements of a challenge are to end, and end them when that is sent.

    Programs that look at every link of a mail read this page, and must change nothing.
    """
    target = unsubscribe_target(token)
    if target is None:
        context: dict[str, object] = {}
        status = HTTPStatus.NOT_FOUND
    else:
        user, challenge = target
        if request.method == "POST":
            announcements_stop(user=user, challenge=challenge, now=timezone.now())
        context = {"challenge": challenge, "stopped": opted_out(user, challenge)}
        status = HTTPStatus.OK
    return render(request, "leaderboard/people/unsubscribe.html", context, status=status)


@signed_in_act()
def account_announcements(request: SignedInRequest, pk: int) -> HttpResponse:
    """Send announcements of a challenge again."""
    row = get_object_or_404(opt_outs_of(request.user), challenge=pk)
    announcements_resume(user=request.user, challenge=row.challenge)
    messages.success(request, f"Announcements of {row.challenge.title} go out by e-mail again.")
    return redirect("leaderboard:account")
