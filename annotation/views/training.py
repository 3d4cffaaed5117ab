"""A training: how far it is, what came of it, and what can be done about it."""

import json
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import access, tasks
from annotation.models import Role, RunState, TrainingRun
from annotation.selectors.figures import confusion_figure
from annotation.selectors.label_book import LabelBook, glosses, label_book
from annotation.selectors.training_figures import (
    curve_figure,
    curve_said,
    f1_figure,
    loss_figure,
)
from annotation.selectors.training_recipes import chosen_said, command_of, options_said
from annotation.selectors.training_reports import (
    Report,
    errors_between,
    items_of,
    report_of,
)
from annotation.selectors.trainings import progress_of
from annotation.sending import data_sent
from annotation.services.managing import Act
from annotation.services.training.states import NothingToDo, training_cancel, training_retry
from leaderboard.selectors.scales import Scale
from leaderboard.views.requests import SignedInRequest, login_required_for_part_of

MOST_SHOWN = 20
PEOPLE, LABELLER = "people", "the labeller"


@login_required
@require_safe
@never_cache
def training(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Show a training: its progress, or what was measured."""
    run = access.training_for(request.user, project, number)
    manages = access.has_role(request.user, run.project, Role.MANAGER)
    context = {
        "project": run.project,
        "run": run,
        "manages": manages,
        "downloads": manages and access.manages_all(request.user, run.chosen["projects"]),
        "command": command_of(run),
        "chosen": chosen_said(run, named=manages, seen=_seen(request, run)),
        "options": options_said(run),
        **_progress(run),
    }
    report = report_of(run)
    if report is not None:
        context |= _report(run, report, manages=manages)
    return render(request, "annotation/training.html", context)


@login_required_for_part_of("annotation:training")
@require_safe
@never_cache
def progress(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Say how far a training is: a part of its page, which asks for it again and again."""
    run = access.training_for(request.user, project, number)
    context = {"project": run.project, "run": run, **_progress(run)}
    return render(request, "annotation/_training_progress.html", context)


@login_required
@require_safe
@never_cache
def captions(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """List the captions with words that people call ``?given=`` and the labeller ``?found=``."""
    run = access.training_to_change(request.user, project, number)
    report = report_of(run)
    if report is None:
        raise Http404
    given, found = request.GET.get("given", ""), request.GET.get("found", "")
    if (given or found) and not {given, found} <= set(report.labels):
        raise Http404
    book = label_book(run.project)
    rows = errors_between(report, given, found)
    context = {
        "project": run.project,
        "run": run,
        "report": report,
        "given": book[given] if given else None,
        "found": book[found] if found else None,
        "words": report.count(given, found) if given else None,
        "rows": _errors(run, rows, book, (given, found)),
    }
    return render(request, "annotation/training_captions.html", context)


@login_required
@require_safe
@never_cache
def data(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Send exactly the captions that a training learned from."""
    return data_sent(access.training_data_for(request.user, project, number))


@login_required
@require_POST
def cancel(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Cancel a training."""
    run = access.training_to_change(request.user, project, number)
    try:
        at_once = training_cancel(run=run, act=Act(request.user, timezone.now()))
    except NothingToDo as error:
        messages.error(request, str(error))
    else:
        said = "The training is cancelled." if at_once else "The training stops at its next step."
        messages.success(request, said)
    return _back(run)


@login_required
@require_POST
def again(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Let a training that failed or was cancelled go on."""
    run = access.training_to_change(request.user, project, number)
    try:
        training_retry(run=run, act=Act(request.user, timezone.now()))
    except NothingToDo as error:
        messages.error(request, str(error))
    else:
        tasks.training_enqueue(run)
        messages.success(request, "The training goes on from its last finished epoch.")
    return _back(run)


def _seen(request: SignedInRequest, run: TrainingRun) -> set[int]:
    """Give those of the projects that helped which the reader may know of."""
    helped = access.projects_of(request.user).filter(pk__in=run.chosen["projects"])
    return set(helped.values_list("pk", flat=True))


def _back(run: TrainingRun) -> HttpResponse:
    return redirect("annotation:training", project=run.project.slug, number=run.number)


def _progress(run: TrainingRun) -> dict[str, Any]:
    told = progress_of(run)
    loss, f1 = loss_figure(told.rows), f1_figure(told.rows)
    return {
        "progress": told,
        "latest": told.latest,
        "loss": loss,
        "f1": f1,
        "loss_data": json.dumps(loss.plot),
        "f1_data": json.dumps(f1.plot),
        "failed": run.state == RunState.FAILED,
    }


def _report(run: TrainingRun, report: Report, *, manages: bool) -> dict[str, Any]:
    book = label_book(run.project)
    page = reverse("annotation:training-captions", args=[run.project.slug, run.number])

    def address(given: str, found: str) -> str:
        if given == found or not manages:
            return ""  # of words that were found right there is nothing to open
        return f"{page}?{urlencode({'given': given, 'found': found})}"

    return {
        "report": report,
        "scale": Scale(0, 1),
        "labels": [(book[row.name], row) for row in report.per_label],
        "confusion": confusion_figure(
            report.labels, report.counts, (PEOPLE, LABELLER), book, address
        ),
        "confusions": [
            {"given": book[a], "found": book[b], "count": count, "address": address(a, b)}
            for a, b, count in report.confusions
        ],
        "errors": _errors(run, report.errors[:MOST_SHOWN], book) if manages else [],
        "curve": curve_figure(report.curve) if report.curve else None,
        "curve_said": curve_said(report),
    }


def _errors(
    run: TrainingRun,
    errors: list[dict[str, Any]],
    book: LabelBook,
    cell: tuple[str, str] = ("", ""),
) -> list[dict[str, Any]]:
    """Put under the words of captions what people and the labeller call them."""
    items = items_of(run.project, errors)
    rows = []
    for error in errors:
        given, found = tuple(error["given"]), tuple(error["found"])
        pairs = list(zip(given, found, strict=True))
        marked = tuple(
            at for at, pair in enumerate(pairs) if (pair == cell if cell[0] else pair[0] != pair[1])
        )
        words = tuple(error["words"])
        rows.append(
            {
                "gloss": glosses(words, (given, found), book, marked),
                "wrong": sum(a != b for a, b in pairs),
                "of": len(words),
                "item": items.get(" ".join(words)),
            }
        )
    return rows
