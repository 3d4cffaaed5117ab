"""Analysis of a phase and comparison of two systems: right numbers, right people."""

import re

import numpy as np
import pytest
from django.core.cache import caches
from django.urls import reverse
from django.utils import timezone

from earmark.comparing import UNLIKE
from earmark.registry import METRICS, metrics_for
from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.selectors.analysis.clip_scores import MISSING, tables_of
from leaderboard.selectors.analysis.comparing import comparison_of
from leaderboard.selectors.analysis.ranking_stability import (
    correlation,
    ranking_analysis,
    telling_clips,
)
from leaderboard.selectors.analysis.shown_values import (
    ShownAnalysis,
    agreement_of_shown,
    shown_analysis,
)
from leaderboard.selectors.clips.corpus import corpus_of
from leaderboard.selectors.figures.figure import plain
from leaderboard.selectors.figures.matrix import distinct
from leaderboard.selectors.figures.scatter import scatter_figure
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

HOSTILE = "<script>alert(1)</script>"


def analysis_url(phase: Phase, query: str = "") -> str:
    return reverse("leaderboard:analysis", args=[phase.challenge.slug, phase.slug]) + query


def compare_url(phase: Phase, query: str = "") -> str:
    return reverse("leaderboard:compare", args=[phase.challenge.slug, phase.slug]) + query


def set_clips(system: Submission, metric: str, values: list[float]) -> None:
    rows = MetricResult.objects.filter(submission=system, metric=metric)
    known = [value for value in values if not np.isnan(value)]
    rows.update(
        per_clip=MetricResult.pack_per_clip(np.array(values, np.float32)),
        value=float(np.mean(np.array(known, np.float32))),
    )


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Three systems of three teams, best first."""
    found = []
    for place in range(3):
        system = submit(cast.phase, TeamFactory.create(), name=f"{HOSTILE} {place}")
        finish(system, value=0.8 - place / 5, seed=place)
        found.append(system)
    return found


def test_a_comparison_counts_and_favours_the_better(systems: list[Submission]) -> None:
    one, other = systems[:2]
    set_clips(one, "cider_d", [0.9, 0.8, 0.7, 0.5, float("nan")])
    set_clips(other, "cider_d", [0.1, 0.1, 0.9, 0.5, 0.5])
    row = comparison_of(one, other).row("cider_d")
    assert row is not None
    assert (row.difference.wins, row.difference.ties, row.difference.losses) == (2, 1, 1)
    assert row.difference.value == pytest.approx((0.8 + 0.7 - 0.2 + 0) / 4)


def test_what_is_unlike_is_left_out(systems: list[Submission]) -> None:
    MetricResult.objects.filter(submission=systems[0], metric="fense").update(signature="other")
    MetricResult.objects.filter(submission=systems[1], metric="cb_score").delete()
    tables = tables_of(systems)
    reasons = {info.name: reason for info, reason in tables.left_out}
    assert reasons["fense"] == UNLIKE
    assert reasons["cb_score"] == MISSING
    assert "vocab" in reasons
    assert {table.info.name for table in tables.metrics} | set(reasons) == set(
        metrics_for(several=True)
    )


def test_ranks_follow_each_metrics_direction(cast: Cast, systems: list[Submission]) -> None:
    for metric in ("fer", "bleu_1"):
        for system, value in zip(systems, (0.1, 0.2, 0.3), strict=True):
            MetricResult.objects.filter(submission=system, metric=metric).update(value=value)
    ranks = {row.info.name: row.ranks for row in ranking_analysis(cast.phase).by_metric}
    assert ranks["fer"] == (1, 2, 3)
    assert ranks["bleu_1"] == (3, 2, 1)
    assert ranks["cider_d"] == (1, 2, 3)


def test_a_firm_and_a_shared_rank(cast: Cast, systems: list[Submission]) -> None:
    set_clips(systems[0], "cider_d", [0.9, 0.9, 0.8, 0.9, 0.9])
    for system in systems[1:]:
        set_clips(system, "cider_d", [0.2, 0.3, 0.1, 0.2, 0.3])
    firm = ranking_analysis(cast.phase).stability
    assert firm is not None
    assert firm.intervals.tolist() == [[1, 1], [2, 2], [2, 2]]
    assert [firm.tied(i) for i in range(3)] == [(), (2,), (1,)]
    seen = text(cast.client(None).get(analysis_url(cast.phase)).content)
    assert f"{systems[1].team.name} 2 {systems[2].system_name}" in seen


def test_the_clip_that_tells_them_apart_comes_first(cast: Cast, systems: list[Submission]) -> None:
    for system, telling in zip(systems, (0.9, 0.5, 0.1), strict=True):
        set_clips(system, "cider_d", [0.5, 0.5, telling, 0.5, 0.5])
    firm = ranking_analysis(cast.phase).stability
    assert firm is not None
    assert [clip.number for clip in telling_clips(firm.table)] == [3]


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_correlations_at_their_ends(name: str) -> None:
    rising = np.array([0.1, 0.2, np.nan, 0.4, 0.5])
    assert correlation(rising, 2 * rising, name) == pytest.approx(1)  # type: ignore[arg-type]
    assert correlation(rising, -rising, name) == pytest.approx(-1)  # type: ignore[arg-type]
    assert np.isnan(correlation(rising, np.ones(5), name))  # type: ignore[arg-type]


def test_pages_show_and_escape(cast: Cast, systems: list[Submission]) -> None:
    client = cast.client(None)
    for url in (analysis_url(cast.phase), compare_url(cast.phase)):
        found = client.get(url)
        assert found.status_code == 200
        assert HOSTILE not in found.content.decode()
        assert HOSTILE in text(found.content)


def test_the_chosen_systems_and_metric_are_compared(cast: Cast, systems: list[Submission]) -> None:
    query = f"?a={systems[2].public_id}&b={systems[0].public_id}&metric=rouge_l"
    found = cast.client(None).get(compare_url(cast.phase, query))
    assert found.context["a"].pk == systems[2].pk
    assert found.context["b"].pk == systems[0].pk
    assert "Where they differ most: ROUGE-L" in text(found.content)
    row = (
        r"ROUGE-L .{1,20}? \d\.\d{3} \d\.\d{3} -\d\.\d{3} -\d\.\d{3} to \S+ "
        r"[<.\d]+ \d \d \d shown below"
    )
    assert re.search(row, text(found.content)), "values, difference, interval, p, wins, ties"


def test_few_systems_are_no_error(cast: Cast) -> None:
    for _ in range(3):
        for url in (analysis_url(cast.phase), compare_url(cast.phase)):
            assert cast.client(None).get(url).status_code == 200
        finish(submit(cast.phase, TeamFactory.create()))


def test_of_hidden_clips_the_analysis_says_what_follows_from_the_leaderboard(
    cast: Cast, systems: list[Submission]
) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(references_public=False)
    rank_estimates_refresh(phase_id=cast.phase.pk, now=timezone.now())
    client = cast.client(None)
    page = client.get(analysis_url(cast.phase)).content
    seen = text(page)
    assert "Ranks under every metric" in seen
    assert "systems as the leaderboard shows them" in seen
    for hidden in ("Probability of each rank", "beyond chance under", "over clips", "Which clips"):
        assert hidden not in seen
    names = [cast.phase.challenge.slug, cast.phase.slug]
    board = client.get(reverse("leaderboard:board", args=names))
    for row in board.context["table"].rows:
        assert row.range is not None
        assert f'<td class="num">{row.range.text}</td>' in page.decode()
    assert analysis_url(cast.phase) in board.content.decode()


def test_equal_leaderboards_give_equal_analyses_whatever_the_clips_are(
    cast: Cast, systems: list[Submission]
) -> None:
    """Else one could tell the scores of clips by handing in systems that differ in one."""

    def found() -> ShownAnalysis:
        return shown_analysis(cast.phase, view=public_view(cast.phase, timezone.now()))

    cast.rules(precision=8)
    for row in MetricResult.objects.all():
        shown = round(row.value or 0, METRICS[row.metric].decimals)
        MetricResult.objects.filter(pk=row.pk).update(value=shown)
    before = found()
    for row in MetricResult.objects.exclude(metric=cast.phase.ranking_metric):
        clips = np.linspace(0, 1, 5).astype(np.float32)
        row.value = (row.value or 0) + 1e-7 * (row.pk % 7)
        row.per_clip = MetricResult.pack_per_clip(clips)
        row.save()
    after = found()
    assert before.ranking.by_metric == after.ranking.by_metric
    for one, other in zip(before.columns, after.columns, strict=True):
        assert one.tolist() == other.tolist()


def test_values_are_rounded_as_shown_before_they_are_ranked_or_correlated(
    cast: Cast, systems: list[Submission]
) -> None:
    for number, system in enumerate(systems):
        MetricResult.objects.filter(submission=system, metric="fense").update(
            value=0.5 + number * 1e-6
        )
    cast.rules(precision=8)
    shown = shown_analysis(cast.phase, view=public_view(cast.phase, timezone.now()))
    ranks = {row.info.name: row.ranks for row in shown.ranking.by_metric}
    assert ranks["fense"] == (1, 1, 1)
    agreement = agreement_of_shown(shown, "kendall")
    assert agreement is not None
    at = [info.name for info in agreement.metrics].index("fense")
    assert np.isnan(agreement.values[at]).all(), "what does not vary as shown agrees with nothing"


def test_visitors_cannot_push_out_what_limits_them(
    cast: Cast, systems: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts of failed log-ins lie in the default cache."""
    filled: list[object] = []
    monkeypatch.setattr(caches["default"], "set", lambda *row, **_: filled.append(row))
    for metric in metrics_for(several=True):
        cast.client(None).get(compare_url(cast.phase, f"?metric={metric}"))
    assert filled == []


def test_a_system_is_not_compared_with_itself(cast: Cast, systems: list[Submission]) -> None:
    one = systems[1]
    found = cast.client(None).get(compare_url(cast.phase, f"?a={one.public_id}&b={one.public_id}"))
    shown = found.context["a"].pk, found.context["b"].pk
    assert shown == (one.pk, systems[0].pk)


def test_a_name_taken_back_is_gone_at_once(cast: Cast, systems: list[Submission]) -> None:
    client = cast.client(None)
    for make_url in (analysis_url, compare_url):
        assert f"{HOSTILE} 0" in text(client.get(make_url(cast.phase)).content)
    Submission.objects.filter(pk=systems[0].pk).update(system_name="Renamed")
    for make_url in (analysis_url, compare_url):
        seen = text(client.get(make_url(cast.phase)).content)
        assert "Renamed" in seen
        assert f"{HOSTILE} 0" not in seen


def test_a_system_under_way_waits_for_its_place(cast: Cast, systems: list[Submission]) -> None:
    late = submit(cast.phase, TeamFactory.create(), name="Late")
    finish(late)
    late.evaluations.filter(family="vocab").update(state="running")
    assert "Late" not in text(cast.client(None).get(analysis_url(cast.phase)).content)
    late.evaluations.filter(family="vocab").update(state="done")
    assert "Late" in text(cast.client(None).get(analysis_url(cast.phase)).content)


def test_equal_names_are_told_apart_whatever_they_are() -> None:
    assert distinct(["A", "A", "A (2)", "A"]) == ["A", "A (2)", "A (2) (2)", "A (3)"]


def test_a_name_fills_in_no_template() -> None:
    assert "%{" not in plain("%{meta.tone} <b>")


def test_many_clips_are_thinned_and_drawn_without_eval(
    systems: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.figures.scatter.MOST_POINTS", 2)
    row = comparison_of(*systems[:2]).row("cider_d")
    assert row is not None
    figure = scatter_figure(row, ("A", "B"), corpus_of(systems[0]), ())
    assert figure.data[0]["type"] == "scatter"
    assert len(figure.data[0]["x"]) == 2
    counted = [int(cell) for line in figure.numbers.rows for cell in line[1:] if cell]
    assert sum(counted) == 5, "the table has all clips"
