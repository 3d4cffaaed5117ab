"""Labels of metrics: what differs from the defaults stands in them, and nothing else."""

from typing import Any

import pytest

from scoring.metric_labels import labelled, signed_metric
from scoring.metrics.family import metric_parameters
from scoring.registry import FAMILIES, METRICS, load_family, standard_families
from scoring.signature import signature


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
        ("fense", {"threshold": 0.8, "penalty": 1.0}, "FENSE (threshold 0.8, penalty 1)"),
        ("fer", {"threshold": 0.5}, "Fluency error rate (threshold 0.5)"),
        ("cider_d", {"sigma": 3.0}, "CIDEr-D (sigma 3)"),
        ("spider_fl", {"sigma": 3.0, "penalty": 0.5}, "SPIDEr-FL (sigma 3, penalty 0.5)"),
        ("rouge_l", {"beta": 1.0}, "ROUGE-L (beta 1)"),
        ("aces", {"mode": "max", "fluency": "none"}, "ACES (mode max, fluency none)"),
        ("aces", {"beta": 1.0}, "ACES (beta 1)"),
        ("aces_balanced", {"beta": 2.0}, "ACES balanced"),
        ("cb_score", {"relevance": "tfidf", "depth": 1}, "CB-score (relevance tfidf, depth 1)"),
        ("sbf", {"phrases": "word"}, "SBF (phrases word)"),
        ("spice", {"parser": "captions"}, "SPICE (parser captions)"),
        ("spice_plus_emb", {"recall_weight": 2.0}, "SPICE+emb (recall weight 2)"),
        ("spice_plus_emb", {"of_phrases": "both"}, "SPICE+emb (of phrases both)"),
        ("spice_plus", {"of_phrases": "both"}, "SPICE+ (of phrases both)"),
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
