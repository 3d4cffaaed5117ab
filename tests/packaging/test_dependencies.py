"""What is imported is declared, and what is declared is needed."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from earmark.cli.parser import EXTRAS
from tests.real_data import ROOT

PRODUCT = ("earmark", "leaderboard", "annotation")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRA = {
    extra: [Requirement(text) for text in needed]
    for extra, needed in PROJECT["optional-dependencies"].items()
}
SITE = [requirement for needed in EXTRA.values() for requirement in needed]
# Scripts that derive a resource again, with what the tests need.
DERIVING = {ROOT / "earmark/resources/wordnet/derive_wordnet.py"}
# A program of its own, which people download: its modules lie beside one another.
KIT = ROOT / "leaderboard/starter/kit"
KIT_MODULES = {path.stem for path in KIT.glob("*.py")}
# What another package imports, which is there then, and nobody else.
FOR_OTHERS = {ROOT / "earmark/hugging_face/earmark.py"}
# Who asks for a frame of pandas or a metric of torchmetrics has the package that it is of.
FRAMES = {("earmark/tables.py", "pandas"), ("earmark/torch_metric.py", "torchmetrics")}
# Programs, back ends that settings name, files that are read: nobody imports them.
NOT_IMPORTED = {"gunicorn", "honcho", "jinja2", "psycopg", "whitenoise", "pycocoevalcap"}


@cache
def distributions() -> dict[str, set[str]]:
    """The packages that give each top-level module."""
    found = packages_distributions()
    return {name: {canonicalize_name(one) for one in of} for name, of in found.items()}


def declared(requirements: Iterable[Requirement]) -> set[str]:
    return {canonicalize_name(requirement.name) for requirement in requirements}


def development() -> list[Requirement]:
    lines = (ROOT / "requirements-dev.in").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if re.match(r"\w", line)]


@cache
def modules_of(path: Path) -> frozenset[str]:
    """The top-level modules that a file imports anywhere, but the project's and Python's own."""
    own = {*sys.stdlib_module_names, *PRODUCT, *KIT_MODULES, "tests"}
    return frozenset(imported(path)) - own


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from (name.partition(".")[0] for name in names)


def undeclared(paths: Iterable[Path], known: set[str]) -> set[tuple[str, str]]:
    return {
        (path.relative_to(ROOT).as_posix(), module)
        for path in paths
        for module in modules_of(path)
        if not distributions().get(module, set()) & known
    }


def files(*roots: Path) -> Iterator[Path]:
    for root in roots:
        yield from (path for path in root.rglob("*.py")) if root.is_dir() else [root]


def test_what_the_product_imports_is_declared() -> None:
    paths = set(files(*(ROOT / name for name in PRODUCT))) - DERIVING - FOR_OTHERS
    paths -= set(KIT.glob("*.py"))
    assert len(paths) > 300
    assert undeclared(paths, declared(CORE + SITE)) == FRAMES


def test_what_the_starter_kit_imports_is_in_its_requirements() -> None:
    lines = (KIT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    known = declared(Requirement(line) for line in lines if re.match(r"\w", line))
    assert undeclared(KIT.glob("*.py"), known) == set()


def test_the_command_says_which_extra_a_module_is_of() -> None:
    paths = set(files(ROOT / "earmark")) - DERIVING - FOR_OTHERS
    # The way to a site is behind a check of whether there is one.
    found = undeclared(paths, declared(CORE)) - FRAMES - {("earmark/cli/parser.py", "django")}
    assert {module for _, module in found} == EXTRAS.keys()
    for module, extra in EXTRAS.items():
        assert distributions()[module] & declared(EXTRA[extra])


def test_what_the_tests_import_is_declared() -> None:
    paths = {*files(ROOT / "tests"), *DERIVING}
    assert undeclared(paths, declared(CORE + SITE + development())) == set()


def test_what_is_declared_is_imported() -> None:
    imported = {
        distribution
        for path in files(*(ROOT / name for name in PRODUCT))
        for module in modules_of(path)
        for distribution in distributions().get(module, ())
    }
    assert declared(CORE + SITE) - imported == NOT_IMPORTED
    assert declared(CORE) & declared(SITE) == set()


@pytest.mark.parametrize(
    ("file", "wanted"),
    [("requirements.txt", CORE + SITE), ("requirements-dev.txt", CORE + SITE + development())],
)
def test_the_locked_versions_are_those_of_what_is_declared(
    file: str, wanted: list[Requirement]
) -> None:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if re.match(r"[\w.-]+==", line))
    for requirement in wanted:
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement
