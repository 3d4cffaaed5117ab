"""The page of a system, while it is scored and after."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.analysis.distributions import distribution, metrics_with_clips
from leaderboard.selectors.evaluations.waiting_time import waiting_time
from leaderboard.selectors.figures.distributions import system_histogram
from leaderboard.selectors.submissions.system_description import about_of
from leaderboard.selectors.submissions.system_report import report_of
from leaderboard.selectors.submissions.team_systems import team_acts
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    visible_evaluations,
    visible_progress,
    visible_results,
)
from leaderboard.views.pages import phase_context, system_context
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors("metric")
def system(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a system: how far its scoring is, its numbers, how its clips are spread."""
    submission = access.submission_for(request.user, public_id)
    phase = submission.phase
    view = access.visibility_for(request.user, phase, timezone.now())
    with_others = access.may_see_scores(request.user, phase)
    may_see_clips = access.may_see_clips(request.user, phase)
    return render(
        request,
        "leaderboard/submissions/system.html",
        {
            "submission": submission,
            **phase_context(phase),
            "report": report_of(submission, with_others=with_others, view=view),
            "frozen_at": view.until,
            "may_see_scores": with_others,
            "may_see_clips": may_see_clips,
            "acts": team_acts(submission, timezone.now())
            if access.is_member(request.user, submission.team_id)
            else None,
            **_progress(request, submission, view),
            **(_distribution(request, submission) if may_see_clips else {}),
        },
    )


@require_safe
@cached_for_visitors()
def system_about(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what a team says of its system: the description, metadata and report."""
    submission = access.submission_for(request.user, public_id)
    now = timezone.now()
    may_manage = access.may_manage_submission(request.user, submission)
    context = {
        **system_context(submission),
        "about": about_of(submission, people=may_manage),
        "may_manage": may_manage,
        "may_edit": access.may_edit_submission(request.user, submission, now),
        "report_readable": access.may_read_report(request.user, submission, now),
        "report_public": access.report_is_public(submission, now),
    }
    return render(request, "leaderboard/submissions/about.html", context)


@require_safe
@never_cache
def system_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """Send the progress alone, which the page requests every second.

    Once nothing will change any more the whole page is asked to come anew,
    with the results.
    """
    submission = access.submission_for(request.user, public_id)
    view = access.visibility_for(request.user, submission.phase, timezone.now())
    context = _progress(request, submission, view)
    response = render(
        request, "leaderboard/submissions/_progress.html", {"submission": submission, **context}
    )
    if context["progress"].settled:
        response["HX-Refresh"] = "true"
    return response


def _progress(request: HttpRequest, submission: AnySubmission, view: Visibility) -> dict[str, Any]:
    progress, waiting = visible_progress(submission), None
    if not progress.settled:
        evaluations = visible_evaluations(submission).defer("detail")
        waiting = waiting_time(submission, evaluations, timezone.now())
    return {
        "progress": progress,
        "waiting_time": waiting,
        "may_manage": access.may_manage_submission(request.user, submission),
    }


def _distribution(request: HttpRequest, submission: AnySubmission) -> dict[str, Any]:
    """The distribution of ``?metric=``, else of the ranking metric, else the first."""
    choices = metrics_with_clips(submission)
    by_name = {info.name: info for info in choices}
    wanted = (request.GET.get("metric", ""), submission.phase.ranking_metric)
    info = next((by_name[name] for name in wanted if name in by_name), None)
    info = info or next(iter(choices), None)
    result = info and visible_results(submission).filter(metric=info.name).first()
    shown = distribution(result.read_per_clip(), info) if info and result else None
    if shown is None:
        return {}
    return {"choices": choices, "shown": shown, "figure": system_histogram(shown)}
