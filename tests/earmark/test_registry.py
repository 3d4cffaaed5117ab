"""Metrics by folder, name, set and label; what is lacking or unknown is told in words."""

import inspect
import re
import tomllib
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import earmark.metrics
from earmark import registry
from earmark.errors import ScoringError, UnknownMetric
from earmark.metric_labels import labelled, signed_metric
from earmark.metric_sets import METRIC_SETS, metric_names
from earmark.metrics.descriptor import FamilyInfo, descriptor_faults
from earmark.metrics.family import metric_parameters
from earmark.metrics.spider import FAMILY as SPIDER
from earmark.metrics.vocab import FAMILY as VOCAB
from earmark.registry import (
    FAMILIES,
    METRICS,
    MetricIncomplete,
    load_family,
    metrics_for,
    standard_families,
)
from earmark.signature import signature
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
    for path in (ROOT / "earmark").rglob("*.py"):
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
        (None, "FAMILY is NoneType, not earmark.metrics.descriptor.FamilyInfo."),
        (replace(VOCAB, name="New One"), "small letters, digits and underscores"),
        (replace(VOCAB, group=""), "no group"),
        (replace(VOCAB, queue="tpu"), "'tpu' is none of: cpu, gpu"),  # type: ignore[arg-type]
        (replace(VOCAB, revision=0), "revision is 0; the first is 1"),
        (replace(VOCAB, seconds=0.0), "seconds are 0.0; write what 1,000 clips take"),
        (replace(VOCAB, metrics=()), "It has no metrics."),
        (replace(VOCAB, path="no.such.module:Class"), "not the module:Class of an installed"),
        (replace(VOCAB, path="earmark"), "not the module:Class of an installed"),
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
    monkeypatch.setattr(earmark.metrics, "__path__", [str(tmp_path)])
    place = "earmark/metrics/half_done/__init__.py is not complete. It has no FAMILY."
    with pytest.raises(MetricIncomplete, match=place):
        list(registry._own_families())


def test_metrics_of_packages_that_are_broken_are_left_out_with_the_reason() -> None:
    points = [
        EntryPoint("absent", "no_such_package:FAMILY", registry.GROUP),
        EntryPoint("nameless", "earmark.metrics.descriptor:AFTER_OURS", registry.GROUP),
        EntryPoint("ours", "earmark.metrics.vocab:FAMILY", registry.GROUP),
    ]
    found, faults = registry._package_families([VOCAB], points)
    assert found == []
    assert faults == {
        "no_such_package: absent = no_such_package:FAMILY": (
            "It cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'"
        ),
        "earmark.metrics.descriptor: nameless = earmark.metrics.descriptor:AFTER_OURS": (
            "FAMILY is int, not earmark.metrics.descriptor.FamilyInfo."
        ),
        "earmark.metrics.vocab: ours = earmark.metrics.vocab:FAMILY": (
            "There is a metric family 'vocab' already."
        ),
    }


def _signed(name: str, **parameters: Any) -> str:
    family = load_family(METRICS[name].family, **parameters)
    return signature(name, metric_parameters(family, name), "5", family.revision)


@pytest.mark.parametrize("family", standard_families())
def test_a_metric_of_its_defaults_has_its_plain_label(family: str) -> None:
    for info in FAMILIES[family].metrics:
        assert signed_metric(info.name, _signed(info.name)) == METRICS[info.name]
        defaults = {one.name: one.default for one in FAMILIES[family].options}
        assert labelled(METRICS[info.name], defaults) == METRICS[info.name]


@pytest.mark.parametrize(
    ("name", "parameters", "label"),
    [
        ("fense", {"penalty": 0.5}, "FENSE (penalty 0.5)"),
        ("cider_d", {"sigma": 3.0}, "CIDEr-D (sigma 3)"),
        ("spider_fl", {"sigma": 3.0, "penalty": 0.5}, "SPIDEr-FL (sigma 3, penalty 0.5)"),
        ("rouge_l", {"beta": 1.0}, "ROUGE-L (beta 1)"),
        ("aces", {"mode": "max", "fluency": "none"}, "ACES (mode max, fluency none)"),
        ("aces_balanced", {"beta": 2.0}, "ACES balanced"),
        ("cb_score", {"relevance": "tfidf", "depth": 1}, "CB-score (relevance tfidf, depth 1)"),
        ("spice_plus_emb", {"recall_weight": 2.0}, "SPICE+emb (recall weight 2)"),
        ("spice_plus_emb_fl", {"penalty": 0.5}, "SPICE+emb with fluency (penalty 0.5)"),
        ("spice_plus_recall", {"recall_weight": 2.0}, "SPICE+ recall"),
        ("bert_score", {"idf": "references", "layer": 2}, "BERTScore (layer 2, idf references)"),
        ("composite", {"formula": "0.5*(fer-0.1)/0.05"}, "Composite (0.5*(fer-0.1)/0.05)"),
    ],
)
def test_what_differs_is_told_alike_by_parameters_and_by_signatures(
    name: str, parameters: dict[str, Any], label: str
) -> None:
    assert labelled(METRICS[name], parameters).label == label
    assert signed_metric(name, _signed(name, **parameters)).label == label


def test_models_are_told_by_their_names() -> None:
    fense = METRICS["fense"]
    assert labelled(fense, {"encoder": "/models/tiny"}).label == "FENSE (encoder tiny)"
    signed = "fense|sbert:tiny@12345678|fl:mine@12345678|thr:0.9|pen:0.9|refs:5|r:1"
    assert signed_metric("fense", signed).label == "FENSE (encoder tiny, detector mine)"
    by_labeller = labelled(METRICS["aces"], {"labeller": "mine@12345678"})
    assert by_labeller.label == "ACES (labeller mine@12345678)"
    assert signed_metric("aces", "aces|desc:mine@12345678|refs:5|r:1") == by_labeller


@pytest.mark.parametrize("name", METRICS)
def test_no_text_tells_a_default_that_is_not_so(name: str) -> None:
    for option in FAMILIES[METRICS[name].family].options:
        if option.metrics and name not in option.metrics:
            continue
        value = next((one for one in option.choices if one != option.default), 0.123)
        told = labelled(METRICS[name], {option.name: value})
        why = told.explanation
        texts = f"{told.summary} {told.source} {why.what} {why.misses}"
        assert not [default for default, _ in option.texts if default in texts]
    told = labelled(METRICS["fense"], {"penalty": 0.5})
    assert "reduced by 0.5 of it if the caption is flagged" in told.summary


PRESETS = Path(__file__).parents[2] / "leaderboard" / "presets.toml"


@pytest.mark.parametrize("name", METRIC_SETS)
def test_sets_hold_known_metrics_and_the_one_that_ranks(name: str) -> None:
    chosen = METRIC_SETS[name]
    assert set(chosen.metrics) <= set(metrics_for(several=False))
    assert chosen.ranked_by in chosen.metrics
    assert name == chosen.name
    assert name not in METRICS


def test_what_each_year_ranked_by() -> None:
    """DCASE's rules: SPIDEr from 2020 to 2022, SPIDEr-FL in 2023, FENSE in 2024."""
    assert {name: chosen.ranked_by for name, chosen in METRIC_SETS.items()} == {
        "dcase2020": "spider",
        "dcase2021": "spider",
        "dcase2022": "spider",
        "dcase2023": "spider_fl",
        "dcase2024": "fense",
    }


def test_columns_of_the_leaderboard_under_the_same_name_are_the_same() -> None:
    presets = tomllib.loads(PRESETS.read_text(encoding="utf-8"))["preset"]
    shared = {one["name"].replace("-", ""): one["metrics"] for one in presets}
    assert {name for name in METRIC_SETS if name in shared} == {"dcase2023", "dcase2024"}
    for name in METRIC_SETS.keys() & shared.keys():
        assert {*METRIC_SETS[name].metrics} == {*shared[name]}


def test_names_come_once_in_the_order_used_everywhere() -> None:
    assert metric_names(["vocab", "dcase2023", "meteor"]) == (
        *("meteor", "cider_d", "spice", "spider", "spider_fl", "sbert_sim", "fense"),
        "vocab",
    )
    assert metric_names("all") == metrics_for(several=True)
    assert metric_names("all", ("bleu_1",)) == ("bleu_1",)


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("blue_1", "bleu_1"),
        ("cider", "cider_d"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(wanted: str, near: str) -> None:
    with pytest.raises(
        UnknownMetric, match=f"no metric '{wanted}'. Did you mean .*{near}"
    ) as found:
        metric_names(["rouge_l", wanted])
    assert "dcase2024" in str(found.value)
