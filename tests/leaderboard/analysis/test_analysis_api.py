"""The API gives the numbers of the analysis pages, to those who may see the pages."""

import numpy as np
import pytest

from earmark.statistics import paired_difference, resampled_means
from leaderboard.api.schemas.analysis import CompareOut
from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.selectors.analysis.comparing import comparison_of
from leaderboard.selectors.analysis.ranking_stability import (
    COEFFICIENTS,
    agreement_over_clips,
    agreement_over_systems,
    ranking_analysis,
    telling_clips,
)
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, finish, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_several_candidates import SEVERAL


def phase_path(cast: Cast, what: str, query: str = "") -> str:
    return f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/{what}{query}"


def compare_path(cast: Cast, a: Submission, b: Submission) -> str:
    return phase_path(cast, "compare", f"?a={a.public_id}&b={b.public_id}")


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Three systems of three teams, best first."""
    found = []
    for place in range(3):
        system = submit(cast.phase, TeamFactory.create(), name=f"System {place}", data=SEVERAL)
        finish(system, value=0.8 - place / 5, seed=place)
        found.append(system)
    return found


def test_the_analysis_is_that_of_the_page(cast: Cast, systems: list[Submission]) -> None:
    analysis = ranking_analysis(cast.phase)
    firm = analysis.stability
    assert firm is not None
    found = body(caller(None).get(phase_path(cast, "analysis")))
    assert (found["challenge"], found["phase"]) == (cast.phase.challenge.slug, cast.phase.slug)
    assert (found["ranking_metric"], found["ranked"], found["resamples"]) == ("cider_d", 3, 4000)
    assert [row["id"] for row in found["systems"]] == [system.public_id for system in systems]
    assert found["systems"][0]["team"] == systems[0].team.slug
    for at, row in enumerate(found["systems"]):
        assert row["rank"] == analysis.ranks[at] == at + 1
        assert [row["rank_low"], row["rank_high"]] == firm.intervals[at].tolist()
        assert row["tied"] == len(firm.tied(at))
        assert row["rank_probabilities"] == firm.probabilities[at].tolist()
        assert sum(row["rank_probabilities"]) == pytest.approx(1)
        expected = firm.pairs[at].tolist()
        assert row["p_values"] == [None if to == at else p for to, p in enumerate(expected)]
    assert found["ranks_by_metric"] == [
        {"metric": row.info.name, "label": row.info.label, "ranks": list(row.ranks)}
        for row in analysis.by_metric
    ]
    assert {row["metric"]: row["reason"] for row in found["left_out"]} == {
        info.name: reason for info, reason in analysis.tables.left_out
    }
    assert [(row["number"], row["agreement"], row["spread"]) for row in found["telling_clips"]] == [
        (clip.number, pytest.approx(clip.agreement), clip.spread)
        for clip in telling_clips(firm.table)
    ]
    for row in found["telling_clips"]:
        assert row["file_name"] == REFERENCES.file_names[row["number"] - 1]


def test_correlations_are_those_of_the_page(cast: Cast, systems: list[Submission]) -> None:
    MetricResult.objects.filter(metric="fer").update(value=0.5)  # does not vary: no correlation
    tables = ranking_analysis(cast.phase).tables
    for coefficient in COEFFICIENTS:
        found = body(caller(None).get(phase_path(cast, "analysis", f"?coefficient={coefficient}")))
        assert found["coefficient"] == coefficient
        for name, expected in (
            ("correlations_over_systems", agreement_over_systems(tables, coefficient)),
            ("correlations_over_clips", agreement_over_clips(tables, coefficient)),
        ):
            assert expected is not None
            assert found[name]["over"] == expected.over
            assert found[name]["metrics"] == [info.name for info in expected.metrics]
            values = np.array(found[name]["values"], np.float64)
            assert np.array_equal(values, expected.values, equal_nan=True)
            assert np.isnan(values).any() == (name == "correlations_over_systems")


def test_few_systems_leave_null(cast: Cast) -> None:
    for count in (0, 1):
        found = body(caller(None).get(phase_path(cast, "analysis")))
        assert len(found["systems"]) == count
        for row in found["systems"]:
            assert (row["rank_low"], row["tied"], row["p_values"]) == (None, None, None)
        assert found["correlations_over_systems"] is None
        assert found["telling_clips"] == []
        finish(submit(cast.phase, TeamFactory.create()))


def test_a_comparison_is_that_of_the_page(cast: Cast, systems: list[Submission]) -> None:
    first, _, last = systems
    expected = comparison_of(first, last)
    found = body(caller(None).get(compare_path(cast, first, last)))
    assert CompareOut.model_validate(expected).model_dump(mode="json") == found
    assert (found["a"]["id"], found["b"]["id"]) == (first.public_id, last.public_id)
    assert found["disagree"] == expected.disagree
    assert len(found["metrics"]) == len(expected.rows) > 15
    for row, told in zip(expected.rows, found["metrics"], strict=True):
        assert told == {
            "metric": row.info.name,
            "signature": row.table.signature,
            "a": row.table.corpus[0],
            "b": row.table.corpus[1],
            "counted": row.table.counted,
            "better": {0: "a", 1: "b", None: None}[row.winner],
            "difference": row.difference.value,
            "low": row.difference.interval.low,
            "high": row.difference.interval.high,
            "p_value": row.difference.p_value,
            "wins": row.difference.wins,
            "ties": row.difference.ties,
            "losses": row.difference.losses,
        }
    assert {row["metric"] for row in found["left_out"]} == {
        info.name for info, _ in expected.tables.left_out
    }
    by_name = {row["metric"]: row for row in found["metrics"]}
    # Where lower is better, the first of them, with more errors, is behind.
    assert by_name["fer"]["a"] > by_name["fer"]["b"]
    assert by_name["fer"]["difference"] < 0 < by_name["cider_d"]["difference"]
    clips = [
        MetricResult.objects.get(submission=system, metric="cider_d").read_per_clip()
        for system in (first, last)
    ]
    gain = clips[0].astype(float) - clips[1].astype(float)
    plainly = paired_difference(gain, resampled_means(gain[:, None], resamples=4000)[:, 0])
    assert by_name["cider_d"]["difference"] == pytest.approx(plainly.value)
    assert by_name["cider_d"]["p_value"] == pytest.approx(plainly.p_value)


def test_what_cannot_be_compared_is_told(cast: Cast, systems: list[Submission]) -> None:
    one, other = systems[:2]
    elsewhere = submit(PhaseFactory.create(), TeamFactory.create())
    finish(elsewhere)
    nobody = caller(None)
    problem(nobody.get(compare_path(cast, one, elsewhere)), 404)
    problem(nobody.get(phase_path(cast, "compare", f"?a={one.public_id}&b=none")), 404)
    assert "same system" in problem(nobody.get(compare_path(cast, one, one)), 422)["detail"]
    found = problem(nobody.get(phase_path(cast, "compare", f"?a={other.public_id}")), 422)
    assert found["faults"][0]["column"] == "b"


def test_organisers_read_hidden_phases_and_leave_nothing_behind(
    cast: Cast, systems: list[Submission]
) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(references_public=False, scores_public=False)
    paths = [
        phase_path(cast, "analysis"),
        compare_path(cast, systems[0], systems[1]),
    ]
    for path in paths:
        assert caller(cast.organiser).get(path).status_code == 200
        # What was kept for the organiser is not given to others.
        problem(caller(cast.outsider).get(path), 404)
    Phase.objects.filter(pk=cast.phase.pk).update(scores_public=True)
    for path in paths:
        problem(caller(cast.outsider).get(path), 403)
