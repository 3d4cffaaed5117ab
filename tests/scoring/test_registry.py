"""Metrics are found by their folders, and what a descriptor lacks is told in words."""

import inspect
import re
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any, Literal, get_args, get_origin

import pytest

import scoring.metrics
from scoring import registry
from scoring.errors import ScoringError
from scoring.metrics.descriptor import FamilyInfo, descriptor_faults
from scoring.metrics.spider import FAMILY as SPIDER
from scoring.metrics.vocab import FAMILY as VOCAB
from scoring.registry import FAMILIES, METRICS, MetricIncomplete, load_family
from tests.real_data import ROOT

# The order of METRICS everywhere: command line, API, columns of files, pages.
ORDER = (
    "bleu_1 bleu_2 bleu_3 bleu_4 rouge_l meteor cider_d spice spider spider_fl sbert_sim fer fense "
    "bert_score cb_score cb_recall aces aces_balanced sbf_precision sbf_recall sbf spice_plus "
    "spice_plus_precision spice_plus_recall spice_plus_emb spice_plus_emb_fl earmark composite "
    "vocab clair_a clap_score mace spider_max"
)


def keyword_options(name: str) -> dict[str, inspect.Parameter]:
    made = inspect.signature(type(load_family(name)).__init__, eval_str=True).parameters
    return {key: one for key, one in made.items() if one.kind is inspect.Parameter.KEYWORD_ONLY}


def test_all_metrics_are_found_in_the_order_used_everywhere() -> None:
    assert " ".join(METRICS) == ORDER
    assert registry.PACKAGE_FAULTS == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_class_is_what_its_descriptor_says(name: str) -> None:
    info, made = FAMILIES[name], load_family(name)
    assert (made.name, made.revision) == (name, info.signed_revision)
    assert tuple(made.metrics) == tuple(metric.name for metric in info.metrics)
    assert {metric.family for metric in info.metrics} == {name}


@pytest.mark.parametrize("name", FAMILIES)
def test_choices_are_those_that_the_class_takes(name: str) -> None:
    info, taken = FAMILIES[name], keyword_options(name)
    assert {option.name for option in info.options} <= set(taken)
    for key, parameter in taken.items():
        if get_origin(parameter.annotation) is Literal:
            assert info.choices(key) == get_args(parameter.annotation)
        for choice in info.choices(key):
            assert load_family(name, **{key: choice})
        if info.choices(key):
            with pytest.raises(ScoringError, match="nonsense") as told:
                load_family(name, **{key: "nonsense"})
            assert all(choice in str(told.value) for choice in info.choices(key))


# Authors, what it is called, venue and year: "Lin, ROUGE, ACL workshop 2004".
_SOURCE = re.compile(r"\b[A-Z][\w-]+(?: et al\.| and [A-Z][\w-]+)?, .+?, [\w. ]+,? (19|20)\d\d\b")


@pytest.mark.parametrize("name", METRICS)
def test_the_source_of_a_metric_names_authors_venue_and_year(name: str) -> None:
    assert _SOURCE.search(METRICS[name].source)


def test_documents_that_the_code_cites_exist() -> None:
    for path in (ROOT / "scoring").rglob("*.py"):
        for cited in re.findall(
            r"\bdocs/[\w/-]+\.md|METRICS\.md", path.read_text(encoding="utf-8")
        ):
            assert (ROOT / cited).exists(), f"{path}: {cited}"


def test_a_family_changes_with_what_it_is_made_of() -> None:
    spice, cider = SPIDER.made_of
    raised = replace(SPIDER, made_of=(replace(spice, revision=spice.revision + 2), cider))
    assert raised.signed_revision == SPIDER.signed_revision + 2
    changed = replace(raised, revision=SPIDER.revision + 1)
    assert changed.signed_revision == SPIDER.signed_revision + 3


VOCABULARY = VOCAB.metrics[0]


def with_metric(**changes: Any) -> FamilyInfo:
    return replace(VOCAB, metrics=(replace(VOCABULARY, **changes),))


@pytest.mark.parametrize(
    ("family", "fault"),
    [
        (None, "FAMILY is NoneType, not scoring.metrics.descriptor.FamilyInfo."),
        (replace(VOCAB, name="New One"), "small letters, digits and underscores"),
        (replace(VOCAB, group=""), "no group"),
        (replace(VOCAB, queue="tpu"), "'tpu' is none of: cpu, gpu"),  # type: ignore[arg-type]
        (replace(VOCAB, revision=0), "revision is 0; the first is 1"),
        (replace(VOCAB, seconds=0.0), "seconds are 0.0; write what 1,000 clips take"),
        (replace(VOCAB, metrics=()), "It has no metrics."),
        (replace(VOCAB, path="no.such.module:Class"), "not the module:Class of an installed"),
        (replace(VOCAB, path="scoring"), "not the module:Class of an installed"),
        (with_metric(label=""), "vocab: it has no label."),
        (with_metric(source=""), "vocab: it has no source."),
        (with_metric(link="paper"), "vocab: it has no link to its source."),
        (with_metric(low=1.0, high=1.0), "vocab: its range is empty"),
        (with_metric(direction="up"), "none of: higher, lower"),
        (with_metric(explanation=None), "vocab: it has no explanation."),
        (
            with_metric(explanation=replace(VOCABULARY.explanation, misses="")),
            "vocab: its explanation does not say 'misses'.",
        ),
    ],
)
def test_what_is_missing_is_told_in_words(family: object, fault: str) -> None:
    assert fault in " ".join(descriptor_faults(family))


def test_a_folder_without_a_descriptor_stops_the_program(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_done").mkdir()
    (tmp_path / "half_done" / "__init__.py").write_text("")
    monkeypatch.setattr(scoring.metrics, "__path__", [str(tmp_path)])
    place = "scoring/metrics/half_done/__init__.py is not complete. It has no FAMILY."
    with pytest.raises(MetricIncomplete, match=place):
        list(registry._own_families())


def test_metrics_of_packages_that_are_broken_are_left_out_with_the_reason() -> None:
    points = [
        EntryPoint("absent", "no_such_package:FAMILY", registry.GROUP),
        EntryPoint("nameless", "scoring.metrics.descriptor:AFTER_OURS", registry.GROUP),
        EntryPoint("ours", "scoring.metrics.vocab:FAMILY", registry.GROUP),
    ]
    found, faults = registry._package_families([VOCAB], points)
    assert found == []
    assert faults == {
        "no_such_package: absent = no_such_package:FAMILY": (
            "It cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'"
        ),
        "scoring.metrics.descriptor: nameless = scoring.metrics.descriptor:AFTER_OURS": (
            "FAMILY is int, not scoring.metrics.descriptor.FamilyInfo."
        ),
        "scoring.metrics.vocab: ours = scoring.metrics.vocab:FAMILY": (
            "There is a metric family 'vocab' already."
        ),
    }
