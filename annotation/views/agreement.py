"""How people agree on a project's captions."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import access
from annotation.agreement.captions import Caption, Dispute, pairs_of, where_said
from annotation.agreement.literature import LITERATURE
from annotation.agreement.measures import ALPHA, KAPPA, LABEL_F1, OF_PAIR, PairAgreement
from annotation.models import Project, Role
from annotation.selectors.agreeing import NoSuchPair, Pair, agreement_of, pair_chosen
from annotation.selectors.agreement import agreement_stamp, reading_of
from annotation.selectors.figures import confusion_figure, trend_figure
from annotation.selectors.label_book import Gloss, LabelBook, glosses, label_book
from annotation.selectors.people import Eye, people_of
from leaderboard.selectors.scales import Scale
from leaderboard.views.kept import part_of_page
from leaderboard.views.requests import SignedInRequest

MOST_DISPUTED = 25
A_PAGE = 50
_WHOLE = Scale(0, 1)


@login_required
@require_safe
@never_cache
def agreement(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how people agree: ``?one=`` and ``?other=`` choose the pair."""
    found = access.agreement_for(request.user, project)
    eye, asked = _eye(request, found), (_number(request, "one"), _number(request, "other"))
    settles = access.has_role(request.user, found, Role.ADJUDICATOR)
    part = part_of_page(
        request,
        "annotation/_agreement.html",
        (agreement_stamp(found), eye, asked, settles, found.name, found.closed),
        lambda: _agreement(found, eye, asked) | {"settles": settles},
    )
    context = {"project": found, "part": part, "settles": settles}
    return render(request, "annotation/agreement.html", context)


def _eye(request: SignedInRequest, project: Project) -> Eye:
    named = access.has_role(request.user, project, Role.MANAGER)
    return Eye(named=named, own=str(request.user.pk))


def _number(request: HttpRequest, name: str) -> int | None:
    told = request.GET.get(name, "")
    if not told:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise Http404
    return int(told)


def _agreement(project: Project, eye: Eye, asked: tuple[int | None, int | None]) -> dict[str, Any]:
    try:
        reading, told = agreement_of(project, eye, *asked)
    except NoSuchPair as error:
        raise Http404 from error
    if told is None:
        return {"project": project, "reading": reading}
    book, pair, found = label_book(project), told.pair, told.found
    names = pair[0].name, pair[1].name
    return {
        "project": project,
        "reading": reading,
        "literature": LITERATURE,
        "words": sum(len(caption.words) for caption in reading.captions),
        "pair": pair,
        "pairs": told.pairs,
        "alpha": (ALPHA, told.alpha),
        "measures": [(row, found.measures[row.name]) for row in OF_PAIR],
        "label_f1": LABEL_F1,
        "labels": [(book[row.name], row) for row in found.labels if row.one or row.other],
        "confusions": _confusions(project, found, pair, book),
        "confusion": confusion_figure(
            found, names, book, lambda a, b: _address(project, pair, a, b)
        ),
        "trend": trend_figure(told.trend, KAPPA.title, f"{names[0]} and {names[1]}"),
        "disputes": {
            "count": len(told.disputes),
            "rows": [_dispute(row, book) for row in told.disputes[:MOST_DISPUTED]],
        },
        "scale": _WHOLE,
    }


def _address(project: Project, pair: Pair, a: str, b: str) -> str:
    asked = {"one": pair[0].number, "other": pair[1].number, "a": a, "b": b}
    page = reverse("annotation:agreement-captions", args=[project.slug])
    return f"{page}?{urlencode(asked)}"


def _confusions(
    project: Project, found: PairAgreement, pair: Pair, book: LabelBook
) -> list[dict[str, Any]]:
    """Give the cells off the diagonal that have words, most first, with their addresses."""
    cells = [
        (count, found.names[row], found.names[column])
        for row, line in enumerate(found.table)
        for column, count in enumerate(line)
        if count and row != column
    ]
    cells.sort(key=lambda cell: -cell[0])
    return [
        {"a": book[a], "b": book[b], "count": count, "address": _address(project, pair, a, b)}
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


@login_required
@require_safe
@never_cache
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """List the captions with words that ``?one=`` calls ``?a=`` and ``?other=`` calls ``?b=``."""
    found = access.agreement_for(request.user, project)
    reading = reading_of(found)
    people, pairs = people_of(reading, _eye(request, found)), pairs_of(reading.captions)
    try:
        pair = pair_chosen(people, pairs, _number(request, "one"), _number(request, "other"))
    except NoSuchPair as error:
        raise Http404 from error
    a, b = request.GET.get("a", ""), request.GET.get("b", "")
    if a not in reading.names or b not in reading.names:
        raise Http404
    book, keys = label_book(found), (pair[0].key, pair[1].key)
    rows = where_said(reading.captions, *keys, a, b)
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": found,
        "pair": pair,
        "a": book[a],
        "b": book[b],
        "words": sum(len(words) for _, words in rows),
        "page": page,
        "query": urlencode({"one": pair[0].number, "other": pair[1].number, "a": a, "b": b}),
        "settles": access.has_role(request.user, found, Role.ADJUDICATOR),
        "rows": [
            {
                "item": caption.key,
                "gloss": glosses(
                    caption.words, tuple(caption.said[key].labels for key in keys), book, words
                ),
            }
            for caption, words in page
        ],
    }
    return render(request, "annotation/agreement_captions.html", context)
