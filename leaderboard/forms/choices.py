"""Choices that only the data of a page tell."""

from collections.abc import Iterable
from typing import Any

from django import forms


def offer(form: forms.Form, name: str, choices: Iterable[tuple[str, Any]]) -> None:
    """Let a field of a form offer these choices."""
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = list(choices)
