"""How people agree on a project's captions."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from annotation import access
from annotation.agreement.captions import Caption, pairs_of, where_either_said, where_said
from annotation.agreement.measures import ALPHA, KAPPA, LABEL_F1, LITERATURE, OF_PAIR
from annotation.models import Project, Role
from annotation.selectors.agreement.answers import AgreementData, AnswerVersion, agreement_stamp
from annotation.selectors.agreement.report import (
    AgreementReport,
    AgreementViewer,
    Pair,
    agreement_data_for,
    agreement_report,
    chosen_pair,
    people_in,
    trend_figure,
)
from annotation.selectors.labels import LabelBook, LabelledWord, label_book, labelled_words
from annotation.services.answers import agreement_note_shown
from annotation.views.pages import whole_number
from leaderboard.selectors.figures.labellers import confusion_figure
from leaderboard.selectors.labellers.scores import cells_off_diagonal
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.web.page_cache import cached_fragment
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_page

MOST_DISPUTED = 25
# Names of a pair where the viewer may not know who gave which label.
ANYONE = ("one person", "another")
_WHOLE = Scale(0, 1)
WAYS = (
    (AnswerVersion.FIRST, "Answers as first accepted"),
    (AnswerVersion.NOW, "Answers as they are now"),
)


@signed_in_page
def agreement(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how people agree: ``?one=`` and ``?other=`` choose the pair, ``?answers=`` which."""
    found = access.agreement_for(request.user, project)
    agreement_note_shown(project=found, user=request.user, now=timezone.now())
    viewer, answers = access.viewer_for(request.user, found), answers_in(request)
    numbers = number_in(request, "one"), number_in(request, "other")
    settles = access.has_role(request.user, found, Role.ADJUDICATOR)
    part = cached_fragment(
        request,
        "annotation/agreement/_agreement.html",
        (agreement_stamp(found), viewer, numbers, answers, settles, found.name, found.closed),
        lambda: _agreement(found, viewer, numbers, answers) | {"settles": settles},
    )
    people = {
        name: number for name, number in zip(("one", "other"), numbers, strict=True) if number
    }
    context = {
        "project": found,
        "part": part,
        "settles": settles,
        "manages": viewer.named,
        "ways": [
            (title, f"?{urlencode(people | {'answers': way.value})}", way == answers)
            for way, title in WAYS
        ],
    }
    return render(request, "annotation/agreement/agreement.html", context)


def number_in(request: HttpRequest, name: str) -> int | None:
    """Read the number of a person; what is none is not found."""
    text = request.GET.get(name, "")
    if not text:
        return None
    number = whole_number(text)
    if number is None:
        raise Http404
    return number


def answers_in(request: HttpRequest) -> AnswerVersion:
    """Read which answers are to be compared; what is none is not found."""
    try:
        return AnswerVersion(request.GET.get("answers", AnswerVersion.FIRST))
    except ValueError as error:
        raise Http404 from error


def _agreement(
    project: Project,
    viewer: AgreementViewer,
    numbers: tuple[int | None, int | None],
    answers: AnswerVersion,
) -> dict[str, Any]:
    try:
        data, report = agreement_report(project, viewer, *numbers, answers)
    except Refused as error:
        raise Http404 from error
    if report is None:
        return {"project": project, "data": data}
    book, pair, measured = label_book(project), report.pair, report.measured
    rows, columns = ANYONE if report.blind else (pair[0].name, pair[1].name)

    page = reverse("annotation:agreement-captions", args=[project.slug])

    def address(a: str, b: str) -> str:
        return f"{page}?{_query(a, b, None if report.blind else pair, answers)}"

    return {
        "project": project,
        "data": data,
        "more": "" if answers == AnswerVersion.FIRST else f"&answers={answers}",
        "literature": LITERATURE,
        "words": sum(len(caption.words) for caption in data.captions),
        "pair": pair,
        "pairs": report.pairs,
        "alpha": (ALPHA, report.alpha),
        "measures": [(row, measured.measures[row.name]) for row in OF_PAIR],
        "label_f1": LABEL_F1,
        "labels": [(book[row.name], row) for row in measured.labels if row.one or row.other],
        "blind": report.blind,
        "callers": (rows, columns),
        "confusions": _confusions(report, book, address),
        "confusion": confusion_figure(
            measured.names, report.table, (rows, columns), book.title_of, address
        ),
        "trend": trend_figure(report.trend, KAPPA.title, f"{pair[0].name} and {pair[1].name}"),
        "disputes": {
            "count": len(report.disputes),
            "rows": [
                {
                    "item": dispute.caption.key,
                    "words": len(dispute.words),
                    "of": len(dispute.caption.words),
                    "share": dispute.share,
                    "text": _marked(dispute.caption, dispute.words, book),
                }
                for dispute in report.disputes[:MOST_DISPUTED]
            ],
        },
        "scale": _WHOLE,
    }


def _confusions(
    report: AgreementReport, book: LabelBook, address: Callable[[str, str], str]
) -> list[dict[str, Any]]:
    """The cells off the diagonal that have words, most first, with their addresses.

    Where both ways are counted alike, each two labels come once.
    """
    names = report.data.names
    cells = cells_off_diagonal(names, report.table)
    if report.blind:
        cells = [cell for cell in cells if names.index(cell[0]) < names.index(cell[1])]
    return [
        {"a": book[a], "b": book[b], "count": count, "address": address(a, b)}
        for a, b, count in cells
    ]


def _marked(
    caption: Caption, words: tuple[int, ...], book: LabelBook, pair: Pair | None = None
) -> list[LabelledWord]:
    """Put the pair's labels under each word; without a pair everyone's, in adjudication's order."""
    people = caption.labellings if pair is None else [person.key for person in pair]
    labels = tuple(caption.labellings[person].labels for person in people)
    return labelled_words(caption.words, labels, book, words)


A_PAGE = 50


@signed_in_page
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """List the captions with words that ``?one=`` calls ``?a=`` and ``?other=`` calls ``?b=``.

    Adjudicators who decide blind get those that any two people call so, either way, with
    labels in the order of adjudication.
    """
    found = access.agreement_for(request.user, project)
    viewer = access.viewer_for(request.user, found)
    agreement_note_shown(project=found, user=request.user, now=timezone.now())
    data = agreement_data_for(found, viewer, answers_in(request))
    (a, b, pair), book = _cell(request, data, viewer), label_book(found)
    if pair is None:
        rows = where_either_said(data.captions, a, b)
    else:
        one, other = (person.key for person in pair)
        rows = where_said(data.captions, one, other, a, b)
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": found,
        "pair": pair,
        "who": [person.name for person in pair] if pair else ANYONE,
        "a": book[a],
        "b": book[b],
        "words": sum(len(words) for _, words in rows),
        "page": page,
        "query": _query(a, b, pair, data.answers),
        "back": "" if data.answers == AnswerVersion.FIRST else f"&answers={data.answers}",
        "settles": access.has_role(request.user, found, Role.ADJUDICATOR),
        "rows": [
            {"item": caption.key, "gloss": _marked(caption, words, book, pair)}
            for caption, words in page
        ],
    }
    return render(request, "annotation/agreement/captions.html", context)


def _cell(
    request: SignedInRequest, data: AgreementData, viewer: AgreementViewer
) -> tuple[str, str, Pair | None]:
    """Which cell is asked for: two labels, "O" for nothing, and the pair, None for any two people.

    One that does not exist is not found.
    """
    a, b = request.GET.get("a", ""), request.GET.get("b", "")
    if a not in data.names or b not in data.names:
        raise Http404
    if viewer.blind:
        return a, b, None
    people, pairs = people_in(data, viewer), pairs_of(data.captions)
    try:
        pair = chosen_pair(people, pairs, number_in(request, "one"), number_in(request, "other"))
    except Refused as error:
        raise Http404 from error
    return a, b, pair


def _query(a: str, b: str, pair: Pair | None, answers: AnswerVersion) -> str:
    way = {} if answers == AnswerVersion.FIRST else {"answers": answers.value}
    people = {} if pair is None else {"one": pair[0].number, "other": pair[1].number}
    return urlencode(people | {"a": a, "b": b} | way)
