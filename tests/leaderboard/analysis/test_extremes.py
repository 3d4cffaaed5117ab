"""The ends of a system's clips: the right ones, in the right order, whichever way is better."""

import numpy as np
import pytest
from django.urls import reverse

from leaderboard.models import MetricResult, Submission
from leaderboard.selectors.clips.corpus import corpus_of
from leaderboard.selectors.clips.sorting import extremes_of
from tests.factories import finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def with_clips(cast: Cast, metric: str, values: list[float]) -> Submission:
    cast.rules(ranking_metric=metric)
    system = submit(cast.phase, cast.team)
    finish(system)
    MetricResult.objects.filter(submission=system, metric=metric).update(
        per_clip=MetricResult.pack_per_clip(np.array(values, np.float32))
    )
    return system


@pytest.mark.parametrize(
    ("metric", "best", "worst"), [("cider_d", [4, 1], [5, 3]), ("fer", [5, 3], [4, 1])]
)
def test_best_and_worst_by_the_metric_that_ranks(
    cast: Cast, metric: str, best: list[int], worst: list[int]
) -> None:
    """Clip 2 has no value and stands at neither end; of equals the earlier comes first."""
    system = with_clips(cast, metric, [0.5, float("nan"), 0.25, 0.5 + 2**-10, 0.0])
    found = extremes_of(system, corpus_of(system))
    assert found is not None
    assert [line.number for line in found.best] == best
    assert [line.number for line in found.worst] == worst


def test_a_lone_clip_is_not_worst_as_well(cast: Cast) -> None:
    nan = float("nan")
    system = with_clips(cast, "cider_d", [nan, nan, 0.3, nan, nan])
    found = extremes_of(system, corpus_of(system))
    assert found is not None
    assert ([line.number for line in found.best], found.worst) == ([3], ())
    page = cast.client(None).get(reverse("leaderboard:profile", args=[system.public_id]))
    assert "Best and worst clips by CIDEr-D Best" in text(page.content)


def test_without_scores_of_clips_there_are_no_ends(cast: Cast) -> None:
    system = with_clips(cast, "cider_d", [float("nan")] * 5)
    assert extremes_of(system, corpus_of(system)) is None
