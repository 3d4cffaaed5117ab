"""The picture and the figures of docs/architecture.md are those of the code."""

import re

import pytest

from tests.bench.measure_structure import PAGES, figures, files_of_page, kept_rows
from tests.docs.draw_architecture import PICTURE, picture
from tests.docs.source_tree import ROOT, SourceTree


@pytest.fixture(scope="module")
def tree() -> SourceTree:
    return SourceTree()


def test_the_picture_is_current(tree: SourceTree) -> None:
    written = (ROOT / PICTURE).read_text(encoding="utf-8")
    assert written == picture(tree), "run: python -m tests.docs.draw_architecture"


def test_no_figure_grows(tree: SourceTree) -> None:
    """Cycles of files and imports that run upward are among them, and none."""
    bounds = {what: counts(now) for what, _, now in kept_rows()}
    grown = {
        what: (value, bounds[what])
        for what, value in figures(tree)
        if any(now > bound for now, bound in zip(counts(value), bounds[what], strict=True))
    }
    assert grown == {}, "python -m tests.bench.measure_structure --write, where it has to grow"


def counts(cell: str) -> list[int]:
    """The numbers of a cell such as "29, 34" or "1,011"."""
    return [int(number) for number in re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d)", "", cell))]


@pytest.mark.parametrize("measured", PAGES)
def test_the_view_of_each_measured_page_is_found(tree: SourceTree, measured: str) -> None:
    assert len(files_of_page(tree, measured)) > 10


def test_the_way_of_a_submission_names_what_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    way = page.split("\n## The way of a submission\n")[1].split("\n## ")[0]
    steps = re.split(r"^\d+\. ", way, flags=re.MULTILINE)[1:]
    assert 8 <= len(steps) <= 12
    for step in steps:
        files = [ROOT / path for path in re.findall(r"`([\w/]+\.py)`", step)]
        texts = [file.read_text(encoding="utf-8") for file in files]
        names = re.findall(r"`(\w+)`", step.split(":")[0])
        missing = [n for n in names if not re.search(rf"(?:def|class) {n}\b", "".join(texts))]
        assert missing == [], step
