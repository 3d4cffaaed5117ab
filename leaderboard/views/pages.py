"""What views share: what pages are given, how forms, questions and conflicts are answered."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from http import HTTPStatus
from itertools import islice
from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.forms.challenges import MAX_TEXT
from leaderboard.models import Phase
from leaderboard.selectors.organising.challenges import images_of
from leaderboard.selectors.organising.overview import last_change
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act

M = TypeVar("M", bound=Model)
F = TypeVar("F")
V = TypeVar("V", bound=Callable[..., HttpResponseBase])


def with_acts(**acts: Callable[..., HttpResponseBase]) -> Callable[[V], V]:
    """A page to whose address its acts are posted, too: the button's ``act`` says which.

    404 where it is none of ``acts``, which see to rights and rates by themselves (``act_on``).
    What is posted without an ``act`` is the page's own form. A link with ``?act=`` leads to the
    page of an act that has one, whose form is sent to where it stands.
    """

    def decorate(page: V) -> V:
        @wraps(page)
        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            name = request.POST.get("act", request.GET.get("act"))
            if name is not None and name not in acts:
                raise Http404
            return (page if name is None else acts[name])(request, *args, **kwargs)

        view: Any = asked
        view.acts = acts
        return view  # type: ignore[no-any-return]

    return decorate


def act_on(
    find: Callable[..., F],
    group: str = "",
    rate: str = "",
    *,
    told: Callable[[SignedInRequest], AbstractContextManager[None]] = refusal_told,
) -> Callable[[Callable[[SignedInRequest, F], HttpResponse | None]], Callable[..., HttpResponse]]:
    """What a button does with what ``find`` finds for a person at the address of its page.

    A refusal is told; the page follows, unless the act has an answer of its own.
    """

    def decorate(act: Callable[[SignedInRequest, F], HttpResponse | None]) -> Any:
        @signed_in_act(group, rate)
        @wraps(act)
        def acted(request: SignedInRequest, **address: str) -> HttpResponse:
            found, answer = find(request.user, *address.values()), None
            with told(request):
                answer = act(request, found)
            return answer or redirect(request.get_full_path())

        return acted

    return decorate


def row_named(request: HttpRequest, name: str, rows: QuerySet[M]) -> M:
    """The row whose number a form or a link has as ``name``; 404 where it is none of ``rows``."""
    number = request.POST.get(name, request.GET.get(name, ""))
    return get_object_or_404(rows, pk=number if number.isdecimal() and len(number) < 19 else 0)


def phase_context(phase: Phase) -> dict[str, Any]:
    """What every page of a phase is given."""
    return {"phase": phase, "challenge": phase.challenge}


def system_context(submission: AnySubmission) -> dict[str, Any]:
    """What every page of a system is given."""
    return {"submission": submission, **phase_context(submission.phase)}


def form_rendered(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, refused: int | None = None
) -> HttpResponse:
    """The page of the ``form`` in ``context``: where it was sent and is shown again 422.

    ``refused``: the status where it was valid and refused all the same.
    """
    status = HTTPStatus.UNPROCESSABLE_ENTITY if context["form"].is_bound else HTTPStatus.OK
    return render(request, template, dict(context), status=refused or status)


def text_rendered(
    request: HttpRequest, template: str, context: dict[str, Any], field: str
) -> HttpResponse:
    """The page of a ``form``; its ``field`` is Markdown of a ``challenge``, shown as asked."""
    if "preview" not in request.POST:
        return form_rendered(request, template, context)
    previewed = request.POST.get(field, "")[:MAX_TEXT]
    context |= {"previewed": previewed, "images": images_of(context["challenge"])}
    return render(request, template, context)


def asked_rendered(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """The page that asks whether to act: 409 where it was confirmed and is shown again.

    Where the question is the answer to an ``act``, that is sent again as ``confirmed``.
    """
    asks = request.method != "POST" or ("act" in request.POST and "confirmed" not in request.POST)
    status = HTTPStatus.OK if asks else HTTPStatus.CONFLICT
    return render(request, template, dict(context), status=status)


def csv_streamed(lines: Iterable[str], file_name: str) -> StreamingHttpResponse:
    """A download of CSV, line by line."""
    return StreamingHttpResponse(
        lines,
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{file_name}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def in_chunks(rows: QuerySet[M], size: int = 500) -> Iterator[list[M]]:
    """Rows of any number, so many in memory at a time."""
    left = rows.iterator(chunk_size=size)
    while chunk := list(islice(left, size)):
        yield chunk


logger = logging.getLogger(__name__)

_FOREIGN = ("Origin checking failed", "Referer checking failed")


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 with why: the form came from another address, or is too old."""
    sent = ""
    if reason.startswith(_FOREIGN):
        sent = (request.headers.get("Origin") or request.headers.get("Referer", ""))[:200]
        logger.warning(
            "A form came from %r and was refused: the site is at %s. If people open the site at "
            "the first address, set SITE_URL to it.",
            sent,
            settings.SITE_URL,
        )
    context = {"sent": sent, "site_url": settings.SITE_URL}
    return render(request, "403_csrf.html", context, status=HTTPStatus.FORBIDDEN)


def conflict_of(
    error: ChangedMeanwhile, form: forms.Form, fresh: forms.Form, sent: QueryDict, *, target: object
) -> dict[str, Any]:
    """Who saved in the meantime, and what; ``fresh`` is the form of what is stored now.

    ``differences`` are the labels of fields that were written otherwise, with what is stored.
    ``form`` gets the version of now: to save it again replaces what the other saved.
    """
    data = sent.copy()
    data["version"] = str(fresh.initial["version"])
    form.data = data
    differences = [
        (str(form.fields[name].label), _display_value(fresh, name))
        for name in error.values
        if form.cleaned_data.get(name) != error.values[name]
    ]
    return {"who": last_change(target), "differences": differences}


def _display_value(form: forms.Form, name: str) -> str:
    value = form[name].value()
    field = form.fields[name]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", []):
        return "empty"
    if isinstance(field, forms.ChoiceField):
        labels = dict(_flat(field.choices))
        chosen = value if isinstance(value, list) else [value]
        return ", ".join(labels.get(str(one), str(one)) for one in chosen)
    return str(value)


def _flat(choices: Any) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for value, label in choices:
        if isinstance(label, list | tuple):
            pairs += [(str(inner), str(text)) for inner, text in label]
        else:
            pairs.append((str(value), str(label)))
    return pairs
