"""The labels of a project as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import access
from annotation.models import Role
from annotation.selectors.downloads import NoSuchFormat, download_of
from annotation.selectors.exports import ALL, Choice, NoSuchPerson
from annotation.sending import sent
from leaderboard.views.requests import SignedInRequest


@login_required
@require_safe
@never_cache
def export(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Send a file: ``?format=``, ``?who=`` (all, gold or a member) and ``?answer=``."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    asked = request.GET
    choice = Choice(asked.get("who") or ALL, asked.get("answer", ""))
    try:
        download = download_of(found, asked.get("format", "prodigy"), choice)
    except (NoSuchFormat, NoSuchPerson) as error:
        raise Http404(str(error)) from error
    return sent(download)
