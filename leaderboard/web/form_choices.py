"""Choices of a form that only the data of its page tell."""

from typing import Any

from django import forms


def offer(form: forms.BaseForm, name: str, choices: Any, initial: Any = None) -> None:
    """Give a field its choices, or the rows to choose from, and what is chosen at first."""
    field = form.fields[name]
    if isinstance(field, forms.ModelChoiceField):
        field.queryset = choices
    elif isinstance(field, forms.ChoiceField):
        field.choices = list(choices)
    if initial is not None:
        field.initial = initial
