"""Telling who started a training how it ended."""

from datetime import datetime

from django.urls import reverse

from annotation.access import has_role
from annotation.models import Role, RunState, TrainingRun
from annotation.selectors.training.runs import project_scores
from leaderboard.models import NoticeKind
from leaderboard.services.people.notices import NoticePage, notice_send, shortened


def training_tell(*, run_id: int, now: datetime) -> None:
    """Tell how a training ended; call it in the transaction that ends it, once.

    Told is who started it and may still see it, and not of what they cancelled themselves.
    """
    run = (
        TrainingRun.objects.select_related("project__scheme", "started_by", "cancel_asked_by")
        .select_related("labeller")
        .get(pk=run_id)
    )
    user = run.started_by
    if user is None or not has_role(user, run.project, Role.ADJUDICATOR):
        return
    if run.state == RunState.CANCELLED and run.cancel_asked_by == user:
        return
    page = NoticePage(
        f"{run.project.name}, training {run.number}",
        reverse("annotation:training", args=[run.project.slug, run.number]),
    )
    notice_send(
        users=[user],
        kind=NoticeKind.TRAINING,
        text=_said(run),
        now=now,
        page=page,
    )


def _said(run: TrainingRun) -> str:
    name = f"Training {run.number} of {shortened(run.project.name, 80)}"
    if run.state == RunState.FAILED:
        return f"{name} failed. {run.reason or 'No reason was recorded.'}"
    if run.state == RunState.CANCELLED:
        who = run.cancel_asked_by
        by = f" by {who.get_username()}" if who is not None else ""
        return f"{name} was cancelled{by}. Nothing was registered."
    scores = project_scores(run)
    micro = None if scores is None else scores["micro"]
    f1 = "" if micro is None else f": F1 {micro:.3f} on captions it did not learn from"
    kept = "" if run.labeller is None else f" Its labeller is {run.labeller.identity}."
    return f"{name} is done{f1}.{kept}"
