"""What somebody sees whose changes came after somebody else's: both, and nothing lost."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from leaderboard.selectors.organising.overview import last_change
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile


@dataclass(frozen=True, slots=True)
class Conflict:
    """Who saved in the meantime, what is stored now, and the form with what was written.

    ``differences`` are the labels of fields that were written otherwise, with what is stored.

    ``form`` has the version of now: to save it again replaces what the other saved.
    """

    form: Any
    who: str
    differences: list[tuple[str, str]]


def conflict_of(
    error: ChangedMeanwhile, form: forms.Form, fresh: forms.Form, sent: QueryDict, *, target: object
) -> Conflict:
    """Compare what was written with what is stored; ``fresh`` is the form of what is stored."""
    data = sent.copy()
    data["version"] = str(fresh.initial["version"])
    form.data = data
    differences = [
        (str(form.fields[name].label), _display_value(fresh, name))
        for name in error.values
        if form.cleaned_data.get(name) != error.values[name]
    ]
    return Conflict(form, last_change(target), differences)


def _display_value(form: forms.Form, name: str) -> str:
    """Write a stored value as its field shows it."""
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
    found: list[tuple[str, str]] = []
    for value, label in choices:
        if isinstance(label, list | tuple):
            found += [(str(inner), str(text)) for inner, text in label]
        else:
            found.append((str(value), str(label)))
    return found
