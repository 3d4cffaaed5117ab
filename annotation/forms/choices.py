"""Fields that several forms have, and what one may be set to, where only the request tells."""

from typing import Any

from django import forms


def offer(form: forms.BaseForm, name: str, choices: Any, initial: Any = None) -> None:
    """Give a field its choices, or the rows to choose from, and what is chosen at first."""
    field = form.fields[name]
    if isinstance(field, forms.ModelChoiceField):
        field.queryset = choices
    elif isinstance(field, forms.ChoiceField):
        field.choices = choices
    if initial is not None:
        field.initial = initial


def seed_field(first: int, help_text: str = "") -> forms.IntegerField:
    """A seed, which databases keep as a whole number."""
    return forms.IntegerField(
        label="Seed", min_value=0, max_value=2**31 - 1, initial=first, help_text=help_text
    )
