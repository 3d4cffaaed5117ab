"""What people read keeps away from wording that was retired, and from exclamation marks."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.source_tree import ROOT

GUIDE = ROOT / "docs" / "style-guide.md"
_ROW = re.compile(r"^\| (.+?) \| .+ \|$", re.MULTILINE)
# Between tags, between quotes of Python and of scripts.
_TEXTS = {
    ".html": re.compile(r">([^<>{}]+)<"),
    ".py": re.compile(r'"([^"\n]+)"'),
    ".js": re.compile(r'["`]([^"`\n]+)["`]'),
}
_PLACES = (
    ("templates", "*.html"),
    ("static/js", "*.js"),
    *(
        (f"{app}/{room}", "*.py")
        for app in ("leaderboard", "annotation")
        for room in ("forms", "views")
    ),
)


def retired() -> list[str]:
    """The wording of the guide's left column, each alternative by itself."""
    first, _, *rows = _ROW.findall(GUIDE.read_text(encoding="utf-8"))
    assert first == "Instead of"
    return [text for row in rows for text in row.split(" / ")]


def texts(path: Path) -> Iterator[str]:
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        content = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", "<>", content, flags=re.DOTALL)
    for found in _TEXTS[path.suffix].findall(content):
        yield " ".join(found.split())


FILES = [path for folder, name in _PLACES for path in sorted((ROOT / folder).rglob(name))]


@pytest.mark.parametrize("wording", retired())
def test_retired_wording_stays_away(wording: str) -> None:
    # A single word is retired as a whole label, a sentence wherever it stands.
    is_label = len(wording) < 12
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in FILES
        for text in texts(path)
        if (text == wording if is_label else wording in text)
    ]
    assert found == []


def test_the_places_are_read() -> None:
    read = [text for path in FILES for text in texts(path)]
    assert len(read) > 2000
    assert "Compare ticked systems" in read


def test_nothing_is_exclaimed() -> None:
    pages = [path for path in FILES if path.suffix == ".html"]
    found = [
        f"{path}: {text}" for path in pages for text in texts(path) if re.search(r"\w!(\s|$)", text)
    ]
    assert found == []
