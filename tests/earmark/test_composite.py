"""Composites: formulas read and written, and sums that can be computed by hand."""

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.metrics.composite.formula import Term, formula_text, read_formula
from earmark.metrics.composite.metric import Composite
from earmark.pipeline import score
from earmark.registry import METRICS, metrics_for, standard_families
from earmark.workspace import Workspace

REFERENCES = References.build(
    [
        ("a.wav", ["a dog barks", "a big dog barks loudly"]),
        ("b.wav", ["rain falls on a roof", "heavy rain on a tin roof"]),
        ("c.wav", ["people talk in a hall", "a crowd of people talking"]),
    ]
)
CAPTIONS = Candidates.single(["a dog barks", "rain falls", "a car drives by"])
NUMBERS = st.floats(-1e4, 1e4).map(lambda value: float(f"{value:.6g}"))


def _scores(formula: str, *metrics: str, details: bool = False):  # type: ignore[no-untyped-def]
    return score(
        CAPTIONS,
        REFERENCES,
        ["composite", *metrics],
        Workspace(details=details),
        {"composite": {"formula": formula}},
    ).results


def test_the_value_is_the_sum_of_the_corpus_values_and_of_those_of_each_clip() -> None:
    found = _scores("0.6*rouge_l+0.4*(cider_d-0.5)/0.25", "rouge_l", "cider_d")
    rouge, cider, composite = (found[name] for name in ("rouge_l", "cider_d", "composite"))
    expected = 0.6 * rouge.value + 0.4 * (cider.value - 0.5) / 0.25
    assert composite.value == pytest.approx(expected)
    by_clip = 0.6 * rouge.per_clip + 0.4 * (cider.per_clip - 0.5) / 0.25
    assert composite.per_clip == pytest.approx(by_clip)
    assert composite.interval.low < composite.value < composite.interval.high


def test_a_sum_of_corpus_counts_has_an_interval_that_holds_those_of_its_parts() -> None:
    found = _scores("1*bleu_1", "bleu_1")
    composite, bleu = found["composite"], found["bleu_1"]
    assert composite.value == pytest.approx(bleu.value)
    assert composite.interval.low <= bleu.interval.low + 1e-9
    assert composite.interval.high >= bleu.interval.high - 1e-9


def test_each_clip_says_what_each_metric_adds() -> None:
    composite = _scores("0.5*rouge_l+0.5*cider_d", details=True)["composite"]
    for row, value in zip(composite.details, composite.per_clip, strict=True):
        assert [term["name"] for term in row["terms"]] == ["rouge_l", "cider_d"]
        assert math.fsum(term["share"] for term in row["terms"]) == pytest.approx(value, abs=1e-5)
        lines = METRICS["composite"].explanation.steps(row)
        assert lines[0].startswith("ROUGE-L: 0.5 x ")
        assert lines[-1].startswith("sum: ")


def test_a_clip_without_a_value_of_one_metric_has_none() -> None:
    silent = Candidates.single(["a dog barks", "", "people talk"])
    found = score(
        silent,
        REFERENCES,
        ["composite", "aces"],
        Workspace(details=True),
        {"composite": {"formula": "0.5*aces+0.5*rouge_l"}},
    ).results
    assert np.array_equal(np.isnan(found["composite"].per_clip), np.isnan(found["aces"].per_clip))


def test_the_signature_says_the_formula_and_changes_with_what_its_metrics_depend_on() -> None:
    plain = Composite(formula="0.5*fense+0.5*rouge_l").parameters
    assert plain["formula"] == "0.5*fense+0.5*rouge_l"
    other = Composite(formula="0.5*fense+0.5*rouge_l", parts={"fense": {"penalty": 0.5}})
    assert other.parameters["parts"] != plain["parts"]


def test_it_is_not_among_all_metrics_and_says_what_it_needs() -> None:
    assert "composite" not in standard_families()
    assert "composite" not in metrics_for(several=True)
    unavailable = score(CAPTIONS, REFERENCES, ["composite"], Workspace()).unavailable
    assert "ranking lab" in unavailable["composite"]


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("", "made of"),
        ("0.5*fense+", "cannot be read"),
        ("fense", "read from 'fense'"),
        ("0.5*fense 0.5*spice", "cannot be read"),
        ("0.5*nonsense", "'nonsense'"),
        ("0.5*composite", "'composite'"),
        ("0.5*spider_max", "'spider_max'"),
        ("0*fense", "other than 0"),
        ("1e999*fense", "other than 0"),
        ("1e308*(fense-0)/1e-300", "cannot be read|above 0"),
        ("0.5*(fense-0.1)/0", "above 0"),
        ("0.5*fense+0.5*fense", "twice"),
        (f"0.5*fense{' ' * 1_000}+0.5*spice", "1,019 characters"),
        ("+".join(f"0.1*{name}" for name in metrics_for(several=False)[:9]), "at most 8"),
    ],
)
def test_a_formula_that_cannot_be_used_says_why(formula: str, told: str) -> None:
    with pytest.raises(ScoringError, match=told):
        read_formula(formula)


@pytest.mark.parametrize("start", ["1*(", "1*(fense", "1*(fense-", "1*(fense-1)/", "1"])
def test_long_digits_are_refused(start: str) -> None:
    """A number that could end anywhere took minutes."""
    with pytest.raises(ScoringError):
        read_formula(start + "1" * 5_000)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with suppress(ScoringError):
        terms = read_formula(text)
        assert read_formula(formula_text(terms)) == terms


@given(
    st.lists(
        st.tuples(
            st.sampled_from(metrics_for(several=False)),
            NUMBERS.filter(bool),
            NUMBERS,
            st.floats(1e-4, 1e4).map(lambda value: float(f"{value:.6g}")),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda row: row[0],
    )
)
def test_a_formula_written_is_read_again(rows: list[tuple[str, float, float, float]]) -> None:
    terms = tuple(Term(*row) for row in rows)
    assert read_formula(formula_text(terms)) == terms
