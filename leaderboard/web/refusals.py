"""The one refusal: what somebody asked for is not done, and a sentence says why."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from earmark.captions import Fault


class Refused(Exception):
    """Nothing was done; the text says why, and what can be done instead.

    ``status`` is the HTTP status of page and API. ``field`` names the field of the form that it is
    about, empty where it is about all of it. ``faults`` are those of a file. ``more`` are further
    fields of the API's answer.
    """

    def __init__(
        self,
        text: str,
        *,
        status: int = 409,
        field: str = "",
        faults: Sequence[Fault] = (),
        **more: Any,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.field = field
        self.faults = tuple(faults)
        self.more = more


@contextmanager
def refusal_told(request: HttpRequest) -> Iterator[None]:
    """Tell on the next page why what stands in the block was refused, and go on after it."""
    try:
        yield
    except Refused as refused:
        messages.error(request, str(refused))


@contextmanager
def refusal_shown(context: dict[str, Any], name: str = "refused") -> Iterator[None]:
    """Tell on the page that follows why what stands in the block was refused."""
    try:
        yield
    except Refused as refused:
        context[name] = str(refused)


@contextmanager
def refusal_in(form: BaseForm) -> Iterator[None]:
    """Tell in the form why what stands in the block was refused, and go on after it."""
    try:
        yield
    except Refused as refused:
        form.add_error(refused.field or None, str(refused))
