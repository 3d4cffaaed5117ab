"""Forms drawn by functions say what Django's own templates say."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.test import SimpleTestCase
from django.utils.functional import lazystr
from django.utils.safestring import mark_safe

from leaderboard.web.form_renderer import FormRenderer

HOSTILE = """<b>'"&</b>"""
CHOICES: list[Any] = [
    ("", "any"),
    ("a", HOSTILE),
    (HOSTILE, mark_safe("<i>told</i>")),
    ("Group <b>", [(1, "one"), (2, lazystr("two"))]),
]


class EveryWidget(forms.Form):
    """A field for each widget that the renderer writes, and some that it leaves to Django."""

    text = forms.CharField(help_text="Said <b>.", max_length=9)
    told = forms.CharField(widget=forms.TextInput(attrs={"hidden": True, "x": False, "y": HOSTILE}))
    number = forms.FloatField(widget=forms.NumberInput(attrs={"step": 0.5}))
    whole = forms.IntegerField(min_value=1, max_value=12345)
    secret = forms.CharField(widget=forms.PasswordInput)
    email = forms.EmailField()
    address = forms.URLField(assume_scheme="https")
    day = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}))
    file = forms.FileField(widget=forms.FileInput(attrs={"accept": ".csv"}))
    kept = forms.FileField(required=False)
    many = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}))
    hidden = forms.CharField(widget=forms.HiddenInput)
    box = forms.BooleanField()
    one = forms.ChoiceField(choices=CHOICES)
    several = forms.MultipleChoiceField(choices=CHOICES)
    radio = forms.ChoiceField(choices=CHOICES[:3], widget=forms.RadioSelect)
    boxes = forms.MultipleChoiceField(choices=CHOICES, widget=forms.CheckboxSelectMultiple)
    known = forms.NullBooleanField()


DATA: dict[str, Any] = {
    "text": f"{HOSTILE} and too long",
    "told": HOSTILE,
    "number": "1234.5",
    "whole": "0",
    "many": f"\n{HOSTILE}\n",
    "hidden": HOSTILE,
    "box": "on",
    "one": HOSTILE,
    "several": ["a", "2"],
    "radio": "a",
    "boxes": ["a", HOSTILE],
    "known": "true",
}
FORMS: dict[str, Callable[[Any], EveryWidget]] = {
    "empty": lambda renderer: EveryWidget(renderer=renderer),
    "filled": lambda renderer: EveryWidget(initial=DATA, renderer=renderer),
    "sent": lambda renderer: EveryWidget(DATA, renderer=renderer),
    "nothing sent": lambda renderer: EveryWidget({}, renderer=renderer),
}


def without_spaces(html: str) -> str:
    """Without the spaces between elements, which Django's templates have."""
    return re.sub(r">\s+<", "><", html)


@pytest.mark.parametrize("name", FORMS)
def test_fields_are_as_django_draws_them(name: str) -> None:
    ours, django = FORMS[name](FormRenderer()), FORMS[name](DjangoTemplates())
    for field in EveryWidget.base_fields:
        assert without_spaces(str(ours[field])) == without_spaces(str(django[field]))
        assert str(ours[field].errors) == str(django[field].errors)
    for field in ("radio", "boxes"):
        both = zip(ours[field].subwidgets, django[field].subwidgets, strict=True)
        for mine, other in both:
            assert mine.tag() == other.tag()
            assert str(mine).split() == str(other).split()
    SimpleTestCase().assertHTMLEqual(str(ours), str(django))


def test_it_draws_the_forms_of_the_site() -> None:
    assert isinstance(get_default_renderer(), FormRenderer)
