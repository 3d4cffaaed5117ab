"""No page has two landmarks of one kind and name, between which nobody could choose."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

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
