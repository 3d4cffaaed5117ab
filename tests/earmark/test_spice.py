"""SPICE, SPICE+, SPICE+emb and SPIDEr: scores, details, and the same in any company."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.cli.parser import main
from earmark.errors import UnusableParameter
from earmark.json_values import details_by_family
from earmark.metrics.cider_d.metric import CiderD
from earmark.metrics.family import Family
from earmark.metrics.fluency.metric import Fluency
from earmark.metrics.spice.metric import Spice
from earmark.metrics.spice.official import OfficialSpice, OfficialSpiceMissing
from earmark.metrics.spice_plus.metric import SpicePlus
from earmark.metrics.spice_plus_emb.metric import SpicePlusEmb
from earmark.metrics.spice_plus_emb_fl.metric import SpicePlusEmbFl
from earmark.metrics.spider.metric import Spider
from earmark.metrics.spider_fl.metric import SpiderFl
from earmark.pipeline import score
from earmark.registry import METRICS
from earmark.results import MetricScore
from earmark.workspace import Workspace

REFERENCES = References.build(
    [
        ("a.wav", ["A small dog barks at a cat.", "a dog barks", "Someone walks with a dog"]),
        ("b.wav", ["Rain falls on a tin roof", "Water is dripping from a roof"]),
        ("c.wav", ["...", "!"]),
    ]
)
CAPTIONS = ["a dog barks at a person", "rain falls on a roof", "wind blows"]
FAMILIES = [Spice, SpicePlus, SpicePlusEmb, SpicePlusEmbFl, Spider, SpiderFl]


def run(
    family: Family[Any],
    captions: Candidates,
    references: References = REFERENCES,
    *,
    details: bool = False,
) -> dict[str, MetricScore]:
    workspace = Workspace(details=details, device="cpu")
    prepared = family.load(dict(family.dump(family.prepare(references, workspace))))
    return family.score(captions, references, prepared, workspace)


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda kind: kind.name)
def family(request: pytest.FixtureRequest) -> Family[Any]:
    made: Family[Any] = request.param()
    return made


def test_spice_reads_with_the_parser_that_is_chosen_and_says_which() -> None:
    references = References.build([("a.wav", ["glass shatters", "a glass is shattering"])])
    said = Candidates.single(["glass shatters"])
    chosen = score(said, references, ["spice"], Workspace(), {"spice": {"parser": "captions"}})
    usual = score(said, references, ["spice"], Workspace())
    assert "earmark-parse" in chosen.results["spice"].signature
    assert "earmark-parse" not in usual.results["spice"].signature
    assert chosen.results["spice"].value > usual.results["spice"].value


def test_spice_of_a_small_clip_by_hand() -> None:
    # candidate: dog, person, (dog, bark at, person). References: cat, dog, someone, bark (once
    # taken for a noun), (bark, dog), (dog, bark), (bark, at, cat), (someone, walk with, dog).
    # 2 matched of 3 and of 8: F = 4/11
    found = run(Spice(), Candidates.single(CAPTIONS), details=True)["spice"]
    assert found.per_clip[0] == pytest.approx(4 / 11)
    assert found.details is not None
    assert found.details[0]["matched"] == [["dog"], ["person"]]
    assert found.details[0]["invented"] == [["dog", "bark at", "person"]]
    assert ["cat"] in found.details[0]["missed"]


def test_a_side_without_words_scores_zero(family: Family[Any]) -> None:
    silent = run(family, Candidates.single(["", "...", "wind blows"]))
    for name, found in silent.items():
        assert found.per_clip.tolist() == [0, 0, 0], name


def test_a_caption_that_is_its_reference_scores_one() -> None:
    one = References.build([("a.wav", ["A dog barks at a small cat"])])
    for made in (Spice(), SpicePlus(), SpicePlusEmb()):
        for found in run(made, Candidates.single(["a dog barks at a small cat."]), one).values():
            assert found.per_clip[0] == pytest.approx(1, abs=1e-6)


def test_emb_is_the_harmonic_mean_of_its_parts() -> None:
    found = run(SpicePlusEmb(), Candidates.single(CAPTIONS))
    p, r, f = (found[name].per_clip[:2] for name in SpicePlusEmb.metrics)
    assert f == pytest.approx(2 * p * r / (p + r), abs=1e-6)


def test_emb_parameters_change_number_and_signature() -> None:
    plain = run(SpicePlusEmb(), Candidates.single(CAPTIONS))["spice_plus_emb"]
    for made in (
        SpicePlusEmb(recall_weight=3),
        SpicePlusEmb(tuple_weights="consensus"),
        SpicePlusEmb(threshold=0.6),
    ):
        other = run(made, Candidates.single(CAPTIONS))["spice_plus_emb"]
        assert other.signature != plain.signature
        assert (other.per_clip != plain.per_clip).any()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"recall_weight": 0}, "above 0"),
        ({"recall_weight": math.nan}, "above 0"),
        ({"threshold": 1.1}, "from 0 to 1"),
        ({"threshold": math.nan}, "from 0 to 1"),
    ],
)
def test_emb_parameters_that_make_no_sense_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UnusableParameter, match=words):
        SpicePlusEmb(**wrong)


@pytest.mark.parametrize("name", ["spice_plus", "spice_plus_emb", "spice_plus_emb_fl"])
def test_both_readings_of_a_of_b_are_offered_and_signed(name: str) -> None:
    references = References.build([("a.wav", ["people talk"])])
    said = Candidates.single(["a group of people talks"])
    usual, both = (
        score(said, references, [name], Workspace(), {name: parameters}).results[name]
        for parameters in ({}, {"of_phrases": "both"})
    )
    # The text of the paper has the second alone: people, and what they do.
    assert usual.value == pytest.approx(1)
    assert both.value < usual.value
    assert ["|rules:plus-" in usual.signature, "|rules:plus_both-" in both.signature] == [True] * 2


def test_spider_is_the_mean_of_its_parts() -> None:
    captions = Candidates.single(CAPTIONS)
    spice = run(Spice(), captions)["spice"].per_clip
    cider = run(CiderD(), captions)["cider_d"].per_clip
    found = run(Spider(), captions)
    assert found["spider"].per_clip == pytest.approx((spice + cider) / 2, abs=1e-6)
    assert list(found) == ["spider"]  # one candidate per clip leaves nothing to choose from


def test_spider_fl_is_a_tenth_where_the_caption_is_flagged() -> None:
    captions = Candidates.single(["a dog barks and a", "rain falls on a roof", "wind blows"])
    spider = run(Spider(), captions)["spider"].per_clip
    flags = run(Fluency(), captions)["fer"].per_clip
    found = run(SpiderFl(), captions)["spider_fl"].per_clip
    assert found == pytest.approx(spider * (1 - 0.9 * flags), abs=1e-6)
    assert flags.tolist() == [1, 0, 0]


def test_emb_fl_is_a_tenth_of_emb_where_the_caption_is_flagged() -> None:
    captions = Candidates.single(["a dog barks and a", "rain falls on a roof", "wind blows"])
    whole = run(SpicePlusEmb(), captions)["spice_plus_emb"].per_clip
    found = run(SpicePlusEmbFl(), captions, details=True)["spice_plus_emb_fl"]
    assert found.per_clip == pytest.approx(whole * [0.1, 1, 1], abs=1e-6)
    softer = run(SpicePlusEmbFl(penalty=0.5), captions)["spice_plus_emb_fl"]
    assert softer.per_clip == pytest.approx(whole * [0.5, 1, 1], abs=1e-6)
    for part in ("rules:plus-", "parser:", "sbert:", "fl:earmark-fl-2@", "thr:0.9", "pen:0.9"):
        assert f"|{part}" in found.signature
    assert found.details is not None
    assert [clip["fluency"]["flag"] for clip in found.details] == [True, False, False]
    steps = METRICS["spice_plus_emb_fl"].explanation.steps(found.details[0])
    assert steps[0].startswith("precision")
    assert steps[2].startswith("flagged")


def test_spider_max_takes_the_best_candidate_of_each_clip_and_shares_details() -> None:
    ranked = Candidates((("wind blows", "a dog barks"), ("rain falls on a roof",), ("wind",)))
    found = run(Spider(), ranked, details=True)
    second = run(Spider(), Candidates.single(["a dog barks", "x", "x"]))
    first = found["spider"].per_clip
    assert found["spider_max"].per_clip[0] == second["spider"].per_clip[0] > first[0]
    assert found["spider_max"].per_clip[1] == first[1]
    (rows,) = details_by_family(found.values()).values()
    assert found["spider"].details is found["spider_max"].details is rows
    assert [row["candidate"] for row in rows] == [1, 1, 1]
    assert [row["best"]["candidate"] for row in rows if "best" in row] == [2]
    for name, part in (("spider", rows[0]), ("spider_max", rows[0]["best"])):
        mean = (part["spice"] + part["cider_d"]) / 2
        assert found[name].per_clip[0] == pytest.approx(mean, abs=1e-6), name
    told = f"CIDEr-D {rows[0]['best']['cider_d']:.3f}"
    spider, best = (METRICS[name].explanation.steps for name in ("spider", "spider_max"))
    assert best(rows[0])[0] == "best candidate: 2"
    assert best(rows[0])[1].endswith(told)
    assert not spider(rows[0])[0].endswith(told)
    assert best(rows[1])[1:] == spider(rows[1])


RANKED = Candidates(
    (
        ("a dog barks", "wind blows", "someone walks with a cat"),
        ("rain falls on a roof",),
        ("wind blows", "rain"),
    )
)


def test_emb_of_more_candidates_is_that_of_their_graphs_together() -> None:
    found = run(SpicePlusEmb(), RANKED, details=True)
    (rows,) = details_by_family(found.values()).values()
    assert [len(row.get("by_candidates", ())) for row in rows] == [3, 0, 2]
    first = rows[0]["by_candidates"]
    assert first[0] == pytest.approx([found[name].per_clip[0] for name in SpicePlusEmb.metrics])
    # One sentence that says what the first two candidates say has the same graph as both.
    both = run(SpicePlusEmb(), Candidates.single(["a dog barks and the wind blows", "x", "x"]))
    assert first[1] == pytest.approx(
        [both[name].per_clip[0] for name in SpicePlusEmb.metrics], abs=1e-5
    )
    # The third says more of the references, and the second what none of them does.
    assert first[1][0] < first[0][0]
    assert first[2][1] > first[1][1]


def test_emb_of_several_candidates_is_that_of_the_first() -> None:
    alone = run(SpicePlusEmb(), Candidates.single(RANKED.first), details=True)
    for details in (True, False):
        for name, found in run(SpicePlusEmb(), RANKED, details=details).items():
            assert found.per_clip == pytest.approx(alone[name].per_clip, abs=1e-5)
            assert found.signature == alone[name].signature


def test_candidates_without_words_change_nothing_of_emb() -> None:
    ranked = Candidates((("...", "!"), ("rain falls on a roof", "..."), ("wind", "")))
    (rows,) = details_by_family(run(SpicePlusEmb(), ranked, details=True).values()).values()
    assert rows[0]["by_candidates"] == [[0, 0, 0], [0, 0, 0]]
    assert rows[1]["by_candidates"][0] == rows[1]["by_candidates"][1]
    assert rows[2]["by_candidates"] == [[0, 0, 0], [0, 0, 0]]  # the references say nothing


def test_per_clip_scores_follow_the_originals(shared_data: Path) -> None:
    # scores of SPICE and SPICE+ on ten Clotho clips, published with SPICE+
    for file, made, name in (
        ("spice_examples", Spice(), "spice"),
        ("spicep_examples", SpicePlusEmb(of_phrases="both"), "spice_plus_emb"),
        ("spicep_examples", SpicePlusEmb(), "spice_plus_emb"),
    ):
        rows = json.loads((shared_data / "spice" / f"{file}.json").read_text())
        theirs = [row["scores"]["F"] for row in rows]
        told = References.build((str(row["example_id"]), row["ref_caps"]) for row in rows)
        mine = run(made, Candidates.single([row["test_caps"] for row in rows]), told)[name]
        assert np.corrcoef(mine.per_clip, theirs)[0, 1] >= 0.85


def test_the_original_program_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(OfficialSpiceMissing, match=r"stanford-corenlp-3\.6\.0-models\.jar"):
        OfficialSpice(tmp_path).scores(Candidates.single(CAPTIONS), REFERENCES)


def test_graph_command_prints_tuples_and_reads_caption_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "captions.txt"
    path.write_text("a small dog barks\n\n", encoding="utf-8")
    assert main(["graph", str(path)]) == 0
    assert capsys.readouterr().out == ("a small dog barks\n  dog\n  dog, small\n  dog, bark\n")
    assert main(["graph", str(path), "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph scene {")
    path = tmp_path / "captions.csv"
    path.write_text('file_name,caption_1,caption_2\na.wav,"a dog, wet",a cat\n', encoding="utf-8")
    assert main(["graph", str(path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["caption"] for row in rows] == ["a dog, wet", "a cat"]
    assert rows[1]["objects"] == ["cat"]
