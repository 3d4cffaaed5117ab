"""Forms are drawn by Jinja2 as by Django's own templates, hostile text included."""

from django import forms
from django.contrib.admin.widgets import AdminDateWidget
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.test import SimpleTestCase

from leaderboard.web.form_renderer import FormRenderer

HOSTILE = """<b>'"&</b>"""


class EveryKind(forms.Form):
    """A field of each kind that pages have, and one that only the administration has."""

    text = forms.CharField(help_text="Said <b>.", widget=forms.TextInput(attrs={"x": HOSTILE}))
    many = forms.CharField(widget=forms.Textarea)
    box = forms.BooleanField()
    one = forms.ChoiceField(choices=[("a", HOSTILE), ("Group <b>", [(HOSTILE, "one")])])
    boxes = forms.MultipleChoiceField(
        choices=[(HOSTILE, HOSTILE), ("b", "b")], widget=forms.CheckboxSelectMultiple
    )
    day = forms.DateField(widget=AdminDateWidget)


def test_forms_are_drawn_as_by_the_usual_templates() -> None:
    sent = {"text": "", "many": f"\n{HOSTILE}", "one": HOSTILE, "boxes": [HOSTILE], "day": HOSTILE}
    ours, usual = (EveryKind(sent, renderer=made()) for made in (FormRenderer, DjangoTemplates))
    SimpleTestCase().assertHTMLEqual(str(ours), str(usual))
    assert HOSTILE not in str(ours)


def test_it_draws_the_forms_of_the_site() -> None:
    assert isinstance(get_default_renderer(), FormRenderer)
