"""Links, paths and commands in the documents lead somewhere, and the index has every document."""

import importlib.util
import re
from pathlib import Path

import pytest

from tests.docs.source_tree import ROOT

FOLDERS = ("docs", "earmark", "leaderboard", "annotation", "static", "templates", "tests")
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
)
INDEX = ROOT / "docs" / "README.md"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PLACE = "(?:" + "|".join(FOLDERS) + ")"
# A folder or file between backticks, or a file with its ending anywhere.
MENTIONED = re.compile(rf"`({_PLACE}/[\w./-]+)`|(?<![\w./-])({_PLACE}/[\w./-]+\.[a-z]+\b)")
RUN = re.compile(r"\bpython -m ((?:earmark|leaderboard|annotation|tests)[a-z0-9_.]*)(?!\w)")
# What changed is told with the names of its time.
HISTORY = {"CHANGELOG.md"}

by_path = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
MADE = re.compile(r"^`([\w./-]+)`:$", re.MULTILINE)


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def anchors(document: Path) -> set[str]:
    """Anchors of a document's headings, as they are made where Markdown is shown."""
    headings = re.findall(r"^#+ +(.+)$", text_of(document), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@by_path
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.findall(text_of(document)):
        if re.match(r"https?:|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), f"{link} does not exist"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link} names no heading"


@by_path
def test_paths_in_the_text_exist(document: Path) -> None:
    if document.name in HISTORY:
        return
    text = text_of(document)
    mentioned = {folder or file for folder, file in MENTIONED.findall(text)}
    # A guide that has a file written names it on a line of its own before its content.
    mentioned -= {
        path for path in mentioned for made in MADE.findall(text) if f"{made}/".startswith(path)
    }
    # Where a page's fragment would be that the guide leaves to its reader.
    mentioned.discard("templates/leaderboard/clips/details/_length_ratio.html")
    assert [path for path in sorted(mentioned) if not (ROOT / path).exists()] == []


@by_path
def test_commands_in_the_text_exist(document: Path) -> None:
    if document.name in HISTORY:
        return
    modules = {name.rstrip(".") for name in RUN.findall(text_of(document))} - {"tests.bench"}
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []


def test_the_index_and_those_of_its_folders_have_every_document() -> None:
    documents = {path for path in DOCUMENTS if path.is_relative_to(ROOT / "docs")}
    indexes = {path for path in documents if path.name == "README.md"}
    linked = {
        (index.parent / link).resolve()
        for index in indexes
        for link in LINK.findall(text_of(index))
    }
    missing = documents - linked - {INDEX}
    assert sorted(path.relative_to(ROOT).as_posix() for path in missing) == []


def test_documents_stand_in_their_folders() -> None:
    folders = {path.parent.name for path in (ROOT / "docs").rglob("*.md")}
    assert folders == {"docs", "guides", "reference", "measurements", "decisions"}
