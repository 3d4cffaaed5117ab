"""What a person was told: the list, and marking it as read."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from leaderboard.selectors.notices import notice_path, notices_of
from leaderboard.services import notices as services
from leaderboard.views.requests import SignedInRequest

PER_PAGE = 50


@login_required
@never_cache
@require_GET
def notice_list(request: SignedInRequest) -> HttpResponse:
    """List one's own notices, the latest first."""
    page = Paginator(notices_of(request.user), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "leaderboard/notices.html", {"page": page})


@login_required
@never_cache
@require_GET
def notice_open(request: SignedInRequest, pk: int) -> HttpResponse:
    """Go where a notice leads; it has been read then."""
    notice = get_object_or_404(notices_of(request.user), pk=pk)
    services.notices_read(user=request.user, now=timezone.now(), pk=pk)
    return redirect(notice_path(notice))


@login_required
@require_POST
def notice_read_all(request: SignedInRequest) -> HttpResponse:
    """Mark all of one's notices as read."""
    services.notices_read(user=request.user, now=timezone.now())
    return redirect("leaderboard:notices")
