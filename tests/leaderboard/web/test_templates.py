"""Templates: landmarks have names of their own, and forms are drawn as by Django's."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminDateWidget
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.test import SimpleTestCase

from leaderboard.web.form_renderer import FormRenderer

TEMPLATES = Path(settings.BASE_DIR) / "templates"
INCLUDE = re.compile(r'{%\s*include\s+"([^"]+)"[^%]*%}')
HEADING = re.compile(r'<h\d[^>]*\bid="([^"]+)"[^>]*>(.*?)</h\d>', re.DOTALL)
LANDMARKS = {
    "section": "region",
    "nav": "navigation",
    "aside": "complementary",
    "form": "form",
    "div": "",
}
# One of these is shown, and never both.
EITHER = {("region", "Clips"), ("region", "Captions")}


def whole(path: Path, within: tuple[Path, ...] = ()) -> str:
    """A template with what it includes, each once."""

    def included(found: re.Match[str]) -> str:
        other = TEMPLATES / found[1]
        return whole(other, (*within, path)) if other.is_file() and other not in within else ""

    return INCLUDE.sub(included, path.read_text("utf-8"))


def landmarks(html: str) -> Iterator[tuple[str, str]]:
    """The role and the name of each landmark; names that are made on the page are left out."""
    headings = {
        name: " ".join(re.sub(r"<[^>]+>", "", said).split()) for name, said in HEADING.findall(html)
    }
    for tag, attributes in re.findall(r"<(section|div|form|nav|aside)\b([^>]*)>", html):
        values = dict(re.findall(r'(role|aria-label|aria-labelledby)="([^"]*)"', attributes))
        role = values.get("role", LANDMARKS[tag])
        by = values.get("aria-labelledby", "")
        name = values.get("aria-label") or headings.get(by, by)
        if role in {"region", "navigation", "complementary", "form", "search"} and name:
            yield role, name


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_landmarks_have_names_of_their_own(path: Path) -> None:
    found = Counter(landmarks(whole(path)))
    twice = {one for one, count in found.items() if count > 1 and "{" not in one[1]}
    assert twice - EITHER == set()


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
