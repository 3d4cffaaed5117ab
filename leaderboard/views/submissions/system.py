"""The page of a system, while it is scored and after, and what its team changes about it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from earmark.packages.metadata import Metadata, without_people
from earmark.packages.metadata_files import metadata_of, metadata_write
from leaderboard import access, tasks
from leaderboard.forms.submissions import DescriptionForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import Submission
from leaderboard.selectors.analysis.distributions import distribution, metrics_with_clips
from leaderboard.selectors.evaluations.waiting_time import waiting_time
from leaderboard.selectors.figures.distributions import system_histogram
from leaderboard.selectors.submissions.quotas import submission_slots
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
from leaderboard.services.evaluations.states import submission_retry as retry
from leaderboard.services.submissions import changes as services
from leaderboard.views.pages import (
    act_on,
    asked_rendered,
    form_rendered,
    phase_context,
    system_context,
    with_acts,
)
from leaderboard.views.submissions.upload import FileReport
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import refusal_shown
from leaderboard.web.requests import SignedInRequest, signed_in_form
from leaderboard.web.visitors_cache import cached_for_visitors


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

    Where more families are decided than the page has shown, it asks for their values; once
    nothing will change any more the whole page is asked to come anew.
    """
    submission = access.submission_for(request.user, public_id)
    view = access.visibility_for(request.user, submission.phase, timezone.now())
    context = _progress(request, submission, view)
    response = render(
        request, "leaderboard/submissions/_progress.html", {"submission": submission, **context}
    )
    if context["progress"].settled:
        response["HX-Refresh"] = "true"
    elif request.GET.get("decided", "") != str(context["progress"].decided):
        response["HX-Trigger"] = "decided"
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


@signed_in_form("leaderboard.describe", "30/m")
@parsed_late
def submission_edit(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show the description of a system, and change it."""
    now = timezone.now()
    submission = access.editable_submission_for(request.user, public_id, now)
    if request.method == "POST":
        form = DescriptionForm(request.POST, request.FILES)
    else:
        initial = {
            "system_name": submission.system_name,
            "description": submission.description,
            "metadata": metadata_write(_metadata(submission.metadata), blanks=True),
        }
        form = DescriptionForm(initial=initial)
    if form.is_valid():
        services.submission_describe(
            submission=submission, actor=request.user, now=now, **form.changes
        )
        messages.success(request, "The description was changed.")
        for warning in form.faults[:5]:
            messages.warning(request, str(warning))
        if len(form.faults) > 5:
            messages.warning(request, f"{len(form.faults) - 5} more places were read like this.")
        return redirect("leaderboard:system", public_id=submission.public_id)
    report = FileReport(form.file_name, clips=0, faults=form.faults)
    context = {**system_context(submission), "form": form, "report": report}
    return form_rendered(request, "leaderboard/submissions/describe.html", context)


def _metadata(stored: object) -> Metadata:
    return metadata_of(stored if isinstance(stored, dict) else {}).value or Metadata()


@require_safe
def submission_metadata(request: HttpRequest, public_id: str) -> HttpResponse:
    """Download the metadata as tidy YAML; without people for those who are not concerned."""
    submission = access.submission_for(request.user, public_id)
    own = access.may_manage_submission(request.user, submission)
    stored = submission.metadata if own else without_people(submission.metadata)
    text = metadata_write(_metadata(stored))
    name = f"{submission.label or submission.public_id}.meta.yaml"
    return attachment(text.encode(), name, "application/yaml")


@require_safe
def submission_report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Download the technical report."""
    submission = access.submission_for(request.user, public_id)
    report = submission.report
    if report is None or not access.may_read_report(request.user, submission, timezone.now()):
        raise Http404
    name = f"{submission.label or submission.public_id}.pdf"
    return attachment(bytes(report.content), name, "application/octet-stream")


@dataclass(frozen=True, slots=True)
class TeamAction:
    """One act: its words and its service."""

    name: str
    button: str
    done: str
    already: str
    service: Callable[..., bool]


ACTS = (
    TeamAction(
        "withdraw",
        "Withdraw",
        "{} was withdrawn. You can take it back until the phase closes.",
        "{} was withdrawn already.",
        services.submission_withdraw,
    ),
    TeamAction(
        "take_back",
        "Take back",
        "{} is on the leaderboard again.",
        "{} is not withdrawn.",
        services.submission_take_back,
    ),
    TeamAction(
        "choose",
        "Choose",
        "{} now counts for your team.",
        "{} counts for your team already.",
        services.submission_choose,
    ),
)


@signed_in_form("leaderboard.acts", "30/m")
def submission_act(request: SignedInRequest, public_id: str, act: TeamAction) -> HttpResponse:
    """Ask whether to do an act; do it when confirmed."""
    submission = access.team_submission_for(request.user, public_id)
    name, now = submission.system_name, timezone.now()
    context = {"act": act, **system_context(submission)}
    if request.method == "POST":
        with refusal_shown(context):
            changed = act.service(submission=submission, actor=request.user, now=now)
            messages.success(request, (act.done if changed else act.already).format(name))
            return redirect("leaderboard:system", public_id=public_id)
    of_team = submission.phase.submissions.filter(team=submission.team)
    context |= {
        "offered": team_acts(submission, now)[act.name],
        "chosen": of_team.filter(chosen=True).exclude(pk=submission.pk).first(),
        "slots": submission_slots(phase=submission.phase, team=submission.team),
    }
    return asked_rendered(request, "leaderboard/submissions/confirm.html", context)


@act_on(access.own_submission_for, "leaderboard.retry", "10/m")
def submission_retry(request: SignedInRequest, submission: Submission) -> None:
    """Set what failed of a submission to waiting again."""
    retried = retry(submission=submission, actor=request.user, now=timezone.now())
    if retried:
        transaction.on_commit(lambda: tasks.evaluations_enqueue(retried))
        messages.success(request, "What failed is being computed again.")
    else:
        messages.info(request, "There is nothing that could be tried again.")


@with_acts(
    retry=submission_retry,
    **{act.name: partial(submission_act, act=act) for act in ACTS},
)
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
