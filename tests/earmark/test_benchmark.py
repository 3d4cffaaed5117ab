"""Agreement with people: the protocol pair by pair, published accuracies, and what is kept."""

import json
import math
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark.benchmark import (
    AS_PUBLISHED,
    LEFT_OUT,
    Accuracy,
    JudgedCaption,
    JudgmentsUnreadable,
    Pair,
    Preferences,
    benchmark_metrics,
    human_agreement,
    queries,
    read_judgments,
    shares,
)
from earmark.benchmark_results import (
    KINDS,
    RESULTS_FILE,
    differences_from_kept,
    kept_differences,
    measured,
    published_result,
    published_results,
    results_from_json,
    results_json,
)
from earmark.captions import Limits
from earmark.cli.parser import main
from earmark.judgment_files import read_judgment_file
from earmark.metrics.family import metric_parameters
from earmark.registry import METRICS, load_family
from earmark.results import NO_INTERVAL, Interval
from earmark.signature import signature
from earmark.statistics import rate_interval, wilson_interval
from earmark.workspace import Workspace

REFERENCES = ["a dog barks", "a dog is barking", "dog barking", "barks", "a dog"]
ITEM = {
    "references": REFERENCES,
    "HC": ["a dog barks", "a dog", "x", "y", [1, 1, -1, 1]],
    "HI": ["a dog barks", "rain falls", "x", "y", [1, 1, 1, 1]],
    "HM": None,
    "MM_1": ["a cat", "a dog", "x", "y", 0, [-1, -1, 0, -1]],
    "MM_5": ["rain", "a dog", "x", "y", [1, -1, 1, -1]],
}
JUDGMENTS = "benchmark/audiocaps_eval.json"


def read(*items: Any) -> Any:
    return read_judgments(json.dumps(items).encode())


def test_references_of_each_facet() -> None:
    hc, hi, mm, even = read(ITEM).pairs
    without_first = ("a dog is barking", "dog barking", "barks", "a dog")
    assert hc == Pair(
        "HC",
        JudgedCaption("a dog barks", without_first),
        JudgedCaption("a dog", tuple(REFERENCES[:4])),
        2,
        clip=0,
    )
    assert hi.first.references == hi.second.references == without_first
    assert mm.first.references == mm.second.references == tuple(REFERENCES)
    assert (mm.facet, mm.truth, even.truth) == ("MM", -3, 0)


def test_repeated_reference_is_removed_everywhere_and_the_rest_cycles() -> None:
    item = {"references": ["a", "b", "a", "c", "d"], "HI": ["a", "z", "x", "y", [1]]}
    (pair,) = read(item).pairs
    assert pair.first.references == ("b", "c", "d", "b")


def test_each_query_is_scored_once() -> None:
    judgments = read(ITEM)
    # "a dog barks" stands in HC and in HI against the same references; the even pair is left out.
    assert [query.caption for query in queries(judgments)] == [
        "a dog barks", "a dog", "rain falls", "a cat", "a dog"
    ]  # fmt: skip


def preferences(*pairs: tuple[str, int, float]) -> Preferences:
    """Pairs by kind, clip and what people prefer."""
    query = JudgedCaption("a", ("b",))
    rows = [Pair(facet, query, query, truth, clip) for facet, clip, truth in pairs]
    return Preferences.of(rows, {})


def test_ties_and_missing_scores_are_wrong() -> None:
    given = preferences(("HC", 1, 1), ("HC", 1, 1), ("HI", 1, -2), ("MM", 1, -1), ("MM", 1, 1))
    found = shares(given, np.array([0.5, 0.0, -0.1, 0.2, math.nan]))
    unknown = Interval(0.0, 100.0)
    assert found == {
        "HC": Accuracy(1, 2, 1, unknown),
        "HI": Accuracy(1, 1, 0, unknown),
        "HM": Accuracy(0, 0, 0, NO_INTERVAL),
        "MM": Accuracy(0, 2, 1, unknown),
        "Total": Accuracy(2, 5, 2, unknown),
    }
    assert found["Total"].percent == 40
    assert math.isnan(found["HM"].percent)
    assert math.isnan(found["HM"].interval.low)


def test_an_interval_knows_which_pairs_are_of_one_clip() -> None:
    """Computed by hand after Korn and Graubard: 3 clips with 2, 1 and 0 of their 2 pairs right.

    The share is 1/2; pairs right above it are 1, 0 and -1 by clip, so that the variance is
    3/2 * (1 + 0 + 1) / 6**2 = 1/12. With t(2 degrees, 0.975) = 4.302653 the effective number is
    1/4 * (1.959964 / 4.302653)**2 / (1/12) = 0.622502, and its interval that of a rate.
    """
    given = preferences(*[("MM", clip, 1) for clip in (1, 1, 2, 2, 3, 3)])
    share = shares(given, np.array([1.0, 2.0, 1.0, -1.0, -1.0, -2.0]))["MM"]
    told = rate_interval(0.622502 / 2, 0.622502)
    assert (share.correct, share.pairs) == (3, 6)
    assert share.interval.low == pytest.approx(100 * told.low, abs=1e-2)
    assert share.interval.high == pytest.approx(100 * told.high, abs=1e-2)
    alone = preferences(*[("MM", clip, 1) for clip in range(6)])
    apart = shares(alone, np.array([1.0, 2.0, 1.0, -1.0, -1.0, -2.0]))["MM"]
    assert apart.interval.low > share.interval.low, "six clips say more than three"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "not JSON"),
        ("{}", "not a list of items"),
        ("[3]", "Item 1 has no list of reference captions"),
        ('[{"references": []}]', "Item 1 has no list of reference captions"),
        ('[{"references": ["a"], "HI": ["b"]}]', "HI of item 1 is not a pair"),
        ('[{"references": ["a"], "HI": ["b", "c", "x", "y", 1]}]', "votes of HI of item 1"),
        ('[{"references": ["a"], "HI": ["b", "c", [NaN]]}]', "votes of HI of item 1"),
        ('[{"references": ["a"], "HI": ["b", "...", [1]]}]', "HI of item 1: The caption has no"),
        ('[{"references": ["a"], "HI": ["a", "c", "x", "y", [1]]}]', "Every reference of HI"),
    ],
)
def test_faulty_judgments_are_named(data: str, message: str) -> None:
    with pytest.raises(JudgmentsUnreadable, match=message):
        read_judgments(data.encode())


def test_a_table_says_the_same_as_json() -> None:
    numbered = ",".join(f"reference_{n}" for n in range(1, 6))
    lines = [
        f"clip,kind,caption_a,caption_b,votes,preferred,{numbered}",
        f"x,HC,a dog barks,a dog,1 1 -1 1,,{','.join(REFERENCES)}",
        'x,HI,a dog barks,"rain falls",1;1,,,,,,',
        "x,hi,a dog barks,rain falls,1 1,,,,,,",
        "x,,a cat,a dog,,b,,,,,",
        "x,MM,a cat,a dog,,b,,,,,",
        "x,MM,a cat,a dog,-1 0,,,,,,",
        "x,MM,rain,a dog,,both,,,,,",
    ]
    table = read_judgments("\n".join(lines).encode()).pairs
    assert table == read(ITEM).pairs


def test_all_that_is_wrong_with_a_file_is_listed_with_its_place() -> None:
    lines = [
        "clip,kind,caption_a,caption_b,votes,reference_1",
        "x,MM,a cat,a dog,1,a pet",
        "x,XX,a cat,a dog,1,",
        "x,MM,a cat,a dog,many,",
        "x,MM,a cat,a dog,1,another pet",
        "y,MM,a cat,a dog,1,",
        ",MM,a cat,a dog,1,rain",
        "x,MM,a cat,a dog,1",
        "x,HC,a pet,a dog,1,",
        "x,MM,,a dog,1,",
    ]
    read = read_judgment_file("\n".join(lines).encode())
    assert read.value is None
    told = [(fault.line, fault.column, fault.value) for fault in read.errors]
    assert told == [
        (3, "kind", "XX"), (4, "votes", "many"), (5, "references", "another pet"),
        (6, "references", ""), (7, "clip", ""), (8, None, "x,MM,a cat,a dog,1"),
        (9, "references", "a pet"), (10, "captions", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "limits", "told"),
    [
        (["clip,caption_a,caption_b"], Limits(), 'no column "votes"'),
        (["clip,caption_a,caption_b,votes"], Limits(), "has no pairs"),
        (["a,1", "b,2"], Limits(), 'no column "clip"'),
        (
            ["clip,caption_a,caption_b,votes,reference_1", "x,a,b,1,c"],
            Limits(max_rows=0),
            "0 pairs",
        ),
        (["[" * 100_000], Limits(), "not JSON"),
        (
            [f'[{{"references": ["a"], "MM": ["b", "c", {"[1]"}]}}]'],
            Limits(max_candidates=0),
            "is 0",
        ),
    ],
)
def test_files_that_are_none_are_refused(lines: list[str], limits: Limits, told: str) -> None:
    read = read_judgment_file("\n".join(lines).encode(), limits)
    assert read.value is None
    assert told in str(read.errors[0])


def test_judgments_without_a_decided_pair_are_refused() -> None:
    item = {"references": ["a"], "HI": ["b", "c", "x", "y", [1, -1]]}
    with pytest.raises(JudgmentsUnreadable, match="preferred neither"):
        human_agreement(read(item), ["bleu_1"], Workspace())


def test_wilson_is_the_textbooks() -> None:
    # Newcombe, Statistics in Medicine 17, 1998, table I: 81 of 263 gives .2553 to .3662
    assert (wilson_interval(81, 263).low, wilson_interval(81, 263).high) == pytest.approx(
        (0.2553, 0.3662), abs=1e-4
    )


def test_all_leaves_out_what_cannot_compare_two_captions() -> None:
    assert not set(benchmark_metrics()) & set(LEFT_OUT)
    assert "cider_d" in benchmark_metrics()
    # Learned from AudioCaps-Eval, and so judged by other pairs alone.
    assert {*benchmark_metrics(unseen=True)} - {*benchmark_metrics()} == {"earmark"}


def test_decidable_pairs_of_audiocaps_eval(shared_data: Path) -> None:
    decidable = read_judgments((shared_data / JUDGMENTS).read_bytes()).decidable
    facets = [pair.facet for pair in decidable]
    # Zhou et al., FENSE, ICASSP 2022
    assert [facets.count(name) for name in ("HC", "HI", "HM", "MM")] == [203, 247, 239, 794]


def test_command_writes_per_cent_and_reports_counts_and_signatures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.json").write_text(json.dumps([ITEM]))
    paths = ["--judgments", str(tmp_path / "people.json"), "--cache", str(tmp_path / "cache")]
    assert main(["benchmark", *paths, "--metrics", "bleu_1", "--json", str(tmp_path / "o")]) == 0
    # HC: "a dog barks" has 2 of 3 words in a reference, "a dog" 2 of 2: wrong; HI and MM right.
    assert json.loads((tmp_path / "o").read_text()) == {
        "bleu_1": {"HC": 0, "HI": 100, "HM": None, "MM": 100, "Total": 66.6667}
    }
    assert "95 % interval" in capsys.readouterr().out
    assert main(["benchmark", *paths, "--metrics", "bleu_1", "--report", "-"]) == 0
    text = capsys.readouterr().out
    told = json.loads(text)
    assert told["judgments"] == "people.json"
    row = told["metrics"]["bleu_1"]
    assert row["signature"].startswith("bleu_1|tok:")
    # All are of one clip, which says nothing of others.
    total = {"correct": 2, "pairs": 3, "undecided": 1, "percent": 66.6667, "low": 0, "high": 100}
    assert row["accuracies"]["Total"] == total
    assert row["accuracies"]["HM"]["percent"] is None
    assert told["pairs"] == {
        "facet": ["HC", "HI", "MM"], "clip": [0, 0, 0], "truth": [1, 1, -1]
    }  # fmt: skip
    # Words of "a cat" and of "rain falls" that no reference has: one of two, two of two.
    assert row["differences"][2] == -0.5
    kept = results_from_json(text).preferences
    assert shares(kept, kept.differences["bleu_1"])["Total"].correct == 2
    assert results_json(results_from_json(text)) == text


def test_command_names_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "people.json").write_text("[no")
    assert main(["benchmark", "--judgments", str(tmp_path / "people.json")]) == 2
    assert "not JSON" in capsys.readouterr().err


RERUN = "measure again: earmark/resources/benchmark/README.md says how"
# Every so many pairs are measured again.
EVERY = 20


def test_what_is_kept_is_what_would_be_written() -> None:
    # Shares and intervals are computed from the counts when it is read.
    text = RESULTS_FILE.read_text()
    assert results_json(results_from_json(text)) == text


def test_every_metric_that_can_be_measured_is_kept() -> None:
    assert [*measured().metrics] == [name for name in METRICS if name not in LEFT_OUT], RERUN
    # Zhou et al., FENSE, ICASSP 2022: decidable pairs of AudioCaps-Eval
    assert measured().pairs == {"HC": 203, "HI": 247, "HM": 239, "MM": 794, "Total": 1483}


@pytest.mark.parametrize("name", [name for name in METRICS if name not in LEFT_OUT])
def test_it_was_measured_with_what_the_code_computes_now(name: str) -> None:
    family = METRICS[name].family
    now = load_family(family, **AS_PUBLISHED.get(family, {}))
    # The four or five references of a judged caption.
    current = signature(name, metric_parameters(now, name), "4-5", now.revision)
    assert measured().metrics[name].signature == current, RERUN


def test_every_metric_is_measured_so_again(shared_data: Path) -> None:
    data = (shared_data / "benchmark" / measured().judgments).read_bytes()
    assert sha256(data).hexdigest() == measured().sha256
    judgments = read_judgments(data)
    some = replace(judgments, pairs=judgments.decidable[::EVERY])
    kept = measured().preferences.differences
    found = human_agreement(some, tuple(kept), Workspace(device="cpu")).preferences
    assert [*found.differences] == [*kept]
    for name, differences in found.differences.items():
        # The last digits of vectors are a machine's own.
        np.testing.assert_allclose(differences, kept[name][::EVERY], atol=2e-4, err_msg=name)


@pytest.mark.parametrize(
    ("metric", "published", "within"),
    [
        # Zhou et al., FENSE, ICASSP 2022, table 2, column Total
        ("bleu_1", 62.4, 2),
        ("bleu_4", 61.6, 3),
        ("rouge_l", 64.9, 2),
        ("meteor", 71.7, 2),
        ("cider_d", 71.0, 2),
        ("sbert_sim", 80.6, 0.3),  # with MiniLM
        # Gontier et al., SPICE+, ICASSP 2023, table 1
        ("spice", 59.7, 3),
        ("spider", 72.2, 3),
        ("spider_fl", 79.1, 3),
        ("spice_plus", 62.0, 3),
        ("spice_plus_emb", 77.0, 2),
        ("spice_plus_emb_fl", 84.0, 2),
        # Wijngaard et al., ACES, 2024, table V; BERTScore is of another model there
        ("aces", 83.0, 1),
        ("bert_score", 74.3, 5),
    ],
)
def test_totals_are_near_the_published(metric: str, published: float, within: float) -> None:
    found = measured().metrics[metric].accuracies
    assert found["Total"].percent == pytest.approx(published, abs=within)
    assert found["HI"].percent > found["MM"].percent


def test_pairs_that_sbf_decides_are_mostly_right() -> None:
    found = measured().metrics["sbf"].accuracies
    # 93.5 is the published value for HI (docs/reference/sbf.md); many pairs name the same sounds.
    assert found["HI"].percent >= 92
    total = found["Total"]
    assert total.correct / (total.pairs - total.undecided) >= 0.75


def test_shares_are_those_of_the_differences_that_are_kept() -> None:
    kept = measured().preferences
    assert [*kept.differences] == [*measured().metrics], RERUN
    for name, differences in kept.differences.items():
        assert shares(kept, differences) == measured().metrics[name].accuracies, name


def test_differences_are_kept_to_six_digits_with_their_sign() -> None:
    given = np.array([1 / 3, -1e-9 / 3, 0.0, math.nan])
    kept = kept_differences(given)
    assert kept == [0.333333, -3.33333e-10, 0.0, None]
    np.testing.assert_array_equal(np.sign(differences_from_kept(kept)), np.sign(given))


def test_results_of_before_differences_were_kept_are_read() -> None:
    row = {"correct": 1, "pairs": 2, "undecided": 0, "percent": 50.0, "low": 9.5, "high": 90.5}
    old = {"judgments": "x", "sha256": "y", "metrics": {"bleu_1": {"signature": "s"}}}
    old["metrics"]["bleu_1"]["accuracies"] = {"Total": row}  # type: ignore[index]
    read = results_from_json(json.dumps(old))
    told = read.metrics["bleu_1"].accuracies["Total"]
    assert told == Accuracy(1, 2, 0, Interval(9.5, 90.5))
    assert read.preferences.facets.size == 0
    assert not read.preferences.differences


def test_what_papers_have_is_of_metrics_and_of_people() -> None:
    assert {row.metric for row in published_results()} <= {*METRICS, ""}
    assert [row.metric for row in published_results()][-1] == ""
    assert all(row.source for row in published_results() if row.metric)
    told = published_result("sbf")
    # Mahfuz et al. give no total.
    assert told is not None
    assert [*told.audiocaps] == [*KINDS[:-1]]
    assert published_result("bleu_2") is None
