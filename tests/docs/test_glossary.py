"""docs/glossary.md names what is in the code, and each name means one thing."""

import re
from collections import defaultdict

import pytest

from tests.docs.source_tree import ROOT, SourceTree

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/]+(?:\.py|/))` `(\w+)`", PAGE)
TERMS = [row.split(" | ")[0] for row in re.findall(r"^\| (.+) \|$", PAGE, re.MULTILINE)]


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_name_is_defined_where_the_glossary_says(path: str, name: str) -> None:
    place = ROOT / path
    files = place.rglob("*.py") if place.is_dir() else [place]
    definition = re.compile(rf"^(?:class|def) {name}\b|^{name}\b.*=", re.MULTILINE)
    assert any(definition.search(file.read_text(encoding="utf-8")) for file in files)


def test_a_term_stands_once() -> None:
    terms = [term for term in TERMS if term != "Term"]
    assert len(terms) > 50
    assert len(set(terms)) == len(terms)


def test_no_class_name_is_defined_twice() -> None:
    places = defaultdict(list)
    for name, module in SourceTree().modules.items():
        # The starter kit is a program of its own, which nothing of the product imports.
        if not name.startswith("leaderboard.starter.kit."):
            for defined in module.classes:
                places[defined].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
