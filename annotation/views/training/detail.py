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
from annotation.file_responses import training_data_response
from annotation.models import Role, RunState, TrainingRun
from annotation.selectors.agreement.figures import confusion_figure
from annotation.selectors.labels import LabelBook, label_book, labelled_words
from annotation.selectors.training.recipes import command_of, option_rows, selection_summary
from annotation.selectors.training.reports import (
    TrainingReport,
    curve_figure,
    curve_summary,
    errors_between,
    f1_figure,
    items_of,
    loss_figure,
    training_report,
)
from annotation.selectors.training.runs import run_progress
from annotation.services.projects import ProjectAct
from annotation.services.training.states import NothingToDo, training_cancel, training_retry
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.web.requests import SignedInRequest, login_required_for_part_of

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
        "chosen": selection_summary(run, named=manages, seen=_seen(request, run)),
        "options": option_rows(run),
        **_progress(run),
    }
    report = training_report(run)
    if report is not None:
        context |= _report(run, report, manages=manages)
    return render(request, "annotation/training/training.html", context)


@login_required_for_part_of("annotation:training")
@require_safe
@never_cache
def progress(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Show the progress of a training: a part of its page, which polls it."""
    run = access.training_for(request.user, project, number)
    context = {"project": run.project, "run": run, **_progress(run)}
    return render(request, "annotation/training/_progress.html", context)


@login_required
@require_safe
@never_cache
def captions(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """List the captions with words that people call ``?given=`` and the labeller ``?found=``."""
    run = access.training_to_change(request.user, project, number)
    report = training_report(run)
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
    return render(request, "annotation/training/captions.html", context)


@login_required
@require_safe
@never_cache
def data(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Send exactly the captions that a training learned from."""
    return training_data_response(access.training_data_for(request.user, project, number))


@login_required
@require_POST
def cancel(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Cancel a training."""
    run = access.training_to_change(request.user, project, number)
    try:
        at_once = training_cancel(run=run, act=ProjectAct(request.user, timezone.now()))
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
        training_retry(run=run, act=ProjectAct(request.user, timezone.now()))
    except NothingToDo as error:
        messages.error(request, str(error))
    else:
        tasks.training_enqueue(run)
        messages.success(request, "The training goes on from its last finished epoch.")
    return _back(run)


def _seen(request: SignedInRequest, run: TrainingRun) -> set[int]:
    """Those of the projects that helped which the reader may know of."""
    helped = access.projects_of(request.user).filter(pk__in=run.chosen["projects"])
    return set(helped.values_list("pk", flat=True))


def _back(run: TrainingRun) -> HttpResponse:
    return redirect("annotation:training", project=run.project.slug, number=run.number)


def _progress(run: TrainingRun) -> dict[str, Any]:
    told = run_progress(run)
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


def _report(run: TrainingRun, report: TrainingReport, *, manages: bool) -> dict[str, Any]:
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
        "curve_said": curve_summary(report),
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
                "gloss": labelled_words(words, (given, found), book, marked),
                "wrong": sum(a != b for a, b in pairs),
                "of": len(words),
                "item": items.get(" ".join(words)),
            }
        )
    return rows
