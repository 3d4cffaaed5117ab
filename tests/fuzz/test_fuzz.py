"""Every parser of what people hand in: some thousand bad inputs each, and none that breaks it.

``python -m tests.fuzz`` tries far more, by the same table.
"""

from collections.abc import Iterator
from random import Random

import pytest
from django import forms

from leaderboard.api import api
from tests.fuzz.campaign import Campaign, run_random, seeds_of
from tests.fuzz.mutation import mutated
from tests.fuzz.parsers import CORPUS, PARSERS, Parser

INPUTS = 1000
# A zip with two files of one name is made on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:Duplicate name")
by_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)


@by_parser
def test_no_input_breaks_a_parser(parser: Parser) -> None:
    campaign = Campaign(parser, measured=False)
    run_random(campaign, INPUTS, seed=1)
    assert [f"{finding.what} {finding.place}" for finding in campaign.findings.values()] == []
    # Without good inputs behind them the bad ones would end at the door. No text is a date, a
    # name and an address at once.
    assert campaign.counts["taken"] or parser.name == "fields"


@by_parser
def test_what_once_broke_a_parser_no_longer_does(parser: Parser) -> None:
    campaign = Campaign(parser, measured=False)
    for data in seeds_of(parser):
        campaign.take(data)
    assert campaign.findings == {}


def test_the_kept_inputs_are_small_and_each_has_its_parser() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {parser.name for parser in PARSERS}
    sizes = [path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(sizes) < 100_000


def fields_with_files() -> Iterator[str]:
    """Fields of pages and of API operations that take a file."""
    import annotation.urls  # noqa: F401  what has a form is imported by then
    import leaderboard.urls  # noqa: F401

    waiting: list[type[forms.BaseForm]] = [forms.Form]
    while waiting:
        for form in waiting.pop().__subclasses__():
            waiting.append(form)
            if form.__module__.partition(".")[0] in {"leaderboard", "annotation"}:
                for name, field in form.base_fields.items():  # type: ignore[attr-defined]
                    if isinstance(field, forms.FileField):
                        yield f"{form.__name__}.{name}"
    for operation in operations():
        for name in multipart(operation):
            yield f"{operation['operationId']}.{name}"


def operations() -> Iterator[dict[str, object]]:
    for methods in api.get_openapi_schema()["paths"].values():
        yield from methods.values()


def content_of(operation: dict[str, object]) -> dict[str, dict[str, dict[str, object]]]:
    body = operation.get("requestBody", {})
    assert isinstance(body, dict)
    return body.get("content", {})


def multipart(operation: dict[str, object]) -> Iterator[str]:
    """Names of the files of an operation."""
    schema = content_of(operation).get("multipart/form-data", {}).get("schema", {})
    properties = schema.get("properties", {})
    assert isinstance(properties, dict)
    for name, told in properties.items():
        if "binary" in str(told):
            yield name


def test_every_field_that_takes_a_file_has_a_parser_here() -> None:
    read = {name for parser in PARSERS for name in parser.takes if "." in name}
    assert read == set(fields_with_files())


def test_every_body_of_the_api_is_tried() -> None:
    sent = set()
    for operation in operations():
        for kind, content in content_of(operation).items():
            reference = str(content["schema"].get("$ref", ""))
            if kind == "application/json":
                sent.add(reference.rpartition("/")[2])
    tried = next(parser for parser in PARSERS if parser.name == "bodies")
    assert sent <= set(tried.takes)
    good = {path.name for path in (CORPUS / "bodies").iterdir() if "broke" not in path.name}
    assert set(tried.takes) == good


def test_changes_are_the_same_for_the_same_seed() -> None:
    for parser in PARSERS:
        data = seeds_of(parser)[0]
        one, other = (mutated(data, parser.form, parser.tokens, Random(7)) for _ in range(2))
        assert one == other
