"""What somebody sees whose changes came after somebody else's: both, and nothing lost."""

from typing import Any

from django import forms
from django.http import QueryDict

from leaderboard.selectors.organising.overview import last_change
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile


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
    found: list[tuple[str, str]] = []
    for value, label in choices:
        if isinstance(label, list | tuple):
            found += [(str(inner), str(text)) for inner, text in label]
        else:
            found.append((str(value), str(label)))
    return found
