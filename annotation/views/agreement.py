"""How people agree on a project's captions."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import access
from annotation.agreement.captions import Caption, Dispute
from annotation.agreement.literature import LITERATURE
from annotation.agreement.measures import ALPHA, KAPPA, LABEL_F1, OF_PAIR
from annotation.models import Project, Role
from annotation.selectors.agreeing import Agreement, NoSuchPair, Pair, agreement_of
from annotation.selectors.agreement import Answers, agreement_stamp
from annotation.selectors.figures import confusion_figure, trend_figure
from annotation.selectors.label_book import Gloss, LabelBook, glosses, label_book
from annotation.selectors.people import Eye
from annotation.services.lateness import agreement_seen
from leaderboard.selectors.scales import Scale
from leaderboard.views.kept import part_of_page
from leaderboard.views.requests import SignedInRequest

MOST_DISPUTED = 25
# Who said what where that is not told.
ANYONE = ("one person", "another")
_WHOLE = Scale(0, 1)
WAYS = (
    (Answers.FIRST, "Answers as first accepted"),
    (Answers.NOW, "Answers as they stand now"),
)


@login_required
@require_safe
@never_cache
def agreement(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how people agree: ``?one=`` and ``?other=`` choose the pair, ``?answers=`` which."""
    found = access.agreement_for(request.user, project)
    agreement_seen(project=found, user=request.user, now=timezone.now())
    eye, answers = access.eye_for(request.user, found), answers_in(request)
    asked = number_in(request, "one"), number_in(request, "other")
    settles = access.has_role(request.user, found, Role.ADJUDICATOR)
    part = part_of_page(
        request,
        "annotation/_agreement.html",
        (agreement_stamp(found), eye, asked, answers, settles, found.name, found.closed),
        lambda: _agreement(found, eye, asked, answers) | {"settles": settles},
    )
    people = {name: number for name, number in zip(("one", "other"), asked, strict=True) if number}
    context = {
        "project": found,
        "part": part,
        "settles": settles,
        "ways": [
            (title, f"?{urlencode(people | {'answers': way.value})}", way == answers)
            for way, title in WAYS
        ],
    }
    return render(request, "annotation/agreement.html", context)


def number_in(request: HttpRequest, name: str) -> int | None:
    """Read the number of a person; what is none is not found."""
    told = request.GET.get(name, "")
    if not told:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise Http404
    return int(told)


def answers_in(request: HttpRequest) -> Answers:
    """Read which answers are to be compared; what is none is not found."""
    try:
        return Answers(request.GET.get("answers", Answers.FIRST))
    except ValueError as error:
        raise Http404 from error


def _agreement(
    project: Project, eye: Eye, asked: tuple[int | None, int | None], answers: Answers
) -> dict[str, Any]:
    try:
        reading, told = agreement_of(project, eye, *asked, answers)
    except NoSuchPair as error:
        raise Http404 from error
    if told is None:
        return {"project": project, "reading": reading}
    book, pair, found = label_book(project), told.pair, told.found
    rows, columns = ANYONE if told.blind else (pair[0].name, pair[1].name)

    def address(a: str, b: str) -> str:
        return _address(project, None if told.blind else pair, a, b, answers)

    return {
        "project": project,
        "reading": reading,
        "more": "" if answers == Answers.FIRST else f"&answers={answers}",
        "literature": LITERATURE,
        "words": sum(len(caption.words) for caption in reading.captions),
        "pair": pair,
        "pairs": told.pairs,
        "alpha": (ALPHA, told.alpha),
        "measures": [(row, found.measures[row.name]) for row in OF_PAIR],
        "label_f1": LABEL_F1,
        "labels": [(book[row.name], row) for row in found.labels if row.one or row.other],
        "blind": told.blind,
        "callers": (rows, columns),
        "confusions": _confusions(told, book, address),
        "confusion": confusion_figure(found.names, told.table, (rows, columns), book, address),
        "trend": trend_figure(told.trend, KAPPA.title, f"{pair[0].name} and {pair[1].name}"),
        "disputes": {
            "count": len(told.disputes),
            "rows": [_dispute(row, book) for row in told.disputes[:MOST_DISPUTED]],
        },
        "scale": _WHOLE,
    }


def _address(project: Project, pair: Pair | None, a: str, b: str, answers: Answers) -> str:
    """Give the page of a cell; without a pair that of any two people."""
    people = {} if pair is None else {"one": pair[0].number, "other": pair[1].number}
    page = reverse("annotation:agreement-captions", args=[project.slug])
    way = {} if answers == Answers.FIRST else {"answers": answers.value}
    return f"{page}?{urlencode(people | {'a': a, 'b': b} | way)}"


def _confusions(
    told: Agreement, book: LabelBook, address: Callable[[str, str], str]
) -> list[dict[str, Any]]:
    """Give the cells off the diagonal that have words, most first, with their addresses.

    Where both ways are counted alike, each two labels come once.
    """
    names = told.reading.names
    cells = [
        (count, names[row], names[column])
        for row, line in enumerate(told.table)
        for column, count in enumerate(line)
        if count and (row < column if told.blind else row != column)
    ]
    cells.sort(key=lambda cell: -cell[0])
    return [
        {"a": book[a], "b": book[b], "count": count, "address": address(a, b)}
        for count, a, b in cells
    ]


def _dispute(dispute: Dispute, book: LabelBook) -> dict[str, Any]:
    return {
        "item": dispute.caption.key,
        "words": len(dispute.words),
        "of": len(dispute.caption.words),
        "share": dispute.share,
        "text": _marked(dispute.caption, dispute.words, book),
    }


def _marked(caption: Caption, words: tuple[int, ...], book: LabelBook) -> list[Gloss]:
    said = tuple(labelling.labels for labelling in caption.said.values())
    return glosses(caption.words, said, book, words)
