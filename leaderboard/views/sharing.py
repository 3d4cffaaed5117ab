"""Pictures that other sites show beside links to pages of this one.

They are what a visitor may see, whoever asks: their servers ask for them without a log-in, and
show them to everyone.
"""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.board.sharing import shared_board, shared_system
from leaderboard.web.share_pictures import SharePicture, share_png
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors()
def board_picture(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Draw the picture of a leaderboard."""
    visitor = AnonymousUser()
    found = access.phase_for(visitor, challenge, phase)
    with_scores = access.may_see_scores(visitor, found)
    return _png(shared_board(found, with_scores=with_scores, now=timezone.now()))


@require_safe
@cached_for_visitors()
def system_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Draw the picture of a system."""
    visitor = AnonymousUser()
    submission = access.submission_for(visitor, public_id)
    with_others = access.may_see_scores(visitor, submission.phase)
    return _png(shared_system(submission, with_others=with_others, now=timezone.now()))


def _png(picture: SharePicture) -> HttpResponse:
    return HttpResponse(share_png(picture), content_type="image/png")
