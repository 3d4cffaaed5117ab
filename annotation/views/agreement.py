"""How people agree on a project's captions."""

from dataclasses import dataclass
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
from annotation.agreement.captions import Caption, disputes_of, of_pair, pairs_of, where_said
from annotation.agreement.literature import LITERATURE
from annotation.agreement.measures import (
    ALPHA,
    KAPPA,
    LABEL_F1,
    OF_PAIR,
    PairAgreement,
    alpha_of_all,
    pair_agreement,
    pair_kappa,
)
from annotation.agreement.trend import trend_of
from annotation.models import Project, Role
from annotation.selectors.agreement import Reading, agreement_stamp, reading_of
from annotation.selectors.figures import confusion_figure, trend_figure
from annotation.selectors.label_book import LabelBook, glosses, label_book
from annotation.selectors.people import Eye, Person, people_of
from leaderboard.selectors.figures import Figure
from leaderboard.selectors.scales import Scale
from leaderboard.views.kept import part_of_page
from leaderboard.views.requests import SignedInRequest

MOST_DISPUTED = 25
A_PAGE = 50
_WHOLE = Scale(0, 1)


@dataclass(frozen=True, slots=True)
class Asked:
    """The pair that is looked at, by numbers; None: the one with most captions."""

    one: int | None
    other: int | None


@login_required
@require_safe
@never_cache
def agreement(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how people agree: ``?one=`` and ``?other=`` choose the pair."""
    found = access.agreement_for(request.user, project)
    eye, asked = _eye(request, found), _asked(request)
    settles = access.has_role(request.user, found, Role.ADJUDICATOR)
    part = part_of_page(
        "annotation/_agreement.html",
        (agreement_stamp(found), eye, asked, settles, found.name, found.closed),
        lambda: _agreement(found, eye, asked) | {"settles": settles},
    )
    context = {"project": found, "part": part, "settles": settles}
    return render(request, "annotation/agreement.html", context)


def _eye(request: SignedInRequest, project: Project) -> Eye:
    named = access.has_role(request.user, project, Role.MANAGER)
    return Eye(named=named, own=str(request.user.pk))


def _asked(request: HttpRequest) -> Asked:
    return Asked(_number(request, "one"), _number(request, "other"))


def _number(request: HttpRequest, name: str) -> int | None:
    told = request.GET.get(name, "")
    if not told:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise Http404
    return int(told)


def _agreement(project: Project, eye: Eye, asked: Asked) -> dict[str, Any]:
    reading = reading_of(project)
    people, pairs = people_of(reading, eye), pairs_of(reading.captions)
    told: dict[str, Any] = {
        "project": project,
        "reading": reading,
        "literature": LITERATURE,
        "words": sum(len(caption.words) for caption in reading.captions),
    }
    if not pairs:
        return told
    book, pair = label_book(project), _pair(people, pairs, asked)
    found = pair_agreement(reading.captions, pair[0].key, pair[1].key, reading.names)
    return told | {
        "pair": pair,
        "found": found,
        "pairs": _pair_rows(reading, people, pairs, found),
        "alpha": (ALPHA, alpha_of_all(reading.captions, reading.names)),
        "measures": [(row, found.measures[row.name]) for row in OF_PAIR],
        "label_f1": LABEL_F1,
        "labels": [(book[row.name], row) for row in found.labels if row.one or row.other],
        "confusions": _confusions(project, found, pair, book),
        "confusion": confusion_figure(
            found,
            (pair[0].name, pair[1].name),
            book,
            lambda a, b: _address(project, pair, a, b),
        ),
        "trend": _trend(reading, pair),
        "disputes": _disputes(reading, book),
        "scale": _WHOLE,
    }


def _pair(
    people: tuple[Person, ...], pairs: dict[tuple[str, str], int], asked: Asked
) -> tuple[Person, Person]:
    """Choose the pair; who is not known, or has no caption in common with the other, is 404."""
    by_key = {person.key: person for person in people}
    if asked.one is None and asked.other is None:
        one, other = max(pairs, key=lambda pair: (pairs[pair], pair))
        first, second = sorted((by_key[one], by_key[other]), key=lambda person: person.number)
        return first, second
    by_number = {person.number: person for person in people}
    chosen = by_number.get(asked.one or 0), by_number.get(asked.other or 0)
    first_asked, second_asked = chosen
    if first_asked is None or second_asked is None:
        raise Http404
    if tuple(sorted((first_asked.key, second_asked.key))) not in pairs:
        raise Http404
    return first_asked, second_asked


def _pair_rows(
    reading: Reading,
    people: tuple[Person, ...],
    pairs: dict[tuple[str, str], int],
    found: PairAgreement,
) -> list[dict[str, Any]]:
    """Give every pair with its headline, in the order of the people."""
    by_key = {person.key: person for person in people}
    rows = []
    for keys, captions in pairs.items():
        one, other = sorted((by_key[key] for key in keys), key=lambda person: person.number)
        shown = {one.key, other.key} == {found.one, found.other}
        kappa = found.kappa if shown else pair_kappa(reading.captions, *keys, reading.names)
        rows.append(
            {"one": one, "other": other, "captions": captions, "kappa": kappa, "shown": shown}
        )
    return sorted(rows, key=lambda row: (row["one"].number, row["other"].number))


def _address(project: Project, pair: tuple[Person, Person], a: str, b: str) -> str:
    asked = {"one": pair[0].number, "other": pair[1].number, "a": a, "b": b}
    page = reverse("annotation:agreement-captions", args=[project.slug])
    return f"{page}?{urlencode(asked)}"


def _confusions(
    project: Project, found: PairAgreement, pair: tuple[Person, Person], book: LabelBook
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


def _trend(reading: Reading, pair: tuple[Person, Person]) -> Figure:
    keys = pair[0].key, pair[1].key
    shared = of_pair(reading.captions, *keys)
    stretches = trend_of(shared, reading.names, pair=keys)
    return trend_figure(stretches, KAPPA.title, f"{pair[0].name} and {pair[1].name}")


def _disputes(reading: Reading, book: LabelBook) -> dict[str, Any]:
    found = disputes_of(reading.captions)
    return {
        "count": len(found),
        "rows": [
            {
                "item": dispute.caption.key,
                "words": len(dispute.words),
                "of": len(dispute.caption.words),
                "share": dispute.share,
                "text": _marked(dispute.caption, dispute.words, book),
            }
            for dispute in found[:MOST_DISPUTED]
        ],
    }


def _marked(caption: Caption, words: tuple[int, ...], book: LabelBook) -> list[Any]:
    said = tuple(labelling.labels for labelling in caption.said.values())
    return glosses(caption.words, said, book, words)


@login_required
@require_safe
@never_cache
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """List the captions with words that ``?one=`` calls ``?a=`` and ``?other=`` calls ``?b=``."""
    found = access.agreement_for(request.user, project)
    reading = reading_of(found)
    pairs = pairs_of(reading.captions)
    if not pairs:
        raise Http404
    pair = _pair(people_of(reading, _eye(request, found)), pairs, _asked(request))
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
