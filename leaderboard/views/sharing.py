"""Pictures that other sites show beside links to pages of this one.

They are what a visitor may see, whoever asks: their servers ask for them without a log-in, and
show them to everyone.
"""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.table import table_of
from leaderboard.selectors.submissions.system_report import report_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.templatetags.numbers import as_number, interval_text
from leaderboard.web.share_pictures import ShareLine, SharePicture, share_png
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


LINES = 4


def shared_board(phase: Phase, *, with_scores: bool, now: datetime) -> SharePicture:
    """A phase and, ``with_scores``, those who lead it."""
    lines: tuple[ShareLine, ...] = ()
    foot = "The scores of this phase are not public."
    if with_scores:
        table = table_of(phase, BoardQuery(), view=public_view(phase, now))
        lines = tuple(_line(row, phase) for row in table.rows[:LINES] if row.rank is not None)
        number = f"{table.total:,} system{'' if table.total == 1 else 's'}"
        foot = f"{number}, ranked by {table.ranking.info.label}"
    return SharePicture(settings.SITE_NAME, phase.challenge.title, phase.name, lines, foot)


def _line(row: RankedRow, phase: Phase) -> ShareLine:
    shown = row.shown(phase.ranking_metric)
    value = as_number(shown.value, phase.ranking)
    return ShareLine(f"{row.rank}", f"{row.system_name}, {row.team_name}", value)


def shared_system(submission: AnySubmission, *, with_others: bool, now: datetime) -> SharePicture:
    """A system and its main scores; its rank where ``with_others`` everyone sees those of all."""
    phase = submission.phase
    report = report_of(submission, with_others=with_others, view=public_view(phase, now))
    scores = report.leading[:LINES] if with_others else ()
    lines = tuple(
        ShareLine(item.info.label, interval_text(item.low, item.high, item.info), number)
        for item, _ in scores
        if (number := as_number(item.value, item.info))
    )
    rank = report.place.rank if report.place else None
    foot = f"{phase.challenge.title}, {phase.name}"
    if report.place and rank is not None:
        foot = f"Rank {rank} of {report.place.teams}, {foot}"
    names = submission.system_name, submission.team.name
    return SharePicture(settings.SITE_NAME, *names, lines, foot)
