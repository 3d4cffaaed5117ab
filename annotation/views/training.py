"""The models of a project: its trainings, starting one, and what came of each."""

import gzip
import json
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation import access, tasks
from annotation.forms.training import DataForm, OptionsForm
from annotation.models import Project, Role, TrainingRun
from annotation.selectors.labels import LabelBook, label_book, labelled_words
from annotation.selectors.schemes import answers_of_other_inventories
from annotation.selectors.training.material import (
    FEW_WORDS,
    FEWEST,
    TrainingSelection,
    material_amount,
    training_material,
)
from annotation.selectors.training.reports import (
    TrainingReport,
    annotators_of,
    epochs_figure,
    errors_between,
    items_of,
    training_report,
)
from annotation.selectors.training.runs import (
    answerers_of,
    command_of,
    has_gold,
    name_for,
    option_rows,
    selection_summary,
    training_rows,
)
from annotation.services.training.states import (
    check_count,
    training_cancel,
    training_retry,
    training_start,
)
from annotation.views.pages import act_of, show_page
from earmark.errors import ScoringError
from leaderboard.models import User
from leaderboard.selectors.figures.labellers import confusion_figure, curve_figure
from leaderboard.selectors.labellers.scores import curve_of, curve_summary
from leaderboard.selectors.labellers.use import identity_in_use
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import (
    SignedInRequest,
    signed_in_act,
    signed_in_form,
    signed_in_page,
    signed_in_part,
)


@signed_in_form("annotation.trainings", "20/m")
def models(request: SignedInRequest, project: str) -> HttpResponse:
    """List the trainings; managers start one."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    manages = access.has_role(request.user, found, Role.MANAGER)
    if request.method != "POST":
        return _page(request, found, *_forms(request, found)) if manages else _list(request, found)
    if not manages:
        raise Http404
    return _start(request, found)


@signed_in_part("annotation:models")
def amount(request: SignedInRequest, project: str) -> HttpResponse:
    """Count what a training would learn from: a part of the page."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    form = _data_form(request, found, request.GET)
    context = {"project": found, **(_amount(found, form.chosen) if form.is_valid() else {})}
    return render(request, "annotation/training/_amount.html", context)


def _start(request: SignedInRequest, project: Project) -> HttpResponse:
    data, options = _forms(request, project, bound=True)
    if not (data.is_valid() and options.is_valid()):
        return _page(request, project, data, options)
    try:
        run = training_start(
            project=project, chosen=data.chosen, options=options.options, act=act_of(request)
        )
    except Refused as refused:
        if refused.status == HTTPStatus.CONFLICT:
            messages.error(request, str(refused))
            return redirect("annotation:models", project=project.slug)
        data.add_error(None, str(refused))
        return _page(request, project, data, options)
    tasks.TRAINING_TASKS.enqueue(run.pk)
    return redirect("annotation:training", project=project.slug, number=run.number)


def _forms(
    request: SignedInRequest, project: Project, *, bound: bool = False
) -> tuple[DataForm, OptionsForm]:
    data = request.POST if bound else None
    return _data_form(request, project, data), OptionsForm(data, name=name_for(project))


def _data_form(request: SignedInRequest, project: Project, data: Any) -> DataForm:
    return DataForm(
        data,
        people=answerers_of(project),
        helpers=access.helpers_for(request.user, project),
        settled=has_gold(project),
    )


def _amount(project: Project, chosen: TrainingSelection) -> dict[str, Any]:
    try:
        check_count(project, chosen)
    except Refused as error:
        return {"too_many": str(error)}
    amount, book = material_amount(training_material(project, chosen)), label_book(project)
    labels = [(book[name], words, words < FEW_WORDS) for name, words in amount["labels"].items()]
    return {
        "amount": amount,
        "needed": FEWEST,
        "missing": max(0, FEWEST - amount["texts"]),
        "others": answers_of_other_inventories(project).count(),
        "labels": labels,
        "has_few": any(few for _, _, few in labels),
    }


def _list(request: SignedInRequest, project: Project, **context: Any) -> HttpResponse:
    rows, in_use = training_rows(project), ""
    # Its files may be gone, which the registry tells.
    with suppress(ScoringError):
        in_use = identity_in_use()
    shown = {
        "project": project,
        "rows": rows,
        "under_way": next((run for run, _ in rows if run.under_way), None),
        "in_use": in_use,
        "manages": False,
        **context,
    }
    return show_page(request, "training/models", shown)


def _page(
    request: SignedInRequest, project: Project, data: DataForm, options: OptionsForm
) -> HttpResponse:
    chosen = data.chosen if data.is_valid() else data.first
    forms = {"data_form": data, "options_form": options, "manages": True}
    return _list(request, project, **forms, **_amount(project, chosen))


MOST_SHOWN = 20
PEOPLE, LABELLER = "people", "the labeller"


@signed_in_page
def training(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Show a training: its progress, or what was measured."""
    run = access.training_for(request.user, project, number)
    manages = access.has_role(request.user, run.project, Role.MANAGER)
    # Those of the projects that helped which the reader may know of.
    helped = access.projects_of(request.user).filter(pk__in=run.chosen["projects"])
    known = helped.values_list("pk", flat=True)
    context = {
        "project": run.project,
        "run": run,
        "manages": manages,
        "downloads": manages and access.manages_all(request.user, run.chosen["projects"]),
        "command": command_of(run),
        "chosen": selection_summary(run, named=manages, known=known),
        "options": option_rows(run),
        **_progress(run),
    }
    report = training_report(run)
    if report is not None:
        context |= _report(run, report, reader=request.user if manages else None)
    return render(request, "annotation/training/training.html", context)


@signed_in_part("annotation:training")
def progress(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Show the progress of a training: a part of its page, which polls it."""
    run = access.training_for(request.user, project, number)
    context = {"project": run.project, "run": run, **_progress(run)}
    return render(request, "annotation/training/_progress.html", context)


@signed_in_page
def captions(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """List the captions with words that people call ``?given=`` and the labeller ``?found=``."""
    run = access.training_to_change(request.user, project, number)
    report = training_report(run)
    if report is None:
        raise Http404
    by_people, by_labeller = request.GET.get("given", ""), request.GET.get("found", "")
    if (by_people or by_labeller) and not {by_people, by_labeller} <= set(report.labels):
        raise Http404
    book = label_book(run.project)
    rows = errors_between(report, by_people, by_labeller)
    context = {
        "project": run.project,
        "run": run,
        "report": report,
        "given": book[by_people] if by_people else None,
        "found": book[by_labeller] if by_labeller else None,
        "words": report.count(by_people, by_labeller) if by_people else None,
        "rows": _errors(run, rows, book, request.user, (by_people, by_labeller)),
    }
    return render(request, "annotation/training/captions.html", context)


@signed_in_page
def data(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Send exactly the captions that a training learned from."""
    run = access.training_data_for(request.user, project, number)
    content = gzip.decompress(bytes(run.data.content))
    name = f"{run.project.slug}-training-{run.number}.jsonl"
    return attachment(content, name, "application/jsonl")


@signed_in_act()
def cancel(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Cancel a training."""
    run = access.training_to_change(request.user, project, number)
    with refusal_told(request):
        at_once = training_cancel(run=run, act=act_of(request))
        text = "The training is cancelled." if at_once else "The training stops at its next step."
        messages.success(request, text)
    return _back(run)


@signed_in_act()
def again(request: SignedInRequest, project: str, number: int) -> HttpResponse:
    """Let a training that failed or was cancelled go on."""
    run = access.training_to_change(request.user, project, number)
    with refusal_told(request):
        training_retry(run=run, act=act_of(request))
        tasks.TRAINING_TASKS.enqueue(run.pk)
        messages.success(request, "The training goes on from its last finished epoch.")
    return _back(run)


def _back(run: TrainingRun) -> HttpResponse:
    return redirect("annotation:training", project=run.project.slug, number=run.number)


def _progress(run: TrainingRun) -> dict[str, Any]:
    """How far a training is, by the notes of its worker.

    ``share`` is of the present stage, 0 to 1, None before it; ``epochs`` are those that ended.
    """
    notes: dict[str, Any] = run.told
    total = int(notes.get("total") or 0)
    epochs = [row for row in notes.get("rows", []) if row.get("ended")]
    loss, f1 = (epochs_figure(epochs, name) for name in ("loss", "f1"))
    return {
        "share": min(1.0, int(notes.get("done") or 0) / total) if total else None,
        "epochs": epochs,
        "several": len({row["stage"] for row in epochs}) > 1,
        "loss": loss,
        "f1": f1,
        "loss_data": json.dumps(loss.plot),
        "f1_data": json.dumps(f1.plot),
    }


def _report(run: TrainingRun, report: TrainingReport, *, reader: User | None) -> dict[str, Any]:
    """The report's figures; ``reader`` is the manager who reads captions too."""
    book, steps = label_book(run.project), curve_of(report.stored)
    page = reverse("annotation:training-captions", args=[run.project.slug, run.number])

    def address(by_people: str, by_labeller: str) -> str:
        if by_people == by_labeller or reader is None:
            return ""  # of words that were found right there is nothing to open
        return f"{page}?{urlencode({'given': by_people, 'found': by_labeller})}"

    return {
        "report": report,
        "columns": [
            "This labeller",
            *([f"{run.options['folds']} folds"] if report.folds else []),
            *(["In use then"] if report.comparison.get("scores") else []),
        ],
        "scale": Scale(0, 1),
        "labels": [(book[name], scores) for name, scores in report.per_label],
        "confusion": confusion_figure(
            report.labels, report.counts, (PEOPLE, LABELLER), book.title_of, address
        ),
        "confusions": [
            {"a": book[a], "b": book[b], "count": count, "address": address(a, b)}
            for a, b, count in report.confusions
        ],
        "errors": _errors(run, report.errors[:MOST_SHOWN], book, reader) if reader else [],
        "curve": curve_figure(steps) if steps else None,
        "curve_said": curve_summary(steps, report.own["captions"]),
    }


def _errors(
    run: TrainingRun,
    errors: list[dict[str, Any]],
    book: LabelBook,
    reader: User,
    cell: tuple[str, str] = ("", ""),
) -> list[dict[str, Any]]:
    """Put under the words of captions what people and the labeller call them."""
    items = items_of(run.project, errors)
    rows = []
    people = annotators_of(run, errors, items.values(), reader)
    for error, person in zip(errors, people, strict=True):
        by_people, by_labeller = tuple(error["given"]), tuple(error["found"])
        pairs = list(zip(by_people, by_labeller, strict=True))
        marked = tuple(
            at for at, pair in enumerate(pairs) if (pair == cell if cell[0] else pair[0] != pair[1])
        )
        words = tuple(error["words"])
        rows.append(
            {
                "gloss": labelled_words(words, (by_people, by_labeller), book, marked),
                "wrong": sum(a != b for a, b in pairs),
                "of": len(words),
                "person": person,
                "item": items.get(" ".join(words)),
            }
        )
    return rows
